// SPDX-License-Identifier: Apache-2.0
#include <croco/noise/noise.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>

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
    if (std::isfinite(value)) continue;
    throw InvalidArgument(
        fmt::format("a residual of the empirical noise is {}; it must be a finite number", value));
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
      double squares = 0;
      for (std::size_t k = 0; k < residuals.rows.count(); ++k) {
        squares += residuals.rows[k][i] * residuals.rows[k][i];
      }
      scales[residuals.columns[i]] =
          std::sqrt(squares / static_cast<double>(residuals.rows.count()));
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
