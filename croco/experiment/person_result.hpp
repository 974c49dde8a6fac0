// SPDX-License-Identifier: Apache-2.0
/// What one method did for one person, in numbers: a row of a configuration's table.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <croco/data/csv.hpp>
#include <croco/explain/explanation.hpp>

namespace croco {

struct PersonResult {
  std::size_t row = 0;  ///< of the people's file, from 0
  Status status = Status::error;

  // With advice; the others are left at their defaults.
  bool valid = false;
  double l1 = 0.0;
  double l2 = 0.0;
  double cost = 0.0;
  std::size_t features_changed = 0;
  std::size_t invalid = 0;  ///< of the experiment's `rate_samples` draws
  double rate = 0.0;
  double soft_rate = 0.0;
  double paper_bound = 0.0;  ///< (m + soft rate) / (1 - t) with the paper's m and t
  double upper = 1.0;        ///< certified bound on the rate
  std::size_t steps = 0;
  std::optional<double> method_rate = {};
  std::optional<double> method_bound = {};
  std::optional<double> lower = {};  ///< proven lower bound of the cost of meeting the target

  [[nodiscard]] bool has_advice() const noexcept { return croco::has_advice(status); }
};

/// The table as CSV, a row per person. Numbers are rounded to nine places.
[[nodiscard]] std::string result_csv(std::span<const PersonResult> results);
/// Throws DataError naming the file, the line and the column of what is not as `result_csv` writes.
[[nodiscard]] std::vector<PersonResult> parse_results(const CsvTable& table);

}  // namespace croco
