// SPDX-License-Identifier: Apache-2.0
/// From a point that a search found to the record that is recommended, and back to the point that
/// this record encodes: what is certified is what is reported.
#pragma once

#include <cstddef>
#include <cstdint>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/models/model.hpp>
#include <croco/space/admissible.hpp>

namespace croco {

/// The record that is recommended for a point: decoded, except that what did not change is reported
/// as the person gave it. Values that were missing are reported as they were filled in: they are
/// part of what is certified.
[[nodiscard]] Record recommended_record(const Codec& codec, const Record& present, View origin,
                                        View point);
/// How many features of the schema have changed columns. In encoded data every column is a feature
/// of its own; `changed_features` of the space counts a one-hot group there as one.
[[nodiscard]] std::size_t features_changed(const Codec& codec, View origin, View point);

struct Recommendation {
  Record record;
  Vector point;             ///< that the record encodes
  bool admissible = false;  ///< it keeps the relations and the limit on changes
};

/// How numbers without a step of their own are written.
enum class Digits : std::uint8_t {
  /// As many as the point needs.
  all,
  /// Four of the feature's training range, rounded away from the present value. A number that
  /// would leave its admissible interval ends there. Numbers of encoded data keep all digits.
  few,
};

/// How a point becomes numbers that people read.
struct Writing {
  Rounding rounding;
  Digits digits;
};

/// Whether `few` digits may differ from all of them: some number without a step changed.
[[nodiscard]] bool has_free_numbers(const Codec& codec, View origin, View point);

/// Rounds a point to steps, decodes it, and encodes the record again.
[[nodiscard]] Recommendation recommend(const Codec& codec, const Person& person, View origin,
                                       View point, Writing writing, MissingPolicy missing);

/// Sets what an answer says of its point: score, distances, the number of changed features.
void describe_point(const Model& model, const Codec& codec, Explanation& answer);

}  // namespace croco
