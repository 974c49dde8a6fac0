// SPDX-License-Identifier: Apache-2.0
/// Schemas, rules, noise, models and people at random, of every kind that a schema can state: what
/// a few written examples forget to combine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/random.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/explain/feature_noise.hpp>
#include <croco/noise/sample.hpp>
#include <croco/space/admissible.hpp>
#include <tests/fixtures.hpp>
#include <tests/people.hpp>

namespace croco::worlds {

/// A schema that was refused, and why.
struct Refused {
  Schema schema;
  std::string reason;
};

struct World {
  Codec codec;
  std::shared_ptr<const Model> model;
  ExplainOptions options;
  std::vector<Person> people;
  std::vector<Refused> refused = {};  ///< the same schema with more relations
};

/// Chooses with the numbers of one stream.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_({seed, Purpose::train, 77'000}) {}

  [[nodiscard]] double uniform() { return random_.uniform(); }
  [[nodiscard]] bool chance(double probability) { return uniform() < probability; }
  [[nodiscard]] double between(double low, double high) { return low + (high - low) * uniform(); }
  /// The same to a few decimals, as people write numbers.
  [[nodiscard]] double written(double low, double high, int decimals = 2) {
    return std::stod(fmt::format("{:.{}f}", between(low, high), decimals));
  }
  [[nodiscard]] std::size_t below(std::size_t bound) {
    return random_.below(static_cast<std::uint32_t>(bound));
  }
  template <typename Values>
  [[nodiscard]] auto one_of(const Values& values) {
    return values[below(values.size())];
  }

 private:
  Sequence random_;
};

inline Feature random_number(Dice& dice, std::size_t index, FeatureScale& scale) {
  constexpr std::array<Movement, 8> kMovements{Movement::both, Movement::both, Movement::both,
                                               Movement::up,   Movement::up,   Movement::down,
                                               Movement::down, Movement::fixed};
  constexpr std::array<double, 5> kSteps{0, 0, 1, 50, 0.1};
  Feature feature;
  feature.name = fmt::format("number {}", index);
  feature.movement = dice.one_of(kMovements);
  feature.step = dice.one_of(kSteps);
  const double size = feature.step > 0 ? feature.step : std::pow(10.0, dice.between(-1, 4));
  const double range = size * (feature.step > 0 ? std::pow(10.0, dice.between(0.3, 2.3)) : 1);
  scale.minimum = dice.chance(0.5) ? 0 : dice.written(-2 * range, 2 * range);
  scale.maximum = scale.minimum + std::max(0.01, dice.written(0.9 * range, 1.1 * range));
  if (dice.chance(0.03)) scale.maximum = scale.minimum;  // everybody has the same value
  feature.cost = dice.chance(0.4) ? 1.0 : dice.written(0.2, 4);
  if (dice.chance(0.15)) feature.touch_cost = dice.written(0, 0.3);
  if (dice.chance(0.6)) {
    feature.minimum = scale.minimum - dice.written(0, 0.4 * range);
    if (dice.chance(0.1)) feature.minimum = scale.minimum + dice.written(0, 0.3 * range);
  }
  if (dice.chance(0.6)) {
    feature.maximum = scale.maximum + dice.written(0, 0.4 * range);
    if (dice.chance(0.1)) feature.maximum = scale.maximum - dice.written(0, 0.3 * range);
  }
  // What was added up is to be as short as it was written.
  for (std::optional<double>* end : {&feature.minimum, &feature.maximum}) {
    if (*end) *end = std::stod(fmt::format("{:.2f}", **end));
  }
  if (dice.chance(0.25)) {
    feature.max_change = std::max(0.01, dice.written(0.05 * range, range));
  }
  const double kind = dice.uniform();
  if (kind < 0.5) {
    feature.noise.sd = dice.between(0, 0.06) * range;
  } else if (kind < 0.7) {
    feature.noise.half_width = dice.between(0, 0.1) * range;
  }
  return feature;
}

inline std::vector<std::vector<double>> random_matrix(Dice& dice, std::size_t levels) {
  std::vector<std::vector<double>> rows(levels, std::vector<double>(levels));
  for (std::size_t from = 0; from < levels; ++from) {
    double left = dice.between(0, 0.2);
    rows[from][from] = 1 - left;
    for (std::size_t to = 0; to < levels; ++to) {
      if (to == from || dice.chance(0.3)) continue;
      const double share = left * dice.uniform();
      rows[from][to] += share;
      left -= share;
    }
    rows[from][(from + 1) % levels] += left;
  }
  return rows;
}

inline Feature random_category(Dice& dice, std::size_t index, FeatureScale& scale) {
  constexpr std::array<Movement, 4> kMovements{Movement::fixed, Movement::both, Movement::up,
                                               Movement::down};
  Feature feature;
  feature.name = fmt::format("category {}", index);
  feature.type = FeatureType::categorical;
  feature.movement = dice.one_of(kMovements);
  feature.cost = dice.written(0.02, 0.6);
  if (dice.chance(0.15)) feature.touch_cost = dice.written(0, 0.3);
  const std::size_t levels = 2 + dice.below(4);
  for (std::size_t k = 0; k < levels; ++k) feature.levels.push_back(fmt::format("level {}", k));
  if (dice.chance(0.3)) {
    feature.movement = Movement::both;
    for (std::size_t from = 0; from < levels; ++from) {
      for (std::size_t to = 0; to < levels; ++to) {
        if (from == to || !dice.chance(0.4)) continue;
        CategoryMove move{feature.levels[from], feature.levels[to]};
        if (dice.chance(0.7)) move.cost = dice.written(0.01, 0.8);
        feature.moves.push_back(std::move(move));
      }
    }
  }
  if (levels > 2 && dice.chance(0.4)) scale.unseen = {feature.levels[dice.below(levels)]};
  const double kind = dice.uniform();
  if (kind < 0.5) {
    feature.noise.flip = dice.between(0, 0.12);
  } else if (kind < 0.75) {
    feature.noise.transition = random_matrix(dice, levels);
  }
  return feature;
}

/// A rule about the numbers of a schema that `near` is not far from keeping.
inline RelationRule random_relation(Dice& dice, const Schema& schema, const Vector& near,
                                    std::size_t index) {
  RelationRule rule;
  rule.name = fmt::format("relation {}", index);
  rule.at_least = dice.chance(0.4);
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < near.size(); ++k) {
    if (schema.features[k].type == FeatureType::numeric) numbers.push_back(k);
  }
  double sum = 0;
  double size = 0;
  const auto take = [&](std::vector<FeatureTerm>& side, double sign) {
    const std::size_t place = dice.below(numbers.size());
    const std::size_t k = numbers[place];
    numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(place));
    const double weight = dice.chance(0.5) ? 1.0 : dice.written(-2, 2) + 0.005;
    side.push_back({schema.features[k].name, weight});
    sum += sign * weight * near[k];
    size += std::abs(weight * near[k]);
  };
  for (std::size_t terms = 1 + dice.below(3); terms > 0 && !numbers.empty(); --terms) {
    take(rule.sum, 1);
  }
  const double kind = dice.uniform();
  if (kind < 0.25 && !numbers.empty()) {
    const std::size_t k = dice.one_of(numbers);
    const Feature& divisor = schema.features[k];
    const bool falls = divisor.movement == Movement::both || divisor.movement == Movement::down;
    if (near[k] > 0 && (!falls || (divisor.minimum && *divisor.minimum > 0))) {
      rule.per = divisor.name;
      sum /= near[k];
      size /= near[k];
    }
  } else if (kind < 0.5 && !numbers.empty()) {
    take(rule.than, -1);
    return rule;
  }
  if (dice.chance(0.6)) rule.limit = sum + dice.between(-0.3, 0.5) * (rule.at_least ? -size : size);
  return rule;
}

/// What somebody's record may look like: near the training data, between steps and outside of the
/// range now and then, written in more than one way.
inline Record random_record(Dice& dice, const Schema& schema,
                            const std::vector<FeatureScale>& scales) {
  Record record;
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    const Feature& feature = schema.features[k];
    if (feature.type == FeatureType::categorical) {
      record.push_back(dice.one_of(feature.levels));
      continue;
    }
    const double range = scales[k].maximum - scales[k].minimum;
    double value = dice.between(scales[k].minimum, scales[k].maximum);
    if (dice.chance(0.12)) value += dice.between(-1, 1) * range;
    if (feature.step > 0 && dice.chance(0.7)) {
      value = std::round(value / feature.step) * feature.step;
    }
    record.push_back(fmt::format("{:.{}f}", value, dice.one_of(std::array<int, 2>{2, 4})));
  }
  return record;
}

inline Method random_method(Dice& dice, const Noise& noise, const Goal& goal, double target) {
  const double kind = dice.uniform();
  if (kind < 0.08) return Wachter{.learning_rate = 0.03, .block_steps = 80, .max_blocks = 2};
  // Its bound is (m + soft rate) / (1 - t): a high threshold leaves no room below the target.
  if (kind < 0.2 && goal.wanted_threshold() < 0.75) {
    return Croco{.target = 0.3,
                 .margin = 0.05,
                 .samples = 200,
                 .confidence = 0.6,
                 .step_samples = 40,
                 .learning_rate = 0.03,
                 .block_steps = 50,
                 .max_blocks = 2};
  }
  if (kind > 0.75 && noise.shape == NoiseShape::gaussian && !depends_on_point(noise)) {
    return Probe{.target = target,
                 .learning_rate = 0.03,
                 .block_steps = 60,
                 .max_blocks = 3,
                 .check_samples = 200};
  }
  Certified certified{.target = target, .search_samples = 128, .calibration_samples = 512};
  if (dice.chance(0.12)) {
    certified.search = SearchKind::gradient_free;
    certified.search_budget = 20'000;
  }
  return certified;
}

inline std::shared_ptr<const Mlp> random_model(Dice& dice, std::size_t width, std::uint64_t seed) {
  const double kind = dice.uniform();
  if (kind < 0.2) {
    return std::make_shared<const Mlp>(
        fixtures::logistic(fixtures::random_vector(width, seed, -3, 3), 0));
  }
  std::vector<std::size_t> units{width, 3 + dice.below(6)};
  if (kind > 0.85) units.push_back(3 + dice.below(3));
  constexpr std::array<Activation, 3> kActivations{Activation::relu, Activation::relu,
                                                   Activation::tanh};
  const Mlp drawn = fixtures::random_mlp(units, dice.one_of(kActivations), seed);
  std::vector<DenseLayer> layers = drawn.layers();
  for (double& weight : layers.back().weight) weight *= 4;
  return std::make_shared<const Mlp>(std::move(layers), drawn.hidden_activation());
}

/// A function of the seed alone.
inline World random_world(std::uint64_t seed, std::size_t people) {
  Dice dice(seed);
  Schema schema;
  std::vector<FeatureScale> scales;
  const std::size_t numbers = 1 + dice.below(5);
  const std::size_t categories = dice.below(4);
  for (std::size_t k = 0; k < numbers + categories; ++k) {
    const bool number = k < numbers;
    // Steps may have no multiple in a range: such features are drawn again.
    for (;;) {
      FeatureScale scale;
      Feature feature = number ? random_number(dice, k, scale) : random_category(dice, k, scale);
      try {
        validate(Schema{{}, {feature}});
      } catch (const DataError&) {
        continue;
      }
      schema.features.push_back(std::move(feature));
      scales.push_back(std::move(scale));
      break;
    }
  }
  // Categories anywhere between the numbers: the order of telling is not that of the columns.
  for (std::size_t k = schema.features.size(); k-- > 1;) {
    const std::size_t other = dice.below(k + 1);
    std::swap(schema.features[k], schema.features[other]);
    std::swap(scales[k], scales[other]);
  }
  std::vector<Person> everybody;
  for (std::size_t i = 0; i < people; ++i) {
    everybody.push_back(people::person(i, random_record(dice, schema, scales)));
  }
  Vector near;
  for (std::size_t k = 0; k < schema.features.size(); ++k) {
    const bool number = schema.features[k].type == FeatureType::numeric;
    near.push_back(number ? std::stod(everybody[0].record[k]) : 0.0);
  }
  for (std::size_t count = dice.chance(0.4) ? 0 : 1 + dice.below(3); count > 0; --count) {
    schema.relations.push_back(random_relation(dice, schema, near, count));
  }
  std::vector<Refused> refused;
  for (;;) {
    try {
      validate(schema);
      break;
    } catch (const DataError& error) {
      refused.push_back({schema, error.what()});
      schema.relations.pop_back();
    }
  }

  World world{Codec(schema, scales), {}, {}, std::move(everybody), std::move(refused)};
  world.model = random_model(dice, world.codec.width(), seed);
  ExplainOptions& options = world.options;
  options.seed = seed;
  options.reasons = false;
  options.shared_draws = dice.chance(0.8);
  options.noise = schema_noise(world.codec);
  constexpr std::array<NoiseScope, 6> kScopes{NoiseScope::all,     NoiseScope::all,
                                              NoiseScope::all,     NoiseScope::continuous,
                                              NoiseScope::movable, NoiseScope::changed};
  options.noise->scope = dice.one_of(kScopes);
  options.noise->falls_short = dice.chance(0.1);
  const double target = dice.one_of(std::array<double, 3>{0.05, 0.1, 0.2});
  options.certify.samples = 1000;
  options.certify.confidence = 0.95;
  options.certify.sequential = dice.chance(0.5);
  const int wanted = dice.chance(0.5) ? 1 : 0;
  const double logit = world.model->logit(world.codec.encode(world.people[0].record, ""));
  const double away = dice.between(0.02, 1.2) * (wanted == 1 ? 1 : -1);
  options.goal = Goal(std::clamp(sigmoid(logit + away), 1e-6, 1 - 1e-6), wanted);
  options.method = random_method(dice, *options.noise, options.goal, target);
  const auto* certified = std::get_if<Certified>(&options.method);
  if (certified == nullptr) return world;
  if (dice.chance(0.3)) {
    schema.max_changes = 1 + dice.below(3);
    world.codec = world.codec.with_schema(std::move(schema));
  }
  if (dice.chance(0.25)) {
    options.alternatives = 2 + dice.below(2);
    options.disjoint = dice.chance(0.4);
  }
  return world;
}

/// A record at random that the features of a schema allow, relations aside: for anybody, or for
/// somebody today.
inline Record some_record(Dice& dice, const Codec& codec, const Schema& schema,
                          const Record* today) {
  Record record = today == nullptr ? Record(schema.features.size()) : *today;
  for (std::size_t k = 0; k < record.size(); ++k) {
    const Feature& feature = schema.features[k];
    if (feature.type != FeatureType::numeric) continue;
    const FeatureScale& scale = codec.scales()[k];
    const double range = scale.maximum - scale.minimum + 1;
    double low = feature.minimum.value_or(scale.minimum - 3 * range);
    double high = feature.maximum.value_or(scale.maximum + 3 * range);
    if (today != nullptr) {
      const double before = std::stod(record[k]);
      if (feature.movement == Movement::fixed || dice.chance(0.2)) continue;
      low = std::min(low, before);
      high = std::max(high, before);
      if (feature.movement == Movement::up) low = before;
      if (feature.movement == Movement::down) high = before;
      low = std::max(low, before - feature.max_change.value_or(1e300));
      high = std::min(high, before + feature.max_change.value_or(1e300));
    }
    // The ends more often than not: that is where contradictions end.
    double value = dice.chance(0.5) ? dice.between(low, high) : dice.chance(0.5) ? low : high;
    if (today != nullptr && feature.step > 0) {
      value = std::round(value / feature.step) * feature.step;
      if (value < low || value > high) continue;
    }
    record[k] = fmt::format("{}", value);
  }
  return record;
}

}  // namespace croco::worlds
