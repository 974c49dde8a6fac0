// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/evaluation_table.hpp>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <apps/cli/print.hpp>
#include <croco/base/numbers.hpp>

namespace croco::cli {
namespace {

/// The cost is named by its kind: cost_l1, cost_mad or cost_percentile.
const TableRow kHeader{"method",
                       "people",
                       "advice",
                       "rule_met",
                       "validity",
                       "l0",
                       "l1",
                       "l1_median",
                       "l2",
                       "linf",
                       "cost",
                       "rate",
                       "rate_upper",
                       "rate_above_target",
                       "bound_above_target",
                       "ms_per_person"};

/// With --models, the panel below: what undoes advice, noise on the model in use, retraining alone,
/// or both.
const TableRow kModelsHeader{"method", "cost", "noise", "retraining", "both", "both_upper"};

std::string optional_text(const std::optional<double>& value, double factor, int decimals) {
  return value ? format_fixed(*value * factor, decimals) : "";
}

}  // namespace

TableRow table_header(CostKind cost) {
  TableRow out = kHeader;
  std::ranges::replace(out, "cost", fmt::format("cost_{}", name_of(cost)));
  return out;
}

TableRow models_header() { return kModelsHeader; }

TableRow table_row(const Summary& summary) {
  return {summary.name,
          std::to_string(summary.people - summary.already - summary.errors),
          std::to_string(summary.advised),
          std::to_string(summary.rule_met),
          format_fixed(summary.validity, 4),
          format_fixed(summary.l0, 2),
          format_fixed(summary.l1, 4),
          format_fixed(summary.l1_median, 4),
          format_fixed(summary.l2, 4),
          format_fixed(summary.linf, 4),
          format_fixed(summary.cost, 4),
          format_fixed(summary.rate, 5),
          format_fixed(summary.upper, 5),
          optional_text(summary.rate_above_target, 1, 4),
          optional_text(summary.bound_above_target, 1, 4),
          optional_text(summary.seconds_per_person, 1e3, 2)};
}

TableRow models_row(const Summary& summary) {
  return {summary.name,
          format_fixed(summary.cost, 4),
          format_fixed(summary.rate, 5),
          optional_text(summary.retraining_rate, 1, 5),
          optional_text(summary.joint_rate, 1, 5),
          optional_text(summary.joint_upper, 1, 5)};
}

void add_models_columns(const std::vector<TableRow>& panel, std::vector<TableRow>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t c = 3; c < kModelsHeader.size(); ++c) {
      rows[i].push_back(i == 0 ? "models_" + panel[i][c] : panel[i][c]);
    }
  }
}

void print_table(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths(rows[0].size());
  for (const TableRow& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  for (const TableRow& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += c == 0 ? fmt::format("{:<{}}", row[c], widths[c])
                     : fmt::format("  {:>{}}", row[c], widths[c]);
    }
    print_out("{}\n", line);
  }
}

}  // namespace croco::cli
