// SPDX-License-Identifier: Apache-2.0
/// How people miss the advice: the distribution of what is really done around what was advised.
///
///     const croco::Noise paper = croco::parse_noise("gaussian:variance=0.01");
///     const croco::Noise numbers{.scale = 0.05, .scope = croco::NoiseScope::continuous};
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/base/types.hpp>
#include <croco/noise/covariance.hpp>
#include <croco/space/level_flips.hpp>

namespace croco {

/// The shape of the noise; what `scale` means for each is behind the dash.
enum class NoiseShape : std::uint8_t {
  gaussian,    ///< standard deviation
  uniform,     ///< half-width: within +- scale
  laplace,     ///< mean absolute deviation, the density being exp(-|e| / scale) / (2 scale)
  student_t,   ///< factor of a Student-t variable with `degrees_of_freedom`
  mixed,       ///< `column_shapes` says which of gaussian, uniform and laplace, by column
  empirical,   ///< a row of `residuals`, each as likely as the others; no scale
  correlated,  ///< gaussian with `covariance`; no scale
};

/// Which encoded columns are noisy.
enum class NoiseScope : std::uint8_t {
  all,         ///< every encoded column, one-hot columns too (as the paper)
  continuous,  ///< the numeric ones
  movable,     ///< the ones that advice may change
  changed,     ///< the ones that the advice at hand does change
};

/// What happened to other people, in encoded units: rows are sampled whole, so that what belongs
/// together stays together.
struct Residuals {
  std::vector<std::size_t> columns = {};  ///< that the rows speak of; the others are exact
  Matrix rows = {};

  bool operator==(const Residuals& other) const {
    return columns == other.columns && rows.data == other.rows.data;
  }
};

/// Noise on encoded columns, independent by column unless it is empirical or correlated, and flips
/// of categories, independent of it and of each other. Plain data: comparable, storable.
struct CROCO_EXPORT Noise {
  NoiseShape shape = NoiseShape::gaussian;
  double scale = 0.1;               ///< in spans of the columns (`Column::span`), >= 0
  double degrees_of_freedom = 5.0;  ///< student_t only, > 0
  /// When not empty, one scale per column, in encoded units, instead of `scale`.
  Vector column_scales = {};
  NoiseScope scope = NoiseScope::all;
  /// One-sided: a column that the advice changes only ever falls short of its new value,
  /// towards (and maybe past) the old one. Columns that stay keep two-sided noise.
  bool falls_short = false;
  std::vector<NoiseShape> column_shapes = {};  ///< mixed only, one per column
  Residuals residuals = {};                    ///< empirical only
  Covariance covariance = {};                  ///< correlated only, encoded units
  /// Categories that are got wrong, whatever the scope and whether or not they may be changed.
  /// Their columns have no other noise.
  std::vector<LevelFlips> flips = {};

  bool operator==(const Noise&) const = default;
};

/// Throws InvalidArgument naming the field, the value and the rule. `width` is the number of
/// encoded columns that `column_scales` must match when given. No noise passes that can give a
/// number beyond kLargestDraw.
CROCO_EXPORT void validate(const Noise& noise, std::size_t width);

/// The same noise, `factor` times as much: of every scale, residual and standard deviation, and of
/// every probability of a flip. 0 <= factor <= 1.
[[nodiscard]] CROCO_EXPORT Noise scaled(Noise noise, double factor);

/// Parses `gaussian:variance=0.01`, `gaussian:sd=0.1`, `uniform:half-width=0.2`,
/// `laplace:scale=0.05`, `student-t:scale=0.1,dof=4`. Throws InvalidArgument with an example.
[[nodiscard]] CROCO_EXPORT Noise parse_noise(std::string_view text);
/// The same back: `gaussian:sd=0.1`; `gaussian:per-column` when scales differ, and the names
/// `mixed`, `empirical` and `correlated` alone. Says nothing of flips.
[[nodiscard]] CROCO_EXPORT std::string noise_text(const Noise& noise);

[[nodiscard]] CROCO_EXPORT std::string_view name_of(NoiseScope scope) noexcept;
/// Throws InvalidArgument naming the text and the scopes there are.
[[nodiscard]] CROCO_EXPORT NoiseScope parse_scope(std::string_view text);

}  // namespace croco
