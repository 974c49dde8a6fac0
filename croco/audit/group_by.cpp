// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/group_by.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/suggest.hpp>

namespace croco {
namespace {

std::optional<std::size_t> feature_named(const Schema& schema, std::string_view name) {
  const auto found = std::ranges::find(schema.features, name, &Feature::name);
  if (found == schema.features.end()) return std::nullopt;
  return static_cast<std::size_t>(found - schema.features.begin());
}

std::string_view value_of(const Person& person, const std::string& column,
                          std::optional<std::size_t> feature) {
  if (feature) return person.record[*feature];
  const auto found = std::ranges::find(person.kept, column, &KeptColumns::value_type::first);
  return found == person.kept.end() ? std::string_view() : std::string_view(found->second);
}

/// "below 25", "25 to below 40", "40 and above".
std::string stretch_name(const Vector& cuts, std::size_t stretch) {
  if (stretch == 0) return "below " + format_number(cuts.front());
  if (stretch == cuts.size()) return format_number(cuts.back()) + " and above";
  return fmt::format("{} to below {}", format_number(cuts[stretch - 1]),
                     format_number(cuts[stretch]));
}

/// The name of a person's group.
std::string group_name(const Person& person, const std::string& column, const Vector& cuts,
                       std::optional<std::size_t> feature) {
  const std::string_view value = trimmed(value_of(person, column, feature));
  if (value.empty()) return std::string(kMissingGroup);
  if (cuts.empty()) return std::string(value);
  const std::optional<double> number = parse_number(value);
  if (!number || std::isnan(*number)) {
    throw DataError(
        fmt::format("{}: column '{}': '{}' is not a number, and its groups are between numbers",
                    place_of(person), column, value));
  }
  return stretch_name(
      cuts, static_cast<std::size_t>(std::ranges::upper_bound(cuts, *number) - cuts.begin()));
}

}  // namespace

std::vector<GroupBy> parse_groups(const std::vector<std::string>& texts) {
  std::vector<GroupBy> out;
  for (const std::string& text : texts) {
    const std::size_t first = out.size();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const std::string word(trimmed(std::string_view(text).substr(begin, end - begin)));
      begin = end + 1;
      const std::optional<double> number = parse_number(word);
      if (number && out.size() > first && !out.back().cuts.empty()) {
        out.back().cuts.push_back(*number);
        continue;
      }
      const std::size_t colon = word.rfind(':');
      const std::optional<double> cut =
          colon == std::string::npos ? std::nullopt : parse_number(word.substr(colon + 1));
      out.push_back({cut ? word.substr(0, colon) : word, cut ? Vector{*cut} : Vector()});
      if (out.back().column.empty()) {
        throw InvalidArgument(fmt::format(
            "group is '{}'; it must name columns, with cut points behind a colon, such as "
            "sex,age:25,40,60",
            text));
      }
    }
  }
  validate(out);
  return out;
}

void validate(const std::vector<GroupBy>& groups) {
  if (groups.empty()) throw InvalidArgument("group names no column");
  std::set<std::string_view> names;
  for (const GroupBy& group : groups) {
    if (!names.insert(group.column).second) {
      throw InvalidArgument(fmt::format("group names '{}' twice", group.column));
    }
    const auto is_finite = [](double cut) { return std::isfinite(cut); };
    if (!std::ranges::all_of(group.cuts, is_finite) ||
        std::ranges::adjacent_find(group.cuts, std::greater_equal<>()) != group.cuts.end()) {
      throw InvalidArgument(
          fmt::format("group '{}' has the cut points {}; they must be finite and rise",
                      group.column, fmt::join(group.cuts, ", ")));
    }
  }
}

ReferenceGroups parse_references(const std::vector<std::string>& texts) {
  ReferenceGroups out;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InvalidArgument(
          fmt::format("reference is '{}'; it must be COLUMN=GROUP, such as sex=Male", text));
    }
    out[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return out;
}

std::vector<std::string> columns_beside(const std::vector<GroupBy>& groups, const Schema& schema) {
  std::vector<std::string> out;
  for (const GroupBy& group : groups) {
    if (!feature_named(schema, group.column)) out.push_back(group.column);
  }
  return out;
}

std::optional<std::uint32_t> AuditAttribute::group_of(const Person& person) const {
  if (!person.problem.empty()) return std::nullopt;
  const std::string name = group_name(person, column, cuts, feature);
  const auto found = std::ranges::find(groups, name);
  if (found == groups.end()) {
    throw DataError(fmt::format("{}: column '{}': the group '{}' was not there at first",
                                place_of(person), column, name));
  }
  return static_cast<std::uint32_t>(found - groups.begin());
}

GroupFinder::GroupFinder(std::vector<GroupBy> groups, ReferenceGroups references,
                         const Schema& schema)
    : groups_(std::move(groups)),
      references_(std::move(references)),
      schema_(schema),
      counts_(groups_.size()) {
  validate(groups_);
  for (const GroupBy& group : groups_) features_.push_back(feature_named(schema, group.column));
  std::vector<std::string> columns;
  for (const GroupBy& group : groups_) columns.push_back(group.column);
  for (const auto& [column, reference] : references_) {
    if (std::ranges::find(columns, column) != columns.end()) continue;
    throw InvalidArgument(fmt::format("reference is '{}={}'; no group is by that column{}", column,
                                      reference, did_you_mean(column, columns)));
  }
}

void GroupFinder::add(const Person& person) {
  if (!person.problem.empty()) return;
  for (std::size_t a = 0; a < groups_.size(); ++a) {
    ++counts_[a][group_name(person, groups_[a].column, groups_[a].cuts, features_[a])];
    if (counts_[a].size() <= kMostGroups) continue;
    throw InvalidArgument(fmt::format(
        "group is '{0}', a column with more than {1} values; at most {1} groups are compared, and "
        "numbers need cut points such as {0}:25,40,60",
        groups_[a].column, kMostGroups));
  }
}

std::vector<AuditAttribute> GroupFinder::attributes() const {
  std::vector<AuditAttribute> out;
  for (std::size_t a = 0; a < groups_.size(); ++a) out.push_back(attribute_of(a));
  return out;
}

AuditAttribute GroupFinder::attribute_of(std::size_t index) const {
  const GroupBy& by = groups_[index];
  const std::map<std::string, std::size_t>& counts = counts_[index];
  AuditAttribute out{.column = by.column,
                     .cuts = by.cuts,
                     .feature = features_[index],
                     .groups = {},
                     .reference = 0,
                     .swappable = false};
  std::vector<std::string> order;
  for (std::size_t k = 0; !by.cuts.empty() && k <= by.cuts.size(); ++k) {
    order.push_back(stretch_name(by.cuts, k));
  }
  if (by.cuts.empty() && out.feature) {
    const Feature& feature = schema_.features[*out.feature];
    out.swappable = feature.type == FeatureType::categorical;
    order = feature.levels;
  }
  for (const std::string& name : order) {
    if (counts.contains(name)) out.groups.push_back(name);
  }
  for (const auto& [name, count] : counts) {
    if (std::ranges::find(out.groups, name) == out.groups.end()) out.groups.push_back(name);
  }
  if (out.groups.size() < 2) {
    throw InvalidArgument(fmt::format(
        "group is '{}', and everybody is in the group '{}'; there is nothing to compare", by.column,
        out.groups.empty() ? kMissingGroup : out.groups.front()));
  }
  if (const auto named = references_.find(by.column); named != references_.end()) {
    const auto found = std::ranges::find(out.groups, named->second);
    if (found == out.groups.end()) {
      throw InvalidArgument(fmt::format(
          "reference is '{}={}'; there is no such group{} (groups: {})", by.column, named->second,
          did_you_mean(named->second, out.groups), quoted_list(out.groups)));
    }
    out.reference = static_cast<std::size_t>(found - out.groups.begin());
    return out;
  }
  for (std::size_t g = 1; g < out.groups.size(); ++g) {
    if (counts.at(out.groups[g]) > counts.at(out.groups[out.reference])) out.reference = g;
  }
  return out;
}

}  // namespace croco
