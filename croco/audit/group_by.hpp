// SPDX-License-Identifier: Apache-2.0
/// The groups of an audit: what the user says, and what the people's values make of it.
///
///     GroupFinder finder(parse_groups({"sex,age:25,40,60"}), {}, schema);
///     for (const Person& person : people) finder.add(person);
///     const std::vector<AuditAttribute> attributes = finder.attributes();
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/data/schema.hpp>
#include <croco/loading/people.hpp>

namespace croco {

/// A column whose values, or the stretches between cut points of its numbers, are groups.
struct GroupBy {
  std::string column;
  Vector cuts = {};  ///< rising; group k is from cut k - 1, included, to below cut k

  bool operator==(const GroupBy&) const = default;
};

/// `sex,age:25,40,60,race`: columns, with cut points behind a colon. Throws InvalidArgument naming
/// the text and the rule.
[[nodiscard]] std::vector<GroupBy> parse_groups(const std::vector<std::string>& texts);

/// Throws InvalidArgument naming the column and the rule: a name, no column twice, cut points that
/// rise.
void validate(const std::vector<GroupBy>& groups);

/// The group of each column that the others are compared with.
using ReferenceGroups = std::map<std::string, std::string>;
/// `sex=Male`. Throws InvalidArgument.
[[nodiscard]] ReferenceGroups parse_references(const std::vector<std::string>& texts);

/// The columns that are no features of the model; they have to be read beside them.
[[nodiscard]] std::vector<std::string> columns_beside(const std::vector<GroupBy>& groups,
                                                      const Schema& schema);

/// One way to divide people, with the groups that occur.
struct AuditAttribute {
  std::string column;
  Vector cuts;
  std::optional<std::size_t> feature;  ///< of the schema, where the model reads it
  std::vector<std::string> groups;     ///< in their order
  std::size_t reference = 0;
  /// A category that the model reads: people can be asked about as members of another group.
  bool swappable = false;

  /// Nothing for a person who cannot be read. Throws DataError for a group that is not there, and
  /// for what is no number where there are cut points.
  [[nodiscard]] std::optional<std::uint32_t> group_of(const Person& person) const;
};

/// What people without a value are called.
inline constexpr std::string_view kMissingGroup = "(missing)";
/// The most groups of one column.
inline constexpr std::size_t kMostGroups = 50;

/// Looks at everybody once.
class GroupFinder {
 public:
  /// Throws InvalidArgument for groups that are no rule and references of other columns.
  GroupFinder(std::vector<GroupBy> groups, ReferenceGroups references, const Schema& schema);
  /// Throws DataError for what is no number where there are cut points, and InvalidArgument for
  /// more than `kMostGroups` groups.
  void add(const Person& person);
  /// The reference is the group that was named, or else the largest. Throws InvalidArgument for a
  /// reference that does not occur and for a column with one group only.
  [[nodiscard]] std::vector<AuditAttribute> attributes() const;

 private:
  [[nodiscard]] AuditAttribute attribute_of(std::size_t index) const;

  std::vector<GroupBy> groups_;
  ReferenceGroups references_;
  const Schema& schema_;
  std::vector<std::optional<std::size_t>> features_;        ///< by attribute
  std::vector<std::map<std::string, std::size_t>> counts_;  ///< people, by attribute and group
};

}  // namespace croco
