// SPDX-License-Identifier: Apache-2.0
/// What `croco evaluate` compares, and what it knows on the way beside the numbers of answers.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <croco/explain/explanation.hpp>

namespace croco::cli {

/// A line of the table: a method, or advice of another tool.
struct EvaluatedEntry {
  std::string name;          ///< of the line
  std::string method = {};   ///< empty: the advice in `file`
  bool with_models = false;  ///< the certified method for retrained models too
  std::string file = {};
};

/// The certified method is there twice when there are retrained models: for the model in use alone,
/// and for those too. `counterfactuals` are NAME=FILE; throws InvalidArgument for others.
[[nodiscard]] std::vector<EvaluatedEntry> evaluated_entries(
    const std::vector<std::string>& methods, const std::vector<std::string>& counterfactuals,
    bool models);

struct EvaluationState {
  std::vector<double> seconds;  ///< by entry
  std::vector<std::string> failures;
  std::size_t failed = 0;
  std::size_t failed_entry = 0;  ///< the last one that they are of

  [[nodiscard]] std::string json() const;
  /// Throws DataError for another text.
  void read(const std::string& text);
  /// Rows that cannot be read. Those of methods are the same for all, and count once.
  void add_failures(std::size_t entry, bool method, std::span<const Explanation> answers);
};

}  // namespace croco::cli
