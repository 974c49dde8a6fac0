// SPDX-License-Identifier: Apache-2.0
/// What the commands that answer many people share: what their runs depend on, how many batches are
/// worked on at once, and what is said when a run ends early.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apps/cli/command_line.hpp>
#include <croco/batch/run_outputs.hpp>
#include <croco/report/context.hpp>

namespace croco::cli {

/// People whose answers are made together, unless --batch or a remote model says otherwise.
inline constexpr std::size_t kBatchOfPeople = 256;

/// What the output depends on: model, schema, noise, further `things` such as the data, and the
/// options that were given, without those that say where things are or how the work is divided.
[[nodiscard]] RunIdentity run_identity(const Command& command, const ReportContext& context,
                                       std::vector<std::pair<std::string, std::string>> things);

/// Batches to work on at once: two where there are threads for them, so that what is done one after
/// the other in one batch leaves no processor idle. One of `batches` when each has to be `alone`,
/// as those of a remote model.
[[nodiscard]] std::size_t batches_at_once(unsigned threads, bool alone, std::size_t batches);

/// Notes that a run goes on.
void print_resumed(std::size_t done, std::size_t rows);

/// Runs `body`; when that throws, records what was finished and says how to go on.
void keep_on_failure(RunOutputs& outputs, const std::function<void()>& body);

/// Says that the run was interrupted, and how to go on; returns the exit code.
[[nodiscard]] int end_interrupted(RunOutputs& outputs);

}  // namespace croco::cli
