// SPDX-License-Identifier: Apache-2.0
/// The people of a run as a table for a terminal: what to change, at what cost, how often it fails.
#pragma once

#include <string>
#include <vector>

#include <croco/explain/explanation.hpp>
#include <croco/report/report.hpp>

namespace croco {

/// Collects rows; people whom the model accepts already are left out. The context must outlive it.
class TableReport {
 public:
  explicit TableReport(const ReportContext& context) : context_(context) {}

  void add(const Explanation& explanation);
  /// The noise in a line, then a row per piece of advice, a line per change.
  [[nodiscard]] std::string text() const;

 private:
  struct Row {
    std::string person;
    std::string score;
    std::vector<std::string> changes;  ///< or why there are none
    std::string cost;
    std::string fails;
  };

  void add_one(const Explanation& explanation);

  const ReportContext& context_;
  std::vector<Row> rows_;
};

}  // namespace croco
