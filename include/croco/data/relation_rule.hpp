// SPDX-License-Identifier: Apache-2.0
/// Relations between features, as people write them into a schema; docs/reference/schema.md
/// describes them.
///
///     // debt and rent together at most 40 % of the income
///     schema.relations.push_back({.name = "burden",
///                                 .sum = {{"debt"}, {"rent"}},
///                                 .than = {{"income", 0.4}}});
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/space/relation.hpp>

namespace croco {

struct Schema;
class Codec;

/// `weight * feature`, in the feature's own units.
struct FeatureTerm {
  std::string feature;
  double weight = 1.0;

  bool operator==(const FeatureTerm&) const = default;
};

/// A rule that every advice keeps: the sum, or the sum per another feature, is at most (or at
/// least) a number, another sum, or what it is today.
struct RelationRule {
  std::string name;  ///< for people: "monthly rate"
  std::vector<FeatureTerm> sum;
  std::string per{};  ///< the feature that the sum is divided by; may be empty
  bool at_least = false;
  std::optional<double> limit{};    ///< the number
  std::vector<FeatureTerm> than{};  ///< the other sum; without both it is compared with today

  bool operator==(const RelationRule&) const = default;
};

/// Throws DataError naming the relation, the value and the rule: names that are missing or occur
/// twice, sums without features, features that are unknown, categorical or occur twice, weights and
/// limits that are not finite or weights of 0, a divisor that may be 0; and relations that no
/// values in the ranges of the features satisfy, with the relations and the ends of ranges that
/// contradict each other.
CROCO_EXPORT void validate_relations(const Schema& schema);

/// The relations of the codec's schema, in its encoded space.
[[nodiscard]] CROCO_EXPORT std::vector<Relation> encoded_relations(const Codec& codec);

/// "amount of the credit / duration of the credit at most as today", with the features' labels.
[[nodiscard]] CROCO_EXPORT std::string relation_text(const Schema& schema,
                                                     const RelationRule& rule);

}  // namespace croco
