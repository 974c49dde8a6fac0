// SPDX-License-Identifier: Apache-2.0
/// How often noise undoes told advice, by the plainest way there is: the record is spoilt in its
/// own units, re-encoded and put to the model. Shares no code with the library's draws.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <croco/base/normal.hpp>
#include <croco/explain/explanation.hpp>
#include <tests/explain/random_worlds.hpp>
#include <tests/explain/record_rules.hpp>

namespace croco::naive {

/// A sampler that is wrong in one way, to see that the comparison would notice.
enum class Mistake : std::uint8_t { none, no_flips, lost_levels, clipped_numbers };
inline constexpr std::size_t kMistakes = 4;

/// Draws in own units around a told record, by another generator; how many undo the answer.
class Sampler {
 public:
  Sampler(const worlds::World& world, const Explanation& answer) : world_(world) {
    const std::vector<Feature>& features = world.codec.schema().features;
    for (std::size_t k = 0; k < features.size(); ++k) {
      if (features[k].type == FeatureType::numeric) {
        numbers_.push_back(number_of(k, answer));
      } else {
        categories_.push_back(category_of(k, answer));
      }
    }
  }

  [[nodiscard]] std::size_t count(std::size_t samples, Mistake mistake, std::mt19937_64& random) {
    std::size_t invalid = 0;
    for (std::size_t k = 0; k < samples; ++k) {
      draw(mistake, random);
      invalid += world_.options.goal.reached(world_.model->logit(copy_)) ? 0U : 1U;
    }
    return invalid;
  }

 private:
  struct Number {
    double told;  ///< own units
    double sd;
    double half_width;
    double side;  ///< the only way that an error goes, or 0
    FeatureScale scale;
  };
  struct Category {
    std::size_t told;
    Vector chances;  ///< of each level
  };

  [[nodiscard]] Number number_of(std::size_t k, const Explanation& answer) const {
    const Feature& feature = world_.codec.schema().features[k];
    const Noise& noise = *world_.options.noise;
    const double before = std::stod(answer.before[k]);
    Number out{std::stod(answer.after[k]), feature.noise.sd.value_or(0),
               feature.noise.half_width.value_or(0), 0, world_.codec.scales()[k]};
    const bool exact =
        (noise.scope == NoiseScope::movable && feature.movement == Movement::fixed) ||
        (noise.scope == NoiseScope::changed && out.told == before);
    if (exact) out.sd = out.half_width = 0;
    if (noise.falls_short && out.told != before) out.side = out.told > before ? -1 : 1;
    return out;
  }

  [[nodiscard]] Category category_of(std::size_t k, const Explanation& answer) const {
    const Feature& feature = world_.codec.schema().features[k];
    const std::vector<std::string>& unseen = world_.codec.scales()[k].unseen;
    Category out{rules::index_in(feature.levels, answer.after[k]), Vector(feature.levels.size())};
    if (!feature.noise.transition.empty()) {
      out.chances = feature.noise.transition[out.told];
      return out;
    }
    out.chances[out.told] = 1;
    if (!feature.noise.flip) return out;
    std::vector<std::size_t> others;
    for (std::size_t l = 0; l < feature.levels.size(); ++l) {
      const bool occurs = std::ranges::find(unseen, feature.levels[l]) == unseen.end();
      if (l != out.told && occurs) others.push_back(l);
    }
    for (const std::size_t l : others) {
      out.chances[l] = *feature.noise.flip / static_cast<double>(others.size());
      out.chances[out.told] -= out.chances[l];
    }
    return out;
  }

  void draw(Mistake mistake, std::mt19937_64& random) {
    copy_.clear();
    for (const Number& number : numbers_) {
      double error = number.sd * normal_(random) + number.half_width * (2 * uniform_(random) - 1);
      if (number.side != 0) error = number.side * std::abs(error);
      double value = number.told + error;
      const FeatureScale& scale = number.scale;
      if (mistake == Mistake::clipped_numbers) {
        value = std::clamp(value, scale.minimum, scale.maximum);
      }
      const double range = scale.maximum - scale.minimum;
      copy_.push_back((value - scale.minimum) / (range == 0 ? 1 : range));
    }
    for (const Category& category : categories_) {
      double left = uniform_(random);
      std::size_t to = 0;
      while (to + 1 < category.chances.size() && (left -= category.chances[to]) >= 0) ++to;
      const bool lost = mistake == Mistake::lost_levels && to != category.told;
      if (mistake == Mistake::no_flips) to = category.told;
      for (std::size_t l = 0; l < category.chances.size(); ++l) {
        copy_.push_back(l == to && !lost ? 1 : 0);
      }
    }
  }

  const worlds::World& world_;
  Vector copy_;
  std::vector<Number> numbers_;
  std::vector<Category> categories_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

/// `P(margin < 0)` of a linear model under independent Gaussian noise.
inline double exact_rate(const worlds::World& world, const Explanation& answer) {
  const auto& model = dynamic_cast<const Mlp&>(*world.model);
  const Vector& weights = model.layers().front().weight;
  double square = 0;
  std::size_t j = 0;
  const std::vector<Feature>& features = world.codec.schema().features;
  for (std::size_t k = 0; k < features.size(); ++k) {
    if (features[k].type != FeatureType::numeric) continue;
    const bool noisy = world.options.noise->scope != NoiseScope::movable ||
                       features[k].movement != Movement::fixed;
    const double range = world.codec.scales()[k].maximum - world.codec.scales()[k].minimum;
    const double sd = features[k].noise.sd.value_or(0) / (range == 0 ? 1 : range);
    if (noisy) square += sd * sd * weights[j] * weights[j];
    ++j;
  }
  const double margin = world.options.goal.margin(model.logit(answer.point));
  if (square == 0) return margin > 0 ? 0 : 1;
  return normal_cdf(-margin / std::sqrt(square));
}

}  // namespace croco::naive
