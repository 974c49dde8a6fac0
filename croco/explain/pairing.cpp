// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/pairing.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/loading/people.hpp>

namespace croco {
namespace {

/// Gives the features of croco's own output their names back; the columns of the report that have
/// these names become `report:NAME`.
void restore_names(CsvTable& advised) {
  constexpr std::string_view kPrefix = "feature:";
  for (std::size_t c = 0; c < advised.header.size(); ++c) {
    if (!advised.header[c].starts_with(kPrefix)) continue;
    const std::string name = advised.header[c].substr(kPrefix.size());
    if (const auto report = advised.find(name)) advised.header[*report] = "report:" + name;
    advised.header[c] = name;
  }
}

/// The index of a column of the report, which is no feature.
std::optional<std::size_t> report_column(const CsvTable& table, const Schema& schema,
                                         const std::string& name) {
  if (const auto renamed = table.find("report:" + name)) return renamed;
  const bool is_feature = std::ranges::any_of(
      schema.features, [&](const Feature& feature) { return feature.name == name; });
  return is_feature ? std::nullopt : table.find(name);
}

std::size_t person_of(const CsvTable& advised, const CsvRow& row, std::size_t column,
                      std::size_t count) {
  const std::string& text = column < row.fields.size() ? row.fields[column] : "";
  const auto number = parse_number(text);
  if (!number || *number < 0 || *number != std::floor(*number) ||
      *number >= static_cast<double>(count)) {
    throw DataError(
        fmt::format("{}, line {}, column 'row': '{}' is not the index of a person, 0 to {}",
                    advised.source, row.line, text, count == 0 ? 0 : count - 1));
  }
  return static_cast<std::size_t>(*number);
}

}  // namespace

std::vector<AdvisedPerson> pair_up(const CsvTable& people, CsvTable advised, const Schema& schema,
                                   std::span<const std::string> kept) {
  restore_names(advised);
  require_rows(people);
  require_rows(advised);
  const std::vector<Person> before = read_people(people, schema, 0, people.rows.size(), kept);
  const std::vector<Person> after = read_people(advised, schema, 0, advised.rows.size());
  const auto row_column = report_column(advised, schema, "row");
  const auto status_column = report_column(advised, schema, "status");
  if (!row_column && before.size() != after.size()) {
    throw DataError(fmt::format(
        "{} has {} rows and {} has {}; without a column 'row' they are paired in order, so they "
        "must be as many",
        people.source, before.size(), advised.source, after.size()));
  }
  std::vector<AdvisedPerson> pairs;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const CsvRow& row = advised.rows[i];
    if (status_column && *status_column < row.fields.size()) {
      const std::string& status = row.fields[*status_column];
      if (status == "already" || status == "infeasible" || status == "error") continue;
    }
    const std::size_t person = row_column ? person_of(advised, row, *row_column, before.size()) : i;
    pairs.push_back({before[person], after[i]});
  }
  return pairs;
}

}  // namespace croco
