// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/recommendation.hpp>

#include <utility>

#include <croco/data/cell.hpp>
#include <croco/explain/reasons/relation_conflict.hpp>
#include <croco/methods/change/relation_steps.hpp>
#include <croco/space/distance.hpp>

namespace croco {
namespace {

bool changed(const Codec& codec, std::size_t column, std::size_t feature, View origin, View point) {
  return codec.feature_of(column) == feature && origin[column] != point[column];
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

Recommendation recommend(const Codec& codec, const Person& person, View origin, View point,
                         Rounding rounding, MissingPolicy missing) {
  Vector rounded(point.begin(), point.end());
  const bool kept = round_within_relations(codec.space(), origin, rounded, rounding);
  Recommendation out;
  out.record = recommended_record(codec, person.record, origin, rounded);
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
