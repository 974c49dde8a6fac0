// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/feature_noise.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

/// The one-hot columns of a feature.
OneHotGroup group_of(const Codec& codec, std::size_t feature) {
  const std::size_t column = codec.column_of(feature);
  for (const OneHotGroup& group : codec.space().groups) {
    if (column >= group.first && column < group.first + group.count) return group;
  }
  throw InvalidArgument(
      fmt::format("'{}' is a number, and flips are for categories", codec.column_names()[column]));
}

std::vector<bool> flip_targets(const Codec& codec, std::size_t feature, std::size_t levels) {
  std::vector<bool> out(levels, true);
  const std::vector<std::string>& unseen = codec.scales()[feature].unseen;
  const std::vector<std::string>& names = codec.schema().features[feature].levels;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (std::ranges::find(unseen, names[k]) != unseen.end()) out[k] = false;
  }
  return out;
}

void replace_flips(LevelFlips flips, Noise& noise) {
  std::erase_if(noise.flips,
                [&](const LevelFlips& other) { return other.group() == flips.group(); });
  noise.flips.push_back(std::move(flips));
  // Draws go by the order of the categories: it must not follow the order of the statements.
  std::ranges::sort(noise.flips, {}, [](const LevelFlips& one) { return one.group().first; });
}

/// Whether a number is an answer in disguise, which has no small errors: its schema leaves it
/// two values, or the training data have 0 and 1, 1 and 2 or -1 and 1 alone and the schema says
/// nothing else. Other pairs of numbers may be all that a small data set has of a quantity.
bool has_two_values(const Codec& codec, std::size_t feature) {
  const Feature& one = codec.schema().features[feature];
  if (one.type != FeatureType::numeric) return false;
  const double lower = one.minimum.value_or(codec.scales()[feature].minimum);
  const double upper = one.maximum.value_or(codec.scales()[feature].maximum);
  if (one.step > 0 && one.minimum && one.maximum && upper > lower && upper - lower <= one.step) {
    return true;
  }
  const auto& seen = codec.scales()[feature].distribution;
  if (!seen || seen->values.size() != 2) return false;
  const bool codes =
      (lower == 0 && upper == 1) || (lower == 1 && upper == 2) || (lower == -1 && upper == 1);
  return codes && seen->values[0] == lower && seen->values[1] == upper;
}

/// Noise of one scale on the numbers that can have small errors, in training ranges.
Noise noise_on_quantities(const Codec& codec, Noise noise) {
  noise.scope = NoiseScope::all;
  noise.column_scales = even_noise(codec, noise).column_scales;
  for (std::size_t j = 0; j < codec.width(); ++j) {
    const bool continuous = codec.space().columns[j].continuous;
    if (!continuous || has_two_values(codec, codec.feature_of(j))) noise.column_scales[j] = 0;
  }
  return noise;
}

}  // namespace

bool states_noise(const Schema& schema) {
  return std::ranges::any_of(schema.features,
                             [](const Feature& feature) { return !feature.noise.empty(); });
}

Noise default_noise(const Codec& codec) {
  if (states_noise(codec.schema())) return schema_noise(codec);
  Noise out;
  if (codec.takes_encoded()) return out;
  for (std::size_t feature = 0; feature < codec.schema().features.size(); ++feature) {
    if (has_two_values(codec, feature)) return noise_on_quantities(codec, out);
  }
  out.scope = NoiseScope::continuous;
  return out;
}

Noise exact_noise(const Codec& codec, Noise noise) {
  noise.column_scales.assign(codec.width(), 0.0);
  return noise;
}

Noise even_noise(const Codec& codec, Noise noise) {
  noise.column_scales.clear();
  for (const Column& column : codec.space().columns) {
    noise.column_scales.push_back(noise.scale * column.span);
  }
  return noise;
}

void set_scale(const Codec& codec, std::size_t feature, double scale, ScaleUnit unit,
               Noise& noise) {
  noise.column_scales[codec.column_of(feature)] =
      unit == ScaleUnit::range ? scale * codec.span_of(feature) : scale / codec.unit_of(feature);
}

void set_flip(const Codec& codec, std::size_t feature, double probability, Noise& noise) {
  const OneHotGroup group = group_of(codec, feature);
  LevelFlips flips =
      LevelFlips::uniform(group, probability, flip_targets(codec, feature, group.count));
  if (probability == 0) {
    std::erase_if(noise.flips, [&](const LevelFlips& other) { return other.group() == group; });
  } else {
    replace_flips(std::move(flips), noise);
  }
}

Noise schema_noise(const Codec& codec) {
  Noise noise = exact_noise(codec, {});
  std::vector<NoiseShape> shapes(codec.width(), NoiseShape::gaussian);
  bool normal = false;
  bool bounded = false;
  const std::vector<Feature>& features = codec.schema().features;
  for (std::size_t f = 0; f < features.size(); ++f) {
    const FeatureNoise& stated = features[f].noise;
    if (stated.sd || stated.half_width) {
      set_scale(codec, f, stated.sd.value_or(stated.half_width.value_or(0)), ScaleUnit::own, noise);
      normal = normal || stated.sd;
      bounded = bounded || stated.half_width;
      if (stated.half_width) shapes[codec.column_of(f)] = NoiseShape::uniform;
    } else if (stated.flip) {
      try {
        set_flip(codec, f, *stated.flip, noise);
      } catch (const InvalidArgument& error) {
        throw DataError(fmt::format("feature '{}': noise: {}", features[f].name, error.what()));
      }
    } else if (!stated.transition.empty()) {
      Vector rows;
      for (const auto& row : stated.transition) rows.insert(rows.end(), row.begin(), row.end());
      replace_flips({group_of(codec, f), std::move(rows)}, noise);
    }
  }
  if (bounded) {
    noise.shape = normal ? NoiseShape::mixed : NoiseShape::uniform;
    if (normal) noise.column_shapes = std::move(shapes);
  }
  return noise;
}

}  // namespace croco
