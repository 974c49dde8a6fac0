// SPDX-License-Identifier: Apache-2.0
/// The tables of `croco evaluate`: a line per method, and with --models a panel below.
#pragma once

#include <string>
#include <vector>

#include <croco/data/cost_kind.hpp>
#include <croco/experiment/summary.hpp>

namespace croco::cli {

using TableRow = std::vector<std::string>;

[[nodiscard]] TableRow table_header(CostKind cost);
[[nodiscard]] TableRow table_row(const Summary& summary);
/// What undoes advice: noise on the model in use, retraining alone, or both.
[[nodiscard]] TableRow models_header();
[[nodiscard]] TableRow models_row(const Summary& summary);
/// Appends the columns of the panel that the table does not have.
void add_models_columns(const std::vector<TableRow>& panel, std::vector<TableRow>& rows);
/// On standard output, in columns.
void print_table(const std::vector<TableRow>& rows);

}  // namespace croco::cli
