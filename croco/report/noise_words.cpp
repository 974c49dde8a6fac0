// SPDX-License-Identifier: Apache-2.0
#include <croco/report/noise_words.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/noise/sample.hpp>
#include <croco/report/recommended_value.hpp>

namespace croco {
namespace {

/// Features that a phrase names; more are counted.
constexpr std::size_t kMost = 5;
/// What stands for scales that cannot be said by feature.
constexpr std::string_view kPerColumn = "a scale per column";
constexpr std::string_view kNone = "none";

NoiseShape shape_of(const Noise& noise, std::size_t column) {
  return noise.shape == NoiseShape::mixed ? noise.column_shapes[column] : noise.shape;
}

std::string_view meaning(NoiseShape shape) {
  constexpr std::array<std::string_view, 7> kMeanings{"sd",    "within",   "scale", "scale",
                                                      "scale", "about +-", "sd"};
  return kMeanings[static_cast<std::size_t>(shape)];
}

std::string_view kind_of(NoiseShape shape) {
  constexpr std::array<std::string_view, 7> kKinds{"sd",    "half_width", "scale", "scale",
                                                   "scale", "residuals",  "sd"};
  return kKinds[static_cast<std::size_t>(shape)];
}

NoiseOf flips_of(const ReportContext& context, const LevelFlips& flips) {
  const OneHotGroup& group = flips.group();
  const std::vector<Feature>& features = context.codec.schema().features;
  const Feature& feature = features[context.codec.feature_of(group.first)];
  NoiseOf out{.feature = feature.name,
              .name = feature.display_name(),
              .kind = "flip",
              .column = group.first,
              .columns = group.count};
  for (std::size_t k = 1; k < group.count; ++k) {
    // Encoded columns are features of their own.
    const std::size_t other = context.codec.feature_of(group.first + k);
    if (&features[other] == &feature) continue;
    out.feature += " / " + features[other].name;
    out.name += " / " + features[other].display_name();
  }
  double least = 1;
  for (std::size_t level = 0; level < group.count; ++level) {
    double wrong = 0;
    for (std::size_t to = 0; to < group.count; ++to) {
      if (to != level) wrong += flips.probability(level, to);
    }
    least = std::min(least, wrong);
    out.value = std::max(out.value, wrong);
  }
  const bool alike = out.value - least < 1e-9;
  out.text = percent(out.value);
  if (!alike) {
    std::string from = percent(least);
    from.resize(from.find(' '));
    out.text = fmt::format("{} to {} by level", from, out.text);
  }
  return out;
}

/// The share of the training range that all scales are, where it is the same: what many features
/// have in common.
std::optional<double> common_share(const Vector& scales, const Space& space) {
  std::optional<double> out;
  for (std::size_t j = 0; j < scales.size(); ++j) {
    if (scales[j] == 0) continue;
    const double share = scales[j] / space.columns[j].span;
    if (out && std::abs(share - *out) > 1e-12 * *out) return std::nullopt;
    out = share;
  }
  return out;
}

/// The scales of the noisy features in their own units, when these are few.
std::string scales_phrase(const ReportContext& context) {
  const Vector scales = scoped_scales(context.noise, context.codec.space());
  const std::vector<Feature>& features = context.codec.schema().features;
  std::vector<std::string> parts;
  for (std::size_t j = 0; j < scales.size(); ++j) {
    if (scales[j] == 0) continue;
    const std::size_t f = context.codec.feature_of(j);
    if (features[f].type != FeatureType::numeric) return std::string(kPerColumn);
    const std::string value = fmt::format("{:.4g}", scales[j] * context.codec.unit_of(f));
    parts.push_back(fmt::format("{} {} {}", features[f].display_name(),
                                meaning(shape_of(context.noise, j)),
                                with_unit(features[f], value)));
  }
  if (parts.empty()) return std::string(kNone);
  const std::size_t noisy = parts.size();
  if (context.noise.shape == NoiseShape::student_t) {
    parts.push_back(fmt::format("dof {:.4g}", context.noise.degrees_of_freedom));
  }
  if (parts.size() > kMost) {
    const auto share = common_share(scales, context.codec.space());
    if (!share || context.noise.shape == NoiseShape::mixed) {
      return fmt::format("scales of their own on {} features", noisy);
    }
    return fmt::format("{} {:.4g} of the range on {} features", meaning(context.noise.shape),
                       *share, noisy);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string flips_phrase(const ReportContext& context) {
  std::vector<std::string> parts;
  double most = 0;
  for (const LevelFlips& flips : context.noise.flips) {
    const NoiseOf one = flips_of(context, flips);
    parts.push_back(fmt::format("{} {}", one.name, one.text));
    most = std::max(most, one.value);
  }
  if (parts.size() > kMost) {
    return fmt::format("{} wrong categories (up to {} each)", parts.size(), percent(most));
  }
  return fmt::format("wrong categories ({})", fmt::join(parts, ", "));
}

std::string numbers_phrase(const ReportContext& context) {
  const Noise& noise = context.noise;
  const std::string text = noise_text(noise);
  const std::size_t colon = text.find(':');
  std::string kind = text.substr(0, colon) + " noise";
  std::string settings = text.substr(colon + 1);
  for (char& c : settings) c = c == '=' ? ' ' : c;
  // Scales by feature name what is noisy; all other columns are exact.
  const bool by_feature = noise.shape >= NoiseShape::mixed || !noise.column_scales.empty();
  if (by_feature) settings = scales_phrase(context);
  if (noise.shape == NoiseShape::mixed) kind = "noise";
  if (noise.shape == NoiseShape::correlated) kind = "correlated gaussian noise";
  if (noise.shape == NoiseShape::empirical) {
    kind = fmt::format("noise as in {} observed errors", noise.residuals.rows.count());
  }
  const bool named =
      by_feature && noise.scope == NoiseScope::all && settings != kPerColumn && settings != kNone;
  return fmt::format("{}{} ({}){}", noise.falls_short ? "one-sided " : "", kind, settings,
                     named ? "" : fmt::format(" on {} columns", name_of(noise.scope)));
}

}  // namespace

bool is_by_feature(const Noise& noise) {
  return !noise.column_scales.empty() || !noise.flips.empty() || noise.shape >= NoiseShape::mixed;
}

std::vector<NoiseOf> noise_by_feature(const ReportContext& context) {
  const Vector scales = scoped_scales(context.noise, context.codec.space());
  const std::vector<Feature>& features = context.codec.schema().features;
  std::vector<NoiseOf> out;
  for (std::size_t j = 0; j < scales.size(); ++j) {
    if (scales[j] == 0) continue;
    const std::size_t f = context.codec.feature_of(j);
    const bool numeric = features[f].type == FeatureType::numeric;
    const NoiseShape shape = shape_of(context.noise, j);
    NoiseOf one{.feature = numeric ? features[f].name : context.codec.column_names()[j],
                .name = numeric ? features[f].display_name() : context.codec.column_names()[j],
                .kind = std::string(kind_of(shape)),
                .value = numeric ? scales[j] * context.codec.unit_of(f) : scales[j],
                .unit = numeric ? features[f].unit : "",
                .column = j};
    const std::string value = fmt::format("{:.6g}", one.value);
    one.text =
        fmt::format("{} {}", meaning(shape), numeric ? with_unit(features[f], value) : value);
    out.push_back(std::move(one));
  }
  for (const LevelFlips& flips : context.noise.flips) {
    NoiseOf one = flips_of(context, flips);
    one.text = "wrong in " + one.text + " of cases";
    out.push_back(std::move(one));
  }
  return out;
}

std::string noise_phrase(const ReportContext& context) {
  if (context.noise.flips.empty()) return numbers_phrase(context);
  const Vector scales = scoped_scales(context.noise, context.codec.space());
  if (std::ranges::all_of(scales, [](double scale) { return scale == 0; })) {
    return flips_phrase(context);
  }
  return fmt::format("{} and {}", numbers_phrase(context), flips_phrase(context));
}

}  // namespace croco
