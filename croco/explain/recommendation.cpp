// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/recommendation.hpp>

#include <cmath>
#include <utility>

#include <croco/data/cell.hpp>
#include <croco/data/decimal.hpp>
#include <croco/explain/reasons/relation_conflict.hpp>
#include <croco/methods/change/relation_steps.hpp>
#include <croco/space/distance.hpp>

namespace croco {
namespace {

bool changed(const Codec& codec, std::size_t column, std::size_t feature, View origin, View point) {
  return codec.feature_of(column) == feature && origin[column] != point[column];
}

/// Whether a feature is a number in its own units that may take every value.
bool is_free_number(const Codec& codec, std::size_t feature) {
  const Feature& one = codec.schema().features[feature];
  return !codec.takes_encoded() && one.type == FeatureType::numeric && one.step == 0;
}

/// The last of four digits of a training range: 0.001 for a range of 1 to 9.99.
double last_digit(const FeatureScale& scale) {
  const double range = scale.maximum - scale.minimum;
  return range > 0 && std::isfinite(range) ? std::pow(10.0, std::floor(std::log10(range)) - 3) : 0;
}

/// The record with fewer digits of the numbers that changed from `before` and have no step.
void shorten(const Codec& codec, const Record& before, View origin, View point, Record& record) {
  for (std::size_t feature = 0; feature < record.size(); ++feature) {
    const std::size_t j = codec.column_of(feature);
    if (!is_free_number(codec, feature) || record[feature] == before[feature]) continue;
    const double digit = last_digit(codec.scales()[feature]);
    const double value = codec.decode_number(feature, point[j]);
    // Beside a much larger value the digits of the range are lost in its rounding.
    if (digit == 0 || digit < 1e-12 * std::abs(value)) continue;
    constexpr double kOnDigit = 1e-6;
    const double count = value / digit;
    const double outward =
        point[j] > origin[j] ? std::ceil(count - kOnDigit) : std::floor(count + kOnDigit);
    const Interval allowed = admissible_interval(codec.space().columns[j], origin[j]);
    const double lower = codec.decode_number(feature, allowed.lower);
    const double upper = codec.decode_number(feature, allowed.upper);
    const std::string text = multiple_text(outward, digit);
    const double written = cell_number(text).value_or(value);
    if (written < lower || written > upper) continue;
    // As everywhere, a change that is lost in the digits is none: 1.90 stays 1.90 and is not 1.9.
    record[feature] = written == cell_number(before[feature]) ? before[feature] : text;
  }
}

}  // namespace

Record recommended_record(const Codec& codec, const Record& present, View origin, View point) {
  // What is certified is what is reported: a value that was filled in is part of the advice.
  const Record before = codec.filled(present);
  Record record = codec.decode(point);
  for (std::size_t feature = 0; feature < record.size(); ++feature) {
    bool moved = false;
    for (std::size_t j = 0; j < point.size(); ++j) {
      moved = moved || changed(codec, j, feature, origin, point);
    }
    // A change that is lost in the digits that are reported is none.
    if (codec.schema().features[feature].type == FeatureType::numeric) {
      moved = moved && cell_number(record[feature]) != cell_number(before[feature]);
    }
    if (!moved) record[feature] = before[feature];
  }
  return record;
}

std::size_t features_changed(const Codec& codec, View origin, View point) {
  std::size_t count = 0;
  std::size_t last = codec.schema().features.size();
  for (std::size_t j = 0; j < point.size(); ++j) {
    if (origin[j] != point[j] && codec.feature_of(j) != last) {
      last = codec.feature_of(j);
      ++count;
    }
  }
  return count;
}

bool has_free_numbers(const Codec& codec, View origin, View point) {
  for (std::size_t feature = 0; feature < codec.schema().features.size(); ++feature) {
    const std::size_t j = codec.column_of(feature);
    if (is_free_number(codec, feature) && origin[j] != point[j]) return true;
  }
  return false;
}

Recommendation recommend(const Codec& codec, const Person& person, View origin, View point,
                         Writing writing, MissingPolicy missing) {
  Vector rounded(point.begin(), point.end());
  const bool kept = round_within_relations(codec.space(), origin, rounded, writing.rounding);
  Recommendation out;
  out.record = recommended_record(codec, person.record, origin, rounded);
  if (writing.digits == Digits::few) {
    shorten(codec, codec.filled(person.record), origin, rounded, out.record);
  }
  out.point = codec.encode(out.record, place_of(person), missing);
  out.admissible = kept && broken_relations(codec.space(), origin, out.point).empty() &&
                   features_changed(codec, origin, out.point) <= codec.space().most_changed;
  return out;
}

void describe_point(const Model& model, const Codec& codec, Explanation& answer) {
  answer.score = sigmoid(model.logit(answer.point));
  answer.distance = distances(codec.space(), answer.origin, answer.point);
  answer.features_changed = features_changed(codec, answer.origin, answer.point);
}

}  // namespace croco
