// SPDX-License-Identifier: Apache-2.0
/// CSV reports that a spreadsheet opens as text, whatever is in the data.
#pragma once

#include <string>
#include <string_view>

#include <croco/report/context.hpp>
#include <croco/report/writer.hpp>

namespace croco {

/// A cell that a spreadsheet would take for a formula, with an apostrophe before it: one that
/// begins with = + - @, a tab or a carriage return. Numbers, among them -5, and other text are as
/// they were.
[[nodiscard]] std::string spreadsheet_cell(std::string_view text);

/// `csv_header` and `csv_line` with cells made safe.
[[nodiscard]] std::string spreadsheet_header(const ReportContext& context);
[[nodiscard]] std::string spreadsheet_line(const ReportContext& context,
                                           const Explanation& explanation);

}  // namespace croco
