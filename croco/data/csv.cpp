// SPDX-License-Identifier: Apache-2.0
#include <croco/data/csv.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <croco/base/byte_source.hpp>
#include <croco/base/compression.hpp>
#include <croco/base/error.hpp>
#include <croco/data/csv_reader.hpp>
#include <croco/data/suggest.hpp>

namespace croco {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string in_quotes(std::string_view field) {
  std::string quoted = "\"";
  for (const char letter : field) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  quoted += '"';
  return quoted;
}

CsvTable all_rows(CsvReader reader) {
  CsvTable table = reader.table();
  for (CsvRow row; reader.next(row);) table.rows.push_back(std::move(row));
  return table;
}

/// Decompressed where it has to be. What is held in memory has a limit, whatever its size on disk.
std::unique_ptr<ByteSource> open_rows(const std::filesystem::path& path) {
  constexpr std::size_t kMaxBytes = std::size_t{4} << 30U;
  return limited_bytes(decompressed(open_bytes(path), path.string()), path.string(), kMaxBytes);
}

}  // namespace

std::optional<std::size_t> CsvTable::find(std::string_view name) const noexcept {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

std::size_t CsvTable::column(std::string_view name) const {
  if (const auto index = find(name)) return *index;
  throw DataError(fmt::format("{}: there is no column '{}'{} (columns: {})", source, name,
                              did_you_mean(name, header), quoted_list(header)));
}

CsvTable parse_csv(std::string_view text, std::string source) {
  return all_rows(CsvReader(bytes_of_text(text), std::move(source)));
}

CsvTable read_csv(const std::filesystem::path& path) {
  return all_rows(CsvReader(open_rows(path), path.string()));
}

void require_rows(const CsvTable& table) {
  if (!table.rows.empty()) return;
  throw DataError(
      fmt::format("{}: has a header but no rows; at least one row is needed", table.source));
}

std::string csv_field(std::string_view field) {
  // Readers take a mark at the beginning of a file for its encoding, unless it is in quotes.
  if (field.find_first_of(",\"\r\n") == std::string_view::npos &&
      !field.starts_with(kByteOrderMark)) {
    return std::string(field);
  }
  return in_quotes(field);
}

std::string csv_record(const std::vector<std::string>& fields) {
  // A record of one empty field would be a blank line, which readers skip at the end of a file; and
  // without a comma, another separator within a name would be taken for one.
  if (fields.size() == 1 &&
      (fields.front().empty() || fields.front().find_first_of(";\t") != std::string::npos)) {
    return in_quotes(fields.front()) + '\n';
  }
  std::string record;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (k != 0) record += ',';
    record += csv_field(fields[k]);
  }
  record += '\n';
  return record;
}

}  // namespace croco
