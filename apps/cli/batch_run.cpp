// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/batch_run.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/option_effects.hpp>
#include <apps/cli/print.hpp>
#include <croco/base/parallel.hpp>
#include <croco/base/sha256.hpp>
#include <croco/base/version.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/narrate.hpp>

namespace croco::cli {
namespace {

std::string models_text(const ReportContext& context) {
  std::string out;
  if (!context.models) return out;
  for (const auto* models : {&context.models->search, &context.models->certify}) {
    for (const RetrainedModel& model : *models) out += model.fingerprint + '\n';
    out += '\n';
  }
  return sha256(out);
}

}  // namespace

RunIdentity run_identity(const Command& command, const ReportContext& context,
                         std::vector<std::pair<std::string, std::string>> things) {
  RunIdentity out{.things = std::move(things), .options = {}};
  out.things.emplace_back("the program", fmt::format("croco {} {}", version(), command.name()));
  out.things.emplace_back("the model", context.model_fingerprint);
  out.things.emplace_back("the schema or its scales", context.schema_fingerprint);
  out.things.emplace_back("the noise", sha256(certificate_noise_json(context)));
  out.things.emplace_back("the population of --models", models_text(context));
  for (const Option& option : command.options()) {
    if (!option.is_given() || !changes_outputs(option.key())) continue;
    const std::vector<std::string> values = option.values();
    if (values.empty()) out.options.emplace_back("--" + option.key(), "");
    for (const std::string& value : values) out.options.emplace_back("--" + option.key(), value);
  }
  return out;
}

std::size_t batches_at_once(unsigned threads, bool alone, std::size_t batches) {
  constexpr std::size_t kAtOnce = 2;
  if (alone || thread_count(threads) == 1) return 1;
  return std::clamp<std::size_t>(batches, 1, kAtOnce);
}

void print_resumed(std::size_t done, std::size_t rows) {
  print_note("note: {} of {} rows are done already\n", with_thousands(done), with_thousands(rows));
}

void keep_on_failure(RunOutputs& outputs, const std::function<void()>& body) {
  try {
    body();
  } catch (...) {
    const std::string kept = outputs.keep();
    if (!kept.empty()) print_err("croco: {}\n", kept);
    throw;
  }
}

int end_interrupted(RunOutputs& outputs) {
  const std::string kept = outputs.keep();
  print_err("croco: interrupted; {}\n", kept.empty() ? "nothing was written" : kept);
  return kInterrupted;
}

}  // namespace croco::cli
