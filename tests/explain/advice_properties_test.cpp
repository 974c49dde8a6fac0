// SPDX-License-Identifier: Apache-2.0
// Advice can be followed, whatever the schema, the rules, the noise and the model: told records are
// checked against the schema by code that shares nothing with the search, costs and certificates
// are worked out again, and counts under noise are compared with a sampler that re-encodes people
// draw by draw.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <croco/base/normal.hpp>
#include <croco/base/parallel.hpp>
#include <croco/robustness/exact_rate.hpp>
#include <croco/robustness/invalidation.hpp>
#include <tests/explain/random_worlds.hpp>
#include <tests/explain/record_rules.hpp>

namespace croco {
namespace {

/// A sampler that is wrong in one way, to see that the comparison would notice.
enum class Mistake : std::uint8_t { none, no_flips, lost_levels, clipped_numbers };
constexpr std::size_t kMistakes = 4;

/// Draws in own units around a told record, by another generator; how many undo the answer.
class NaiveSampler {
 public:
  NaiveSampler(const worlds::World& world, const Explanation& answer) : world_(world) {
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
    const Noise& noise = world_.options.noise;
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

/// What all worlds of a run showed.
struct Findings {
  std::vector<std::string> faults;
  std::size_t advised = 0;
  std::size_t categories_moved = 0;
  std::size_t repaired = 0;     ///< relations that were broken before
  std::size_t outside = 0;      ///< people with a value outside of its range
  std::size_t refused = 0;      ///< schemas
  std::size_t without_way = 0;  ///< people whose relations cannot be kept
  std::size_t recounted = 0;
  std::size_t exact = 0;
  std::size_t methods[5] = {};     ///< by index, gradient-free last
  double squares[kMistakes] = {};  ///< of standardised differences
  double worst = 0;
  std::size_t compared = 0;

  void add(const Findings& other) {
    faults.insert(faults.end(), other.faults.begin(), other.faults.end());
    advised += other.advised;
    categories_moved += other.categories_moved;
    repaired += other.repaired;
    outside += other.outside;
    refused += other.refused;
    without_way += other.without_way;
    recounted += other.recounted;
    exact += other.exact;
    for (std::size_t i = 0; i < 5; ++i) methods[i] += other.methods[i];
    for (std::size_t i = 0; i < kMistakes; ++i) squares[i] += other.squares[i];
    worst = std::max(worst, other.worst);
    compared += other.compared;
  }
};

/// One world, everybody in it.
class Inspection {
 public:
  Inspection(std::uint64_t seed, bool mistakes)
      : seed_(seed), mistakes_(mistakes), random_(seed), world_(worlds::random_world(seed, 2)) {}

  [[nodiscard]] Findings run() {
    check_refused();
    const Explainer explainer(world_.model, world_.codec, world_.options);
    for (const Explanation& answer : explainer.explain(world_.people)) {
      row_ = answer.row;
      if (answer.status == Status::infeasible &&
          answer.reason.starts_with("no admissible change keeps")) {
        check_no_way(answer);
      }
      if (!answer.has_advice()) continue;
      check_told(answer);
      if (answer.certificate) check_certificate(explainer, answer);
      compare(explainer, answer);
    }
    return std::move(out_);
  }

 private:
  void fault(std::string_view what) {
    out_.faults.push_back(
        fmt::format("world {}, row {}, {}: {}", seed_, row_, name_of(world_.options.method), what));
  }

  void check_told(const Explanation& answer) {
    ++out_.advised;
    const bool free = is_gradient_free();
    ++out_.methods[free ? 4 : world_.options.method.index()];
    rules::Cost cost;
    const std::string broken = rules::record_fault(world_.codec, answer.before, answer.after, cost);
    if (!broken.empty()) fault(broken);
    if (answer.point != rules::encoded(world_.codec, answer.after)) {
      fault("the point is not the told record");
    }
    if (!world_.options.goal.reached(world_.model->logit(answer.point)) || !answer.valid) {
      fault("the model does not accept what is told");
    }
    const double sum = cost.numbers + cost.categories;
    if (std::abs(answer.distance.cost - sum) > 1e-9 * std::max(1.0, sum)) {
      fault(fmt::format("costs {}, not {}", sum, answer.distance.cost));
    }
    if (std::abs(answer.distance.level_price - cost.categories) > 1e-12) {
      fault(fmt::format("moves cost {}, not {}", cost.categories, answer.distance.level_price));
    }
    if (answer.features_changed != cost.features) {
      fault(fmt::format("{} features change, not {}", cost.features, answer.features_changed));
    }
    out_.categories_moved += cost.categories > 0 ? 1U : 0U;
    for (const RelationRule& rule : world_.codec.schema().relations) {
      out_.repaired += rules::keeps(world_.codec, rule, answer.before, answer.before) ? 0U : 1U;
    }
    for (std::size_t k = 0; k < answer.before.size(); ++k) {
      const Feature& feature = world_.codec.schema().features[k];
      if (feature.type != FeatureType::numeric) continue;
      const double value = std::stod(answer.before[k]);
      if ((feature.minimum && value < *feature.minimum) ||
          (feature.maximum && value > *feature.maximum)) {
        ++out_.outside;
      }
    }
  }

  /// The certificate's own draws once more: in double precision, re-encoded one by one.
  void check_certificate(const Explainer& explainer, const Explanation& answer) {
    const Certificate& made = *answer.certificate;
    const Problem& problem = explainer.problem();
    const std::optional<double> target = target_of(world_.options.method);
    if (target && answer.target_met.value_or(false) != (made.upper <= *target)) {
      fault("the target is said to be met, or not, against the bound");
    }
    if (std::holds_alternative<Certified>(world_.options.method) &&
        (answer.status == Status::found) != answer.target_met.value_or(false)) {
      fault("the status is not that of the certificate");
    }
    if (made.samples == 0) {
      ++out_.exact;
      const double rate = exact_by_hand(answer);
      if (std::abs(made.rate - rate) > 1e-9 || made.upper < rate - 1e-12) {
        fault(fmt::format("the exact rate is {}, not {}", rate, made.rate));
      }
      return;
    }
    const Noise& noise = problem.noise;
    Matrix draws(made.samples, problem.space.width());
    const Stream stream = problem.stream(Purpose::certify, answer.row);
    sample(noise, scoped_scales(noise, problem.space), stream, made.first, draws);
    const DrawnFlips flips = sample_flips(noise, stream, made.first, made.samples);
    std::size_t invalid = 0;
    for (std::size_t i = 0; i < made.samples; ++i) {
      Vector copy = answer.point;
      for (std::size_t j = 0; j < copy.size(); ++j) {
        const double change = answer.point[j] - answer.origin[j];
        double error = draws[i][j];
        if (noise.scope == NoiseScope::changed && change == 0) error = 0;
        if (noise.falls_short && change != 0) error = std::copysign(error, -change);
        copy[j] += error;
      }
      for (std::size_t c = 0; c < noise.flips.size(); ++c) {
        const OneHotGroup& group = noise.flips[c].group();
        std::size_t told = 0;
        while (answer.point[group.first + told] != 1) ++told;
        const std::size_t to = noise.flips[c].target(flips.of(i)[c], told);
        for (std::size_t l = 0; l < group.count; ++l) copy[group.first + l] = l == to ? 1 : 0;
      }
      invalid += problem.goal.reached(problem.model.logit(copy)) ? 0U : 1U;
    }
    ++out_.recounted;
    if (invalid != made.invalid) {
      fault(fmt::format("{} of {} draws fail, not {}", invalid, made.samples, made.invalid));
    }
    // Clopper-Pearson: so few failures have just this probability at the bound.
    if (made.invalid < made.samples) {
      const double tail = fixtures::binomial_cdf(made.invalid, made.samples, made.upper);
      const double error = 1 - made.bound_confidence;
      if (std::abs(tail - error) > 1e-6 * error) {
        fault(fmt::format("the bound {} leaves an error of {}, not {}", made.upper, tail, error));
      }
    }
  }

  /// `P(margin < 0)` of a linear model under independent Gaussian noise.
  [[nodiscard]] double exact_by_hand(const Explanation& answer) const {
    const auto& model = dynamic_cast<const Mlp&>(*world_.model);
    const Vector& weights = model.layers().front().weight;
    double square = 0;
    std::size_t j = 0;
    const std::vector<Feature>& features = world_.codec.schema().features;
    for (std::size_t k = 0; k < features.size(); ++k) {
      if (features[k].type != FeatureType::numeric) continue;
      const bool noisy = world_.options.noise.scope != NoiseScope::movable ||
                         features[k].movement != Movement::fixed;
      const double range = world_.codec.scales()[k].maximum - world_.codec.scales()[k].minimum;
      const double sd = features[k].noise.sd.value_or(0) / (range == 0 ? 1 : range);
      if (noisy) square += sd * sd * weights[j] * weights[j];
      ++j;
    }
    const double margin = world_.options.goal.margin(model.logit(answer.point));
    if (square == 0) return margin > 0 ? 0 : 1;
    return normal_cdf(-margin / std::sqrt(square));
  }

  /// The library's counts on fresh draws against those of a sampler that shares no code.
  void compare(const Explainer& explainer, const Explanation& answer) {
    const Problem& problem = explainer.problem();
    if (problem.noise.flips.empty()) return;
    constexpr std::size_t kSamples = 800;
    const Advice advice{answer.origin, answer.point, answer.row};
    const double ours = tally(problem, {&advice, 1}, {.samples = kSamples})[0].rate();
    NaiveSampler sampler(world_, answer);
    const std::size_t last = mistakes_ ? kMistakes : 1;
    for (std::size_t i = 0; i < last; ++i) {
      const double naive =
          static_cast<double>(sampler.count(kSamples, static_cast<Mistake>(i), random_)) / kSamples;
      const double pooled = (ours + naive) / 2;
      // Rare failures are not normal enough to be standardised.
      if (i == 0 && pooled * (1 - pooled) * kSamples < 10) return;
      const double variance = std::max(pooled * (1 - pooled), 10.0 / kSamples);
      const double z = (ours - naive) / std::sqrt(2 * variance / kSamples);
      out_.squares[i] += z * z;
      if (i == 0) {
        out_.worst = std::max(out_.worst, std::abs(z));
        ++out_.compared;
      }
    }
  }

  /// A record that the features alone allow, at random.
  [[nodiscard]] Record some_record(worlds::Dice& dice, const Schema& schema, const Record* today) {
    Record record = today == nullptr ? Record(schema.features.size()) : *today;
    for (std::size_t k = 0; k < record.size(); ++k) {
      const Feature& feature = schema.features[k];
      if (feature.type != FeatureType::numeric) continue;
      const FeatureScale& scale = world_.codec.scales()[k];
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

  void check_no_way(const Explanation& answer) {
    ++out_.without_way;
    worlds::Dice dice(seed_ + 1'000'000);
    for (std::size_t i = 0; i < 100; ++i) {
      const Record other = some_record(dice, world_.codec.schema(), &answer.before);
      const bool kept =
          std::ranges::all_of(world_.codec.schema().relations, [&](const RelationRule& rule) {
            return rules::keeps(world_.codec, rule, answer.before, other);
          });
      if (kept) return fault("some admissible change keeps the relations");
    }
  }

  void check_refused() {
    for (const worlds::Refused& refused : world_.refused) {
      if (refused.reason.find("no values satisfy") == std::string::npos) continue;
      ++out_.refused;
      worlds::Dice dice(seed_ + 2'000'000);
      for (std::size_t i = 0; i < 100; ++i) {
        const Record record = some_record(dice, refused.schema, nullptr);
        const bool kept =
            std::ranges::all_of(refused.schema.relations, [&](const RelationRule& rule) {
              const bool today = !rule.limit && rule.than.empty();
              return today || rules::keeps(world_.codec, rule, record, record);
            });
        if (kept) return fault(refused.reason + ", and yet some do");
      }
    }
  }

  [[nodiscard]] bool is_gradient_free() const {
    const auto* certified = std::get_if<Certified>(&world_.options.method);
    return certified != nullptr && certified->search == SearchKind::gradient_free;
  }

  std::uint64_t seed_;
  bool mistakes_;
  std::mt19937_64 random_;
  worlds::World world_;
  std::size_t row_ = 0;
  Findings out_;
};

/// Worlds `first .. first + count - 1`, or the one that CROCO_WORLD names.
Findings inspect(std::uint64_t first, std::size_t count, bool mistakes, unsigned threads) {
  if (const char* world = std::getenv("CROCO_WORLD")) {
    first = std::stoull(world);
    count = 1;
  }
  std::vector<Findings> found(count);
  parallel_for(count, threads, [&](std::size_t i) {
    try {
      found[i] = Inspection(first + i, mistakes).run();
    } catch (const std::exception& error) {
      found[i].faults.push_back(fmt::format("world {}: {}", first + i, error.what()));
    }
  });
  Findings all;
  for (const Findings& one : found) all.add(one);
  return all;
}

void expect_sound(const Findings& found, std::size_t worlds) {
  for (std::size_t i = 0; i < std::min<std::size_t>(found.faults.size(), 20); ++i) {
    ADD_FAILURE() << found.faults[i];
  }
  EXPECT_EQ(found.faults.size(), 0U);
  fmt::print(
      "{} worlds: {} pieces of advice (wachter {}, probe {}, croco {}, certified {}, "
      "gradient-free {}), {} with moves of categories, {} repaired relations, {} values outside "
      "of their range; {} counts and {} closed forms worked out again; {} schemas refused, {} "
      "people without a way\n",
      worlds, found.advised, found.methods[0], found.methods[1], found.methods[2], found.methods[3],
      found.methods[4], found.categories_moved, found.repaired, found.outside, found.recounted,
      found.exact, found.refused, found.without_way);
  // Nothing is shown by worlds in which nothing happens.
  EXPECT_GT(found.advised, worlds / 2);
  EXPECT_GT(found.categories_moved, worlds / 20);
  EXPECT_GT(found.repaired, worlds / 40);
  EXPECT_GT(found.outside, worlds / 40);
  EXPECT_GT(found.recounted, worlds / 4);
  EXPECT_GT(found.exact, 0U);
  EXPECT_GT(found.refused, worlds / 100);
  EXPECT_GT(found.without_way, worlds / 100);
  for (const std::size_t advised : found.methods) EXPECT_GT(advised, worlds / 100);
}

/// Squares of standard normals have a mean of 1, off by sqrt(2 / n).
void expect_chance(const Findings& found) {
  const auto compared = static_cast<double>(found.compared);
  const double mean = found.squares[0] / compared;
  fmt::print("{} rates against an independent sampler: mean z^2 {:.4f}, worst |z| {:.2f}\n",
             found.compared, mean, found.worst);
  EXPECT_NEAR(mean, 1, 4 * std::sqrt(2 / compared));
  // The largest of n: beyond this in a thousandth of all runs.
  EXPECT_LT(found.worst, -normal_quantile(0.0005 / compared));
}

TEST(AdviceProperties, AdviceCanBeFollowed) {
  constexpr std::size_t kWorlds = 300;
  const Findings found = inspect(0, kWorlds, true, 1);
  expect_sound(found, kWorlds);
  ASSERT_GT(found.compared, kWorlds / 4);
  expect_chance(found);
  // A sampler that forgets flips, loses levels or clips numbers is found out.
  for (std::size_t i = 1; i < kMistakes; ++i) {
    const double mean = found.squares[i] / static_cast<double>(found.compared);
    fmt::print("with mistake {}: mean z^2 {:.2f}\n", i, mean);
    EXPECT_GT(mean, 1 + 10 * std::sqrt(2 / static_cast<double>(found.compared))) << i;
  }
}

TEST(SlowAdviceProperties, AdviceCanBeFollowedInTenThousandWorlds) {
  constexpr std::size_t kWorlds = 10'000;
  const Findings found = inspect(1000, kWorlds, false, 0);
  expect_sound(found, kWorlds);
  ASSERT_GT(found.compared, kWorlds / 4);
  expect_chance(found);
}

}  // namespace
}  // namespace croco
