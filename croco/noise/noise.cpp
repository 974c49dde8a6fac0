// SPDX-License-Identifier: Apache-2.0
#include <croco/noise/noise.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>

namespace croco {
namespace {

constexpr std::array<std::string_view, 4> kShapes{"gaussian", "uniform", "laplace", "student-t"};
constexpr std::array<std::string_view, 4> kScaleKeys{"sd", "half-width", "scale", "scale"};
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

}  // namespace

void validate(const Noise& noise, std::size_t width) {
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
  const auto found = std::ranges::find(kShapes, shape);
  if (found == kShapes.end()) {
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
  text += noise.column_scales.empty()
              ? fmt::format(":{}={}", kScaleKeys[shape], format_number(noise.scale))
              : std::string(":per-column");
  if (noise.shape == NoiseShape::student_t) {
    text += fmt::format(",dof={}", format_number(noise.degrees_of_freedom));
  }
  return text;
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
  Vector scales(space.width(), noise.scale);
  for (std::size_t j = 0; j < scales.size(); ++j) {
    if (!noise.column_scales.empty()) scales[j] = noise.column_scales[j];
    const bool in_scope = noise.scope == NoiseScope::all ||
                          (noise.scope == NoiseScope::continuous && space.columns[j].continuous) ||
                          (noise.scope == NoiseScope::movable && space.movable(j)) ||
                          (noise.scope == NoiseScope::changed && space.movable(j));
    if (!in_scope) scales[j] = 0;
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
