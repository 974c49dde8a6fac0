// SPDX-License-Identifier: Apache-2.0
/// Noise as people state it, by features and in their own units, and as the mathematics has it, by
/// encoded columns. Names end here.
///
///     croco::Noise noise = croco::exact_noise(codec, {});
///     croco::set_scale(codec, schema.index_of("income"), 200, croco::ScaleUnit::own, noise);
///     croco::set_flip(codec, schema.index_of("housing"), 0.02, noise);
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include <croco/base/export.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/csv.hpp>
#include <croco/noise/noise.hpp>

namespace croco {

/// Whether some feature of the schema states its noise.
[[nodiscard]] CROCO_EXPORT bool states_noise(const Schema& schema);

/// The noise that the schema's features state; the others are exact. Throws DataError when flips of
/// a category have no level to go to that occurs in the training data.
[[nodiscard]] CROCO_EXPORT Noise schema_noise(const Codec& codec);

/// Who says what the noise is.
enum class NoiseSource : std::uint8_t {
  given,    ///< the caller
  schema,   ///< the schema's features
  assumed,  ///< nobody
};

/// The noise of a run that says none: what the schema states, or else what is assumed, Gaussian
/// with a standard deviation of .1 training ranges on every number with more than two values (of
/// encoded data on every column, as in the paper).
[[nodiscard]] CROCO_EXPORT Noise default_noise(const Codec& codec);

/// Independent noise of this shape on features that are stated one by one: no scale yet.
[[nodiscard]] CROCO_EXPORT Noise exact_noise(const Codec& codec, Noise noise);
/// Independent noise of this shape with its one scale, in training ranges, on every feature.
[[nodiscard]] CROCO_EXPORT Noise even_noise(const Codec& codec, Noise noise);
/// What a scale is stated in.
enum class ScaleUnit : std::uint8_t {
  own,    ///< the feature's own units
  range,  ///< ranges of the feature in the training data
};
/// The scale of a numeric feature. `noise` has a scale per column.
CROCO_EXPORT void set_scale(const Codec& codec, std::size_t feature, double scale, ScaleUnit unit,
                            Noise& noise);
/// Flips a category with a probability, uniformly to the other levels that occur in the training
/// data; 0 takes flips away. With an identity codec the feature may be any column of a one-hot
/// group. Throws InvalidArgument for a number, a probability out of range, nowhere to flip to.
CROCO_EXPORT void set_flip(const Codec& codec, std::size_t feature, double probability,
                           Noise& noise);

/// Residuals at most, rows times columns: certificates hold them all.
inline constexpr std::size_t kMaxResiduals = 200'000;
/// Empirical noise: each row of the table is what happened to somebody, in the features' own units,
/// or in encoded units for columns named `feature:encoded`. Throws DataError naming the line and
/// column: not a numeric feature, not a finite number, named twice, no rows, too many numbers.
[[nodiscard]] CROCO_EXPORT Noise residual_noise(const Codec& codec, const CsvTable& table);

/// Correlated Gaussian noise from a covariance in own units: a JSON file `{"features": [...],
/// "covariance": [[...]]}`, or else CSV with the features in the header and a row for each in the
/// same order, named in a first column `feature` or not. Throws DataError naming what is wrong.
[[nodiscard]] CROCO_EXPORT Noise read_covariance_noise(const Codec& codec,
                                                       const std::filesystem::path& path);

}  // namespace croco
