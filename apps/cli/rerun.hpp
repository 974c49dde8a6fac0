// SPDX-License-Identifier: Apache-2.0
/// Makes the rows of a report of `croco explain` again, from what its manifest says.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <croco/explain/explanation.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/report/manifest.hpp>

namespace croco::cli {

/// The lines of every row that the same run writes about these people. Fewer rows when `stop` is
/// requested. Throws InvalidArgument for a run whose answers depend on the speed of the machine,
/// DataError when the manifest's options are not what its noise says.
[[nodiscard]] std::map<std::size_t, std::vector<std::string>> rerun(
    const StatedRun& run, const LoadedModel& loaded, std::shared_ptr<const ModelPopulation> models,
    std::span<const Person> people, unsigned threads, const std::stop_token& stop);

}  // namespace croco::cli
