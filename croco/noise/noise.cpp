// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/noise/sample.hpp>

namespace croco {
namespace {

constexpr std::array<std::string_view, 7> kShapes{"gaussian", "uniform",   "laplace",   "student-t",
                                                  "mixed",    "empirical", "correlated"};
/// Shapes that a text can say in full.
constexpr std::size_t kWritten = 4;
constexpr std::array<std::string_view, 5> kScaleKeys{"sd", "half-width", "scale", "scale", "scale"};
constexpr std::array<std::string_view, 4> kScopes{"all", "continuous", "movable", "changed"};

void require_scale(double scale, std::string_view what) {
  if (!(scale >= 0) || !std::isfinite(scale)) {
    throw InvalidArgument(fmt::format(
        "{} of the noise is {}; it must be a finite number of at least 0", what, scale));
  }
}

/// A draw that is not a number, or too large for one, has no answer that could be counted.
void require_drawable(double scale, NoiseShape shape, double degrees_of_freedom) {
  const double largest = scale * largest_standard_draw(shape, degrees_of_freedom);
  if (largest <= kLargestDraw) return;
  throw InvalidArgument(fmt::format(
      "{} of the noise is {}; it can draw numbers up to {:.2g}, and no number may be larger than "
      "{:g} (in encoded units)",
      kScaleKeys[static_cast<std::size_t>(shape)], scale, largest, kLargestDraw));
}

NoiseShape shape_of(const Noise& noise, std::size_t column) {
  return noise.shape == NoiseShape::mixed ? noise.column_shapes[column] : noise.shape;
}

/// The largest draw of a column among these correlated ones.
double correlated_draw(double variance, std::size_t columns) {
  return std::sqrt(variance) * std::sqrt(static_cast<double>(columns)) *
         largest_standard_draw(NoiseShape::gaussian, 0);
}

/// The root of the mean of squares, whose squares may be too small or too large for numbers.
double root_mean_square(const Residuals& residuals, std::size_t column) {
  const Matrix& rows = residuals.rows;
  double largest = 0;
  for (std::size_t k = 0; k < rows.count(); ++k) {
    largest = std::max(largest, std::abs(rows[k][column]));
  }
  if (largest == 0) return 0;
  // A power of two: nothing is rounded that would not be without.
  const int exponent = std::ilogb(largest);
  double squares = 0;
  for (std::size_t k = 0; k < rows.count(); ++k) {
    const double value = std::ldexp(rows[k][column], -exponent);
    squares += value * value;
  }
  const double root = std::sqrt(squares / static_cast<double>(rows.count()));
  return std::max(std::ldexp(root, exponent), std::numeric_limits<double>::denorm_min());
}

struct Setting {
  std::string_view key;
  double value = 0;
};

Setting parse_setting(std::string_view text, std::string_view whole) {
  const std::size_t equals = text.find('=');
  const auto value =
      equals == std::string_view::npos ? std::nullopt : parse_number(text.substr(equals + 1));
  if (!value) {
    throw InvalidArgument(
        fmt::format("noise '{}': '{}' must be a setting such as variance=0.01", whole, text));
  }
  return {trimmed(text.substr(0, equals)), *value};
}

/// The columns of joint noise must be there, and once.
void require_columns(const std::vector<std::size_t>& columns, std::size_t width,
                     std::string_view shape) {
  std::vector<bool> seen(width, false);
  for (const std::size_t column : columns) {
    if (column >= width || seen[column]) {
      throw InvalidArgument(fmt::format(
          "the {} noise names column {} {}; the model has {} columns, and each may occur once",
          shape, column, column < width ? "twice" : "(from 0)", width));
    }
    seen[column] = true;
  }
}

void validate_joint(const Noise& noise, std::size_t width) {
  if (noise.shape == NoiseShape::correlated) {
    if (noise.covariance.columns().empty()) {
      throw InvalidArgument("the correlated noise has no covariance");
    }
    require_columns(noise.covariance.columns(), width, "correlated");
    const std::size_t columns = noise.covariance.columns().size();
    for (std::size_t i = 0; i < columns; ++i) {
      const double variance = noise.covariance.matrix()[i][i];
      const double largest = correlated_draw(variance, columns);
      if (largest <= kLargestDraw) continue;
      throw InvalidArgument(fmt::format(
          "a variance of the correlated noise is {}; it can draw numbers up to {:.2g}, and no "
          "number may be larger than {:g} (in encoded units)",
          variance, largest, kLargestDraw));
    }
    return;
  }
  const Residuals& residuals = noise.residuals;
  if (residuals.rows.count() == 0 || residuals.rows.width != residuals.columns.size()) {
    throw InvalidArgument(
        fmt::format("the empirical noise has {} residuals of {} numbers for {} columns; it needs "
                    "at least one, and a number for each column",
                    residuals.rows.count(), residuals.rows.width, residuals.columns.size()));
  }
  require_columns(residuals.columns, width, "empirical");
  for (const double value : residuals.rows.data) {
    if (std::abs(value) <= kLargestDraw) continue;
    throw InvalidArgument(
        fmt::format("a residual of the empirical noise is {}; it must be a finite number of at "
                    "most {:g} (in encoded units)",
                    value, kLargestDraw));
  }
}

void validate_flips(const std::vector<LevelFlips>& flips, std::size_t width) {
  constexpr std::size_t kMost = 1U << 16U;
  if (flips.size() > kMost) {
    throw InvalidArgument(
        fmt::format("the noise flips {} categories; at most {}", flips.size(), kMost));
  }
  std::vector<bool> seen(width, false);
  for (const LevelFlips& category : flips) {
    const OneHotGroup& group = category.group();
    if (group.first > width || group.count > width - group.first) {
      throw InvalidArgument(
          fmt::format("the noise flips columns {} .. {}; the model has {} columns", group.first,
                      group.first + group.count - 1, width));
    }
    for (std::size_t j = group.first; j < group.first + group.count; ++j) {
      if (seen[j]) {
        throw InvalidArgument(
            fmt::format("the noise flips column {} in two categories; each belongs to one", j));
      }
      seen[j] = true;
    }
  }
}

void validate_mixed(const Noise& noise, std::size_t width) {
  if (noise.column_shapes.size() != width || noise.column_scales.size() != width) {
    throw InvalidArgument(
        fmt::format("the mixed noise has {} column shapes and {} column scales; the model has {} "
                    "columns",
                    noise.column_shapes.size(), noise.column_scales.size(), width));
  }
  for (const NoiseShape shape : noise.column_shapes) {
    if (shape <= NoiseShape::laplace) continue;
    throw InvalidArgument(fmt::format(
        "the mixed noise has a column of shape {}; it must be gaussian, uniform or laplace",
        kShapes[static_cast<std::size_t>(shape)]));
  }
}

bool is_joint(NoiseShape shape) noexcept {
  return shape == NoiseShape::empirical || shape == NoiseShape::correlated;
}

}  // namespace

void validate(const Noise& noise, std::size_t width) {
  validate_flips(noise.flips, width);
  if (is_joint(noise.shape)) {
    validate_joint(noise, width);
    return;
  }
  if (noise.shape == NoiseShape::mixed) validate_mixed(noise, width);
  if (noise.column_scales.empty()) {
    require_scale(noise.scale, kScaleKeys[static_cast<std::size_t>(noise.shape)]);
  } else if (noise.column_scales.size() != width) {
    throw InvalidArgument(fmt::format("the noise has {} column scales; the model has {} columns",
                                      noise.column_scales.size(), width));
  }
  for (const double scale : noise.column_scales) {
    require_scale(scale, kScaleKeys[static_cast<std::size_t>(noise.shape)]);
  }
  if (noise.shape == NoiseShape::student_t &&
      (!(noise.degrees_of_freedom > 0) || !std::isfinite(noise.degrees_of_freedom))) {
    throw InvalidArgument(
        fmt::format("dof of the noise is {}; it must be a finite number greater than 0",
                    noise.degrees_of_freedom));
  }
  if (noise.shape == NoiseShape::student_t &&
      !(largest_standard_draw(noise.shape, noise.degrees_of_freedom) <= kLargestDraw)) {
    throw InvalidArgument(
        fmt::format("dof of the noise is {}; it can draw numbers beyond {:g}; with 0.1 or more it "
                    "cannot",
                    noise.degrees_of_freedom, kLargestDraw));
  }
  if (noise.column_scales.empty() && noise.shape != NoiseShape::mixed) {
    require_drawable(noise.scale, noise.shape, noise.degrees_of_freedom);
  }
  for (std::size_t j = 0; j < noise.column_scales.size(); ++j) {
    require_drawable(noise.column_scales[j], shape_of(noise, j), noise.degrees_of_freedom);
  }
}

double largest_draw(const Noise& noise) {
  double largest = 0;
  if (noise.shape == NoiseShape::empirical) {
    for (const double value : noise.residuals.rows.data) {
      largest = std::max(largest, std::abs(value));
    }
    return largest;
  }
  if (noise.shape == NoiseShape::correlated) {
    const std::size_t columns = noise.covariance.columns().size();
    for (std::size_t i = 0; i < columns; ++i) {
      largest = std::max(largest, correlated_draw(noise.covariance.matrix()[i][i], columns));
    }
    return largest;
  }
  if (noise.column_scales.empty()) {
    return noise.scale * largest_standard_draw(noise.shape, noise.degrees_of_freedom);
  }
  for (std::size_t j = 0; j < noise.column_scales.size(); ++j) {
    largest =
        std::max(largest, noise.column_scales[j] *
                              largest_standard_draw(shape_of(noise, j), noise.degrees_of_freedom));
  }
  return largest;
}

Noise parse_noise(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view shape = trimmed(text.substr(0, colon));
  const auto* const end = kShapes.begin() + kWritten;
  const auto* const found = std::find(kShapes.begin(), end, shape);
  if (found == end) {
    throw InvalidArgument(fmt::format(
        "noise '{}': the shape '{}' must be gaussian, uniform, laplace or student-t, as in "
        "gaussian:variance=0.01",
        text, shape));
  }
  Noise noise;
  noise.shape = static_cast<NoiseShape>(found - kShapes.begin());
  const std::string_view scale_key = kScaleKeys[static_cast<std::size_t>(noise.shape)];
  std::string_view rest =
      colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const auto [key, value] = parse_setting(rest.substr(0, comma), text);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    if (key == scale_key) {
      noise.scale = value;
    } else if (key == "variance" && noise.shape == NoiseShape::gaussian) {
      if (!(value >= 0)) {
        throw InvalidArgument(fmt::format(
            "variance of the noise is {}; it must be a finite number of at least 0", value));
      }
      noise.scale = std::sqrt(value);
    } else if (key == "dof" && noise.shape == NoiseShape::student_t) {
      noise.degrees_of_freedom = value;
    } else {
      throw InvalidArgument(
          fmt::format("noise '{}': {} noise has no setting '{}'; it has {}", text, shape, key,
                      noise.shape == NoiseShape::gaussian    ? "variance and sd"
                      : noise.shape == NoiseShape::student_t ? "scale and dof"
                                                             : std::string(scale_key)));
    }
  }
  validate(noise, 0);
  return noise;
}

std::string noise_text(const Noise& noise) {
  const auto shape = static_cast<std::size_t>(noise.shape);
  std::string text(kShapes[shape]);
  if (shape >= kWritten) return text;
  text += noise.column_scales.empty()
              ? fmt::format(":{}={}", kScaleKeys[shape], format_number(noise.scale))
              : std::string(":per-column");
  if (noise.shape == NoiseShape::student_t) {
    text += fmt::format(",dof={}", format_number(noise.degrees_of_freedom));
  }
  return text;
}

Noise scaled(Noise noise, double factor) {
  noise.scale *= factor;
  for (double& scale : noise.column_scales) scale *= factor;
  for (double& residual : noise.residuals.rows.data) residual *= factor;
  if (!noise.covariance.columns().empty()) {
    Matrix matrix = noise.covariance.matrix();
    for (double& value : matrix.data) value *= factor * factor;
    noise.covariance = Covariance(noise.covariance.columns(), std::move(matrix));
  }
  for (LevelFlips& category : noise.flips) category = category.scaled(factor);
  return noise;
}

std::string_view name_of(NoiseScope scope) noexcept {
  return kScopes[static_cast<std::size_t>(scope)];
}

NoiseScope parse_scope(std::string_view text) {
  const auto found = std::ranges::find(kScopes, text);
  if (found == kScopes.end()) {
    throw InvalidArgument(
        fmt::format("noise-on is '{}'; it must be all, continuous, movable or changed", text));
  }
  return static_cast<NoiseScope>(found - kScopes.begin());
}

Vector scoped_scales(const Noise& noise, const Space& space) {
  Vector scales(space.width());
  if (noise.shape == NoiseShape::correlated) {
    const Covariance& covariance = noise.covariance;
    for (std::size_t i = 0; i < covariance.columns().size(); ++i) {
      scales[covariance.columns()[i]] = std::sqrt(covariance.matrix()[i][i]);
    }
  } else if (noise.shape == NoiseShape::empirical) {
    const Residuals& residuals = noise.residuals;
    for (std::size_t i = 0; i < residuals.columns.size(); ++i) {
      scales[residuals.columns[i]] = root_mean_square(residuals, i);
    }
  }
  for (std::size_t j = 0; j < scales.size(); ++j) {
    if (!is_joint(noise.shape)) {
      scales[j] = noise.column_scales.empty() ? noise.scale * space.columns[j].span
                                              : noise.column_scales[j];
    }
    const bool in_scope = noise.scope == NoiseScope::all ||
                          (noise.scope == NoiseScope::continuous && space.columns[j].continuous) ||
                          (noise.scope == NoiseScope::movable && space.movable(j)) ||
                          (noise.scope == NoiseScope::changed && space.movable(j));
    if (!in_scope) scales[j] = 0;
  }
  for (const LevelFlips& category : noise.flips) {
    const OneHotGroup& group = category.group();
    for (std::size_t j = group.first; j < group.first + group.count; ++j) scales[j] = 0;
  }
  return scales;
}

void fit_to_point(const Noise& noise, View origin, View point, MutableView draw) noexcept {
  for (std::size_t j = 0; j < draw.size(); ++j) {
    const double change = point[j] - origin[j];
    if (change == 0) {
      if (noise.scope == NoiseScope::changed) draw[j] = 0;
    } else if (noise.falls_short) {
      draw[j] = change > 0 ? -std::abs(draw[j]) : std::abs(draw[j]);
    }
  }
}

}  // namespace croco
