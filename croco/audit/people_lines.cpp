// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/people_lines.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/csv.hpp>

namespace croco {
namespace {

using LineJson = nlohmann::ordered_json;

constexpr std::array kRecourses{Recourse::accepted, Recourse::certified, Recourse::impossible,
                                Recourse::undecided};
constexpr std::string_view kError = "error";
constexpr std::size_t kFixedFields = 7;

LineJson number_json(double value) {
  return std::isfinite(value) ? LineJson(value) : LineJson("inf");
}

double number_from(const LineJson& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::infinity();
}

double number_from(const std::string& text) { return parse_number(text).value(); }

std::string list_text(const LineJson& list) {
  return list.empty() ? std::string() : json_text(list, -1, BrokenText::replace);
}

LineJson list_from(const std::string& text) {
  return text.empty() ? LineJson::array() : parse_json(text);
}

}  // namespace

std::string_view name_of(Recourse recourse) noexcept {
  constexpr std::array<std::string_view, kRecourses.size()> kNames{"accepted", "certified",
                                                                   "impossible", "undecided"};
  return kNames[static_cast<std::size_t>(recourse)];
}

std::string PeopleLines::header() const {
  std::vector<std::string> fields{"row",        "outcome", "score", "cost",
                                  "plain_cost", "changed", "limits"};
  for (const AuditAttribute& attribute : attributes_) {
    fields.push_back("group:" + attribute.column);
    if (attribute.swappable) fields.push_back("swapped:" + attribute.column);
  }
  return csv_record(fields);
}

std::string PeopleLines::limit_name(const Limit& limit) const {
  return limit.kind == LimitKind::relation ? schema_.relations[limit.feature].name
                                           : schema_.features[limit.feature].name;
}

std::string PeopleLines::lines(std::span<const AuditedPerson> people) const {
  std::string out;
  for (const AuditedPerson& person : people) {
    std::vector<std::string> fields{std::to_string(person.row)};
    if (!person.recourse) {
      fields.emplace_back(kError);
      for (const std::string& field : std::vector<std::string>(kFixedFields - 2)) {
        fields.push_back(field);
      }
      for (const AuditAttribute& attribute : attributes_) {
        fields.resize(fields.size() + (attribute.swappable ? 2 : 1));
      }
      out += csv_record(fields);
      continue;
    }
    LineJson changed = LineJson::array();
    for (const std::size_t feature : person.changed) {
      changed.push_back(schema_.features[feature].name);
    }
    LineJson limits = LineJson::array();
    for (const Limit& limit : person.limits) {
      limits.push_back({limit_name(limit), name_of(limit.kind)});
    }
    fields.emplace_back(name_of(*person.recourse));
    for (const double number : {person.score, person.cost, person.plain}) {
      fields.push_back(format_number(number));
    }
    fields.push_back(list_text(changed));
    fields.push_back(list_text(limits));
    for (std::size_t a = 0; a < attributes_.size(); ++a) {
      fields.push_back(attributes_[a].groups[person.groups[a]]);
      if (!attributes_[a].swappable) continue;
      LineJson swaps = LineJson::array();
      for (const AuditedPerson::Swap& swap : person.swaps) {
        if (swap.attribute != a) continue;
        swaps.push_back({attributes_[a].groups[swap.group], number_json(swap.cost)});
      }
      fields.push_back(list_text(swaps));
    }
    out += csv_record(fields);
  }
  return out;
}

AuditedPerson PeopleLines::read_line(const std::vector<std::string>& fields) const {
  AuditedPerson out;
  out.row = static_cast<std::size_t>(number_from(fields.at(0)));
  if (fields.at(1) == kError) return out;
  const auto recourse =
      std::ranges::find(kRecourses, fields.at(1), [](Recourse one) { return name_of(one); });
  out.recourse = *recourse;
  if (recourse == kRecourses.end()) throw DataError(fields.at(1));
  out.score = number_from(fields.at(2));
  out.cost = number_from(fields.at(3));
  out.plain = number_from(fields.at(4));
  for (const LineJson& name : list_from(fields.at(5))) {
    out.changed.push_back(schema_.index_of(name.get<std::string>()));
  }
  for (const LineJson& pair : list_from(fields.at(6))) {
    const auto name = pair.at(0).get<std::string>();
    Limit limit;
    for (std::size_t k = 0; k < kLimitKinds; ++k) {
      if (name_of(static_cast<LimitKind>(k)) == pair.at(1)) limit.kind = static_cast<LimitKind>(k);
    }
    const auto relation = std::ranges::find(schema_.relations, name, &RelationRule::name);
    limit.feature = limit.kind == LimitKind::relation
                        ? static_cast<std::size_t>(relation - schema_.relations.begin())
                        : schema_.index_of(name);
    out.limits.push_back(limit);
  }
  std::size_t next = kFixedFields;
  const auto group_from = [&](std::size_t a, const std::string& name) {
    const std::vector<std::string>& groups = attributes_[a].groups;
    const auto found = std::ranges::find(groups, name);
    if (found == groups.end()) throw DataError(name);
    return static_cast<std::uint32_t>(found - groups.begin());
  };
  for (std::size_t a = 0; a < attributes_.size(); ++a) {
    out.groups.push_back(group_from(a, fields.at(next++)));
    if (!attributes_[a].swappable) continue;
    for (const LineJson& pair : list_from(fields.at(next++))) {
      out.swaps.push_back(
          {a, group_from(a, pair.at(0).get<std::string>()), number_from(pair.at(1))});
    }
  }
  return out;
}

std::vector<AuditedPerson> PeopleLines::read(std::string_view text) const {
  std::vector<AuditedPerson> out;
  const CsvTable table = parse_csv(header() + std::string(text), "people.csv");
  for (const CsvRow& row : table.rows) {
    try {
      out.push_back(read_line(row.fields));
    } catch (const std::exception&) {
      throw DataError(fmt::format("people.csv, line {}: is no line of this audit", row.line));
    }
  }
  return out;
}

}  // namespace croco
