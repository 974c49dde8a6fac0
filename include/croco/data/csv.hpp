// SPDX-License-Identifier: Apache-2.0
/// CSV as RFC 4180 has it: quoted fields, doubled quotes, CRLF or LF, line breaks inside quotes, an
/// optional UTF-8 byte order mark. A quote inside a field that does not begin with one is an
/// ordinary character. Fields may also be separated by tabs or semicolons: the header decides. Text
/// is UTF-8, or UTF-16 with a byte order mark. Every complaint names the file, the line and the
/// column.
///
///     const croco::CsvTable table = croco::read_csv("people.csv");
///     const std::string& income = table.rows[0].fields[table.column("income")];
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/export.hpp>

namespace croco {

/// One record and the line (1-based) on which it begins. Its number of fields may differ from the
/// header's: that is a fault of this row alone, reported when the row is used.
struct CsvRow {
  std::size_t line = 0;
  std::vector<std::string> fields;
};

/// A header and its records.
struct CROCO_EXPORT CsvTable {
  std::string source;  ///< the path, as messages name it
  /// Names that differ. The first may be empty: other programs write an index of the rows so.
  std::vector<std::string> header;
  std::vector<CsvRow> rows;
  char separator = ',';  ///< what stands between the fields: a comma, a tab or a semicolon

  /// The index of a column, if there is one of that name.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept;
  /// The same; throws DataError naming the file, the column and the columns there are.
  [[nodiscard]] std::size_t column(std::string_view name) const;
};

/// Parses CSV text. The separator is a comma if the header holds one outside quotes; otherwise a
/// tab if it holds one, then a semicolon. Throws DataError for an empty text, a duplicate column
/// name, an empty one that is not the first of several, a quote that never closes or is followed by
/// anything but a separator, a carriage return that ends no line, NUL bytes, and bytes that are not
/// UTF-8. Blank lines at the end are ignored; any others are rows of one empty field. A header
/// without rows is a table of no rows: callers that need rows say so with `require_rows`.
[[nodiscard]] CROCO_EXPORT CsvTable parse_csv(std::string_view text, std::string source);
/// Reads and parses a file. Throws IoError or DataError.
[[nodiscard]] CROCO_EXPORT CsvTable read_csv(const std::filesystem::path& path);
/// Throws DataError when the table has a header only.
CROCO_EXPORT void require_rows(const CsvTable& table);

/// The field as it must be written: quoted when it holds a separator, a quote or a line break.
[[nodiscard]] CROCO_EXPORT std::string csv_field(std::string_view field);
/// A whole record, `fields` joined by commas and ended with LF.
[[nodiscard]] CROCO_EXPORT std::string csv_record(const std::vector<std::string>& fields);

}  // namespace croco
