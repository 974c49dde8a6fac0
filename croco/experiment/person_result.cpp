// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/person_result.hpp>

#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/record_reader.hpp>

namespace croco {
namespace {

const std::vector<std::string>& columns() {
  static const std::vector<std::string> names{
      "row",          "status", "valid",     "l1",          "l2",    "cost",  "features_changed",
      "invalid",      "rate",   "soft_rate", "paper_bound", "upper", "steps", "method_rate",
      "method_bound", "lower"};
  return names;
}

std::string cell_of(double value) { return format_fixed(value, 9); }
std::string cell_of(const std::optional<double>& value) { return value ? cell_of(*value) : ""; }

std::optional<Status> status_of(std::string_view text) {
  for (const Status status : {Status::found, Status::unmet, Status::infeasible, Status::already,
                              Status::error, Status::undecided}) {
    if (text == name_of(status)) return status;
  }
  return std::nullopt;
}

/// The fields of one row in the order of `columns`.
class Fields {
 public:
  Fields(const CsvTable& table, const CsvRow& row) : table_(table), row_(row) {
    check_field_count(table, row);
  }
  [[nodiscard]] const std::string& text() { return row_.fields[next_++]; }
  [[nodiscard]] std::optional<double> optional_number() {
    const std::string& field = text();
    if (field.empty()) return std::nullopt;
    const auto value = parse_number(field);
    if (!value || !std::isfinite(*value)) fail(field, "a number");
    return value;
  }
  [[nodiscard]] double number() {
    const auto value = optional_number();
    if (!value) fail("", "a number");
    return *value;
  }
  /// A length, or a price.
  [[nodiscard]] double magnitude() {
    const double value = number();
    if (value < 0) fail(row_.fields[next_ - 1], "a number of at least 0");
    return value;
  }
  [[nodiscard]] double share() {
    const double value = number();
    if (value < 0 || value > 1) fail(row_.fields[next_ - 1], "a number from 0 to 1");
    return value;
  }
  [[nodiscard]] bool flag() {
    const std::string& field = text();
    if (field != "0" && field != "1") fail(field, "0 or 1");
    return field == "1";
  }
  [[nodiscard]] Status status() {
    const auto value = status_of(text());
    if (!value) fail(row_.fields[next_ - 1], "a status");
    return *value;
  }
  /// What is left belongs to advice, and there is none.
  void require_no_more() {
    while (next_ < row_.fields.size()) {
      if (const std::string& field = text(); !field.empty()) fail(field, "empty, without advice");
    }
  }
  [[nodiscard]] std::size_t count() {
    const double value = number();
    if (value < 0 || value != std::floor(value) || value > 1e15) {
      fail(row_.fields[next_ - 1], "a count");
    }
    return static_cast<std::size_t>(value);
  }

 private:
  [[noreturn]] void fail(std::string_view field, std::string_view what) const {
    throw DataError(fmt::format("{}, line {}, column '{}': '{}' is not {}", table_.source,
                                row_.line, columns()[next_ - 1], field, what));
  }

  const CsvTable& table_;
  const CsvRow& row_;
  std::size_t next_ = 0;
};

}  // namespace

std::string result_csv(std::span<const PersonResult> results) {
  std::string out = csv_record(columns());
  for (const PersonResult& result : results) {
    std::vector<std::string> fields{std::to_string(result.row),
                                    std::string(name_of(result.status))};
    if (result.has_advice()) {
      fields.insert(
          fields.end(),
          {result.valid ? "1" : "0", cell_of(result.l1), cell_of(result.l2), cell_of(result.cost),
           std::to_string(result.features_changed), std::to_string(result.invalid),
           cell_of(result.rate), cell_of(result.soft_rate), cell_of(result.paper_bound),
           cell_of(result.upper), std::to_string(result.steps), cell_of(result.method_rate),
           cell_of(result.method_bound), cell_of(result.lower)});
    }
    fields.resize(columns().size());
    out += csv_record(fields);
  }
  return out;
}

std::vector<PersonResult> parse_results(const CsvTable& table) {
  if (table.header != columns()) {
    throw DataError(
        fmt::format("{}: its columns are not those of a result of croco reproduce", table.source));
  }
  std::vector<PersonResult> results;
  results.reserve(table.rows.size());
  for (const CsvRow& row : table.rows) {
    Fields fields(table, row);
    PersonResult result;
    result.row = fields.count();
    result.status = fields.status();
    if (result.has_advice()) {
      result.valid = fields.flag();
      result.l1 = fields.magnitude();
      result.l2 = fields.magnitude();
      result.cost = fields.magnitude();
      result.features_changed = fields.count();
      result.invalid = fields.count();
      result.rate = fields.share();
      result.soft_rate = fields.share();
      result.paper_bound = fields.number();
      result.upper = fields.share();
      result.steps = fields.count();
      result.method_rate = fields.optional_number();
      result.method_bound = fields.optional_number();
      result.lower = fields.optional_number();
    } else {
      fields.require_no_more();
    }
    results.push_back(result);
  }
  return results;
}

}  // namespace croco
