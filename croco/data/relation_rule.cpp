// SPDX-License-Identifier: Apache-2.0
#include <croco/data/relation_rule.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/schema.hpp>
#include <croco/data/suggest.hpp>
#include <croco/optim/l1_program.hpp>

namespace croco {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

[[noreturn]] void fail(const RelationRule& rule, std::string_view what) {
  throw DataError(fmt::format("relation '{}': {}", rule.name, what));
}

/// `place` is the key of the rule that names the feature.
const Feature& numeric_feature(const Schema& schema, const RelationRule& rule,
                               std::string_view place, const std::string& name) {
  const Feature* feature = nullptr;
  try {
    feature = &schema.features[schema.index_of(name)];
  } catch (const DataError& error) {
    fail(rule, fmt::format("{}: {}", place, error.what()));
  }
  if (feature->type != FeatureType::numeric) {
    fail(rule,
         fmt::format("{}: feature '{}' is categorical; relations are about numbers", place, name));
  }
  return *feature;
}

void check_terms(const Schema& schema, const RelationRule& rule) {
  if (rule.sum.empty()) fail(rule, "its sum has no features");
  std::map<std::string_view, std::string_view> seen;  // the key that a feature stands under
  for (const auto* side : {&rule.sum, &rule.than}) {
    const std::string_view place = side == &rule.sum ? "sum"
                                   : rule.at_least   ? "at_least"
                                                     : "at_most";
    for (const FeatureTerm& term : *side) {
      static_cast<void>(numeric_feature(schema, rule, place, term.feature));
      const auto [before, added] = seen.emplace(term.feature, place);
      if (!added && before->second == place) {
        fail(rule,
             fmt::format("{}: feature '{}' occurs twice; add its weights", place, term.feature));
      }
      if (!added) {
        fail(rule, fmt::format("feature '{}' is in both sum and {}; bring its weights together in "
                               "one of them",
                               term.feature, place));
      }
      if (!std::isfinite(term.weight) || term.weight == 0) {
        fail(rule, fmt::format("the weight of '{}' is {}; it must be a finite number other than 0",
                               term.feature, format_number(term.weight)));
      }
    }
  }
}

void check_divisor(const Schema& schema, const RelationRule& rule) {
  if (!rule.than.empty()) {
    fail(rule, "a sum per another feature is compared with a number or with today, not with a sum");
  }
  const Feature& divisor = numeric_feature(schema, rule, "per", rule.per);
  // A value that cannot fall stays above 0 where it is.
  const bool falls = divisor.movement == Movement::both || divisor.movement == Movement::down;
  if (falls && !(divisor.minimum && *divisor.minimum > 0)) {
    fail(rule, fmt::format("divides by '{}', which needs a minimum above 0", rule.per));
  }
}

/// The rule as `sum of weight * feature <= limit`, in own units; none when it depends on a person.
struct FixedRow {
  const RelationRule* rule;
  Vector weights;  ///< per feature
  double limit;
};

std::optional<FixedRow> fixed_row(const Schema& schema, const RelationRule& rule) {
  if (!rule.limit && rule.than.empty()) return std::nullopt;
  FixedRow row{&rule, Vector(schema.features.size()), rule.limit.value_or(0)};
  for (const FeatureTerm& term : rule.sum) {
    row.weights[schema.index_of(term.feature)] += term.weight;
  }
  for (const FeatureTerm& term : rule.than) {
    row.weights[schema.index_of(term.feature)] -= term.weight;
  }
  if (!rule.per.empty()) {
    row.weights[schema.index_of(rule.per)] -= row.limit;
    row.limit = 0;
  }
  if (rule.at_least) {
    for (double& weight : row.weights) weight = -weight;
    row.limit = -row.limit;
  }
  return row;
}

/// "income at most 100, debt at least 5": the ends of ranges that a sum of rows meets.
std::string ends_text(const Schema& schema, const std::vector<FixedRow>& rows, View factors) {
  std::vector<std::string> ends;
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    double weight = 0;
    double size = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      weight += factors[i] * rows[i].weights[k];
      size += std::abs(factors[i] * rows[i].weights[k]);
    }
    const Feature& feature = schema.features[k];
    const std::optional<double>& end = weight > 0 ? feature.minimum : feature.maximum;
    if (std::abs(weight) <= 1e-9 * size || !end) continue;
    ends.push_back(fmt::format("'{}' at {} {}", feature.name, weight > 0 ? "least" : "most",
                               format_number(*end)));
  }
  return fmt::format("{}", fmt::join(ends, ", "));
}

/// Ranges and relations that no values satisfy, whoever the person.
void check_contradictions(const Schema& schema) {
  std::vector<FixedRow> rows;
  for (const RelationRule& rule : schema.relations) {
    if (auto row = fixed_row(schema, rule)) rows.push_back(std::move(*row));
  }
  if (rows.empty()) return;
  // Features in units of their own size, so that years and cents weigh the same.
  Vector lower;
  Vector upper;
  for (const Feature& feature : schema.features) {
    const double low = feature.minimum.value_or(-kInfinite);
    const double high = feature.maximum.value_or(kInfinite);
    double size = 0;
    for (const double end : {low, high}) {
      if (std::isfinite(end)) size = std::max(size, std::abs(end));
    }
    if (size == 0) size = 1;
    const std::size_t k = lower.size();
    lower.push_back(low / size);
    upper.push_back(high / size);
    for (FixedRow& row : rows) row.weights[k] *= size;
  }
  const Vector costs(lower.size(), 1.0);
  L1Program program{costs, lower, upper, {}};
  for (const FixedRow& row : rows) program.rows.push_back({row.weights, row.limit});
  const L1Solution found = solve(program);
  if (found.verdict != ProgramVerdict::infeasible) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (found.conflict[i] > 0) names.push_back(rows[i].rule->name);
  }
  const std::string ends = ends_text(schema, rows, found.conflict);
  throw DataError(fmt::format("{} {}: no values satisfy {}{}",
                              names.size() == 1 ? "relation" : "relations", quoted_list(names),
                              names.size() == 1 ? "it" : "them together",
                              ends.empty() ? "" : fmt::format(" with {}", ends)));
}

/// The encoded value of `sum of weight * feature`.
Combination encoded(const Codec& codec, const RelationRule& rule,
                    const std::vector<FeatureTerm>& terms, double factor, Combination out = {}) {
  for (const FeatureTerm& term : terms) {
    const std::size_t k = codec.schema().index_of(term.feature);
    const double weight = factor * term.weight * codec.unit_of(k);
    out.offset += factor * term.weight * codec.origin_of(k);
    if (!std::isfinite(weight) || weight == 0 || !std::isfinite(out.offset)) {
      fail(rule, fmt::format("the weight {} of '{}' is too large or too small for its range",
                             format_number(term.weight), term.feature));
    }
    out.terms.push_back({codec.column_of(k), weight});
  }
  return out;
}

std::string sum_text(const Schema& schema, const std::vector<FeatureTerm>& terms) {
  std::string text;
  for (const FeatureTerm& term : terms) {
    const std::string& label = schema.features[schema.index_of(term.feature)].display_name();
    const double size = std::abs(term.weight);
    if (!text.empty()) {
      text += term.weight < 0 ? " - " : " + ";
    } else if (term.weight < 0) {
      text += "-";
    }
    text += size == 1 ? label : fmt::format("{} {}", format_number(size), label);
  }
  return text;
}

}  // namespace

void validate_relations(const Schema& schema) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < schema.relations.size(); ++i) {
    const RelationRule& rule = schema.relations[i];
    if (trimmed(rule.name).empty()) {
      throw DataError(fmt::format("relation {} of {} has no name", i + 1, schema.relations.size()));
    }
    if (!seen.insert(rule.name).second) fail(rule, "occurs twice; names must differ");
    check_terms(schema, rule);
    if (!rule.per.empty()) check_divisor(schema, rule);
    if (rule.limit && !std::isfinite(*rule.limit)) {
      fail(rule, fmt::format("the limit {} is not a finite number", format_number(*rule.limit)));
    }
    if (rule.limit && !rule.than.empty()) fail(rule, "is compared with a number and with a sum");
  }
  check_contradictions(schema);
}

std::vector<Relation> encoded_relations(const Codec& codec) {
  std::vector<Relation> relations;
  for (const RelationRule& rule : codec.schema().relations) {
    const double sign = rule.at_least ? -1.0 : 1.0;
    Relation& relation = relations.emplace_back();
    relation.numerator = encoded(codec, rule, rule.sum, sign);
    relation.numerator = encoded(codec, rule, rule.than, -sign, std::move(relation.numerator));
    if (!rule.per.empty()) {
      relation.denominator = encoded(codec, rule, {{rule.per, 1.0}}, 1.0);
    }
    if (rule.limit) relation.limit = sign * *rule.limit;
    if (!rule.than.empty()) relation.limit = 0.0;
  }
  return relations;
}

std::string relation_text(const Schema& schema, const RelationRule& rule) {
  std::string left = sum_text(schema, rule.sum);
  if (!rule.per.empty()) {
    const std::string& label = schema.features[schema.index_of(rule.per)].display_name();
    if (rule.sum.size() > 1) left = "(" + left + ")";
    left += " / " + label;
  }
  const std::string right = rule.limit          ? format_number(*rule.limit)
                            : rule.than.empty() ? std::string("as today")
                                                : sum_text(schema, rule.than);
  return fmt::format("{} at {} {}", left, rule.at_least ? "least" : "most", right);
}

}  // namespace croco
