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

}  // namespace

AdviceRows::AdviceRows(CsvTable advised, const Schema& schema) : table_(std::move(advised)) {
  restore_names(table_);
  person_ = report_column(table_, schema, "row");
  status_ = report_column(table_, schema, "status");
}

bool AdviceRows::is_advice(const CsvRow& row) const {
  if (!status_ || *status_ >= row.fields.size()) return true;
  const std::string& status = row.fields[*status_];
  return status != "already" && status != "infeasible" && status != "error";
}

std::size_t AdviceRows::person_of(const CsvRow& row, std::size_t people) const {
  const std::string& text = *person_ < row.fields.size() ? row.fields[*person_] : "";
  const auto number = parse_number(text);
  if (!number || *number < 0 || *number != std::floor(*number) ||
      *number >= static_cast<double>(people)) {
    throw DataError(
        fmt::format("{}, line {}, column 'row': '{}' is not the index of a person, 0 to {}",
                    table_.source, row.line, text, people == 0 ? 0 : people - 1));
  }
  return static_cast<std::size_t>(*number);
}

void require_as_many(const std::string& people, std::size_t people_rows, const std::string& advised,
                     std::size_t advised_rows) {
  if (people_rows == advised_rows) return;
  throw DataError(fmt::format(
      "{} has {} rows and {} has {}; without a column 'row' they are paired in order, so they "
      "must be as many",
      people, people_rows, advised, advised_rows));
}

std::vector<AdvisedPerson> pair_up(const CsvTable& people, CsvTable advised, const Schema& schema,
                                   std::span<const std::string> kept) {
  const AdviceRows rows(std::move(advised), schema);
  const CsvTable& table = rows.table();
  require_rows(people);
  require_rows(table);
  const std::vector<Person> before = read_people(people, schema, 0, people.rows.size(), kept);
  const std::vector<Person> after = read_people(table, schema, 0, table.rows.size());
  if (!rows.names_people()) {
    require_as_many(people.source, before.size(), table.source, after.size());
  }
  std::vector<AdvisedPerson> pairs;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const CsvRow& row = table.rows[i];
    if (!rows.is_advice(row)) continue;
    pairs.push_back(
        {before[rows.names_people() ? rows.person_of(row, before.size()) : i], after[i]});
  }
  return pairs;
}

}  // namespace croco
