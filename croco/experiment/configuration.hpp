// SPDX-License-Identifier: Apache-2.0
/// One cell of an experiment's grid: a data set, a noise, a target and a method.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/experiment/experiment.hpp>

namespace croco {

/// The first three are indices into the experiment's lists.
struct Configuration {
  std::size_t dataset = 0;
  std::size_t noise = 0;
  std::size_t method = 0;
  std::optional<double> target = {};  ///< none for methods without one

  bool operator==(const Configuration&) const = default;
};

/// Every cell: by data set, noise, target, method; methods without a target come first, once per
/// noise. `has_target` has an entry per method.
[[nodiscard]] std::vector<Configuration> grid_of(const Experiment& experiment,
                                                 const std::vector<bool>& has_target);

/// Whether a text in somebody's file means a name of the experiment: `0.010` is the noise `0.01`.
[[nodiscard]] bool means_name(const std::string& text, std::string_view name);

/// `adult/0.005/0.05/croco`, which names its files.
[[nodiscard]] std::filesystem::path path_of(const Experiment& experiment,
                                            const Configuration& configuration);

}  // namespace croco
