// SPDX-License-Identifier: Apache-2.0
/// Points that somebody else published for an experiment's configurations, to be laid over ours.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <croco/data/csv.hpp>
#include <croco/experiment/experiment.hpp>

namespace croco {

struct PublishedPoint {
  std::size_t dataset = 0;  ///< indices into the experiment's lists
  std::size_t noise = 0;
  std::optional<double> target = {};
  std::string method;  ///< as the file names it
  std::optional<double> people = {};
  std::optional<double> validity = {};
  std::optional<double> l1_mean = {};
  std::optional<double> l1_sd = {};
  std::optional<double> rate_mean = {};
  std::optional<double> rate_sd = {};
  std::optional<double> rate_above_target = {};
};

/// The rows for data sets, noises and targets that the experiment has. Columns: `dataset`,
/// `method`, `noise` or `variance`, `target`, and any of `n`, `validity`, `l1_mean`, `l1_std`,
/// `rate_mean`, `rate_std`, `rate_share_above_target`. Throws DataError when a column is missing, a
/// number is none, or no row fits.
[[nodiscard]] std::vector<PublishedPoint> read_published(const CsvTable& table,
                                                         const Experiment& experiment);

}  // namespace croco
