// SPDX-License-Identifier: Apache-2.0
// Values that records lack: which ones, what fills them, and the codec of those who keep the blank.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/data/cell.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/missing.hpp>

namespace croco {
namespace {

/// Takes the columns out of a sum; whether there were any.
bool take_out(Combination& sum, const std::vector<bool>& columns) {
  return std::erase_if(sum.terms,
                       [&](const Combination::Term& term) { return columns[term.column]; }) > 0;
}

/// What is left of a relation without some of its columns: it may not get worse than today. False
/// when that depends on what is missing.
bool leave_out(Relation& relation, const std::vector<bool>& columns) {
  const bool ratio = !relation.denominator.terms.empty();
  if (take_out(relation.denominator, columns)) {
    // The divisor is above 0 and stays as it is: the sum alone decides.
    take_out(relation.numerator, columns);
    relation.denominator = {{}, 1.0};
    relation.limit.reset();
    return true;
  }
  if (!take_out(relation.numerator, columns)) return true;
  if (ratio) {
    if (!relation.limit) return false;
    // n / d <= limit is n - limit d <= 0, which is linear.
    for (const Combination::Term& term : relation.denominator.terms) {
      if (*relation.limit != 0) {
        relation.numerator.terms.push_back({term.column, -*relation.limit * term.weight});
      }
    }
    relation.denominator = {{}, 1.0};
  }
  relation.limit.reset();
  return true;
}

}  // namespace

bool Codec::is_missing_value(std::size_t index, const std::string& text) const {
  const Feature& feature = schema_.features[index];
  const bool level = feature.type == FeatureType::categorical && cell_level(feature, text);
  return !level && is_missing(text);
}

std::vector<std::size_t> Codec::missing_features(const Record& record) const {
  std::vector<std::size_t> out;
  if (record.size() != schema_.features.size()) return out;
  for (std::size_t k = 0; k < record.size(); ++k) {
    if (is_missing_value(k, record[k])) out.push_back(k);
  }
  return out;
}

bool Codec::stays_missing(std::size_t feature) const noexcept {
  return std::ranges::binary_search(missing_, feature);
}

double Codec::placeholder(std::size_t index, const std::string& text,
                          const std::string& where) const {
  // Of a category, the first level: points of the space have one.
  if (is_missing_value(index, text)) {
    return schema_.features[index].type == FeatureType::categorical ? 1.0 : 0.0;
  }
  throw DataError(
      fmt::format("{}, column '{}': the value is '{}'; it must be missing, as the rest "
                  "of the request has it",
                  where, schema_.features[index].name, text));
}

Codec Codec::with_missing(std::vector<std::size_t> features) const {
  if (features.empty()) return *this;
  Codec codec = *this;
  std::vector<bool> columns(width(), false);
  for (std::size_t j = 0; j < width(); ++j) {
    columns[j] = std::ranges::binary_search(features, feature_of_[j]);
    if (columns[j]) codec.space_.columns[j].movement = Movement::fixed;
  }
  for (OneHotGroup& group : codec.space_.groups) {
    for (std::size_t j = group.first; j < group.first + group.count; ++j) {
      if (!columns[j]) continue;
      if (identity_) {
        throw DataError(fmt::format(
            "column '{}': the value is missing; it is one of several that encode a category, which "
            "cannot be missing in encoded data",
            names_[j]));
      }
      group.moves.clear();
    }
  }
  for (std::size_t i = 0; i < codec.space_.relations.size(); ++i) {
    if (leave_out(codec.space_.relations[i], columns)) continue;
    const RelationRule& rule = schema_.relations[i];
    const auto lacks = std::ranges::find_if(rule.sum, [&](const FeatureTerm& term) {
      return std::ranges::binary_search(features, schema_.index_of(term.feature));
    });
    throw DataError(fmt::format(
        "column '{}': the value is missing; the relation '{}' compares it, divided by '{}', with "
        "today's value, which nobody knows",
        lacks == rule.sum.end() ? rule.sum.front().feature : lacks->feature, rule.name, rule.per));
  }
  codec.missing_ = std::move(features);
  return codec;
}

Record Codec::filled(Record record) const {
  for (std::size_t k = 0; k < record.size(); ++k) {
    if (stays_missing(k) || scales_[k].typical.empty()) continue;
    if (is_missing_value(k, record[k])) record[k] = scales_[k].typical;
  }
  return record;
}

}  // namespace croco
