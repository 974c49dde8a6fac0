// SPDX-License-Identifier: Apache-2.0
/// Runs one cell of the grid, and measures what came out on draws that nothing has seen.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include <croco/base/stopwatch.hpp>
#include <croco/experiment/advice_files.hpp>
#include <croco/experiment/configuration.hpp>
#include <croco/experiment/person_result.hpp>
#include <croco/experiment/prepared_dataset.hpp>

namespace croco {

struct ConfigurationRun {
  std::vector<PersonResult> results;  ///< one per person, in their order
  /// What it took to find the answers: for the certified method with its certificates, which are
  /// part of it, for the others without. None when another tool that did not say made them.
  std::optional<Duration> time;
};

/// `advice` belongs to a method that is read from files, null for the others. Nothing when `stop`
/// is requested on the way. The results do not depend on `threads`.
[[nodiscard]] std::optional<ConfigurationRun> run_configuration(const Experiment& experiment,
                                                                const Configuration& configuration,
                                                                const PreparedDataset& dataset,
                                                                const AdviceFiles* advice,
                                                                unsigned threads,
                                                                const std::stop_token& stop);

}  // namespace croco
