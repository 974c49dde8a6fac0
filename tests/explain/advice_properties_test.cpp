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
#include <tests/explain/naive_sampler.hpp>
#include <tests/explain/random_worlds.hpp>
#include <tests/explain/record_rules.hpp>

namespace croco {
namespace {

using naive::kMistakes;
using naive::Mistake;

/// What all worlds of a run showed.
struct Findings {
  std::vector<std::string> faults;
  std::size_t advised = 0;
  std::size_t categories_moved = 0;
  std::size_t repaired = 0;     ///< relations that were broken before
  std::size_t outside = 0;      ///< people with a value outside of its range
  std::size_t refused = 0;      ///< schemas
  std::size_t without_way = 0;  ///< people whose relations cannot be kept
  std::size_t limited = 0;      ///< pieces of advice that may change few features
  std::size_t others = 0;       ///< further options
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
    limited += other.limited;
    others += other.others;
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
      check_way(explainer, answer);
      for (const Explanation& other : answer.alternatives) check_way(explainer, other);
      check_options(answer);
    }
    return std::move(out_);
  }

 private:
  void fault(std::string_view what) {
    out_.faults.push_back(
        fmt::format("world {}, row {}, {}: {}", seed_, row_, name_of(world_.options.method), what));
  }

  void check_way(const Explainer& explainer, const Explanation& answer) {
    check_told(answer);
    if (answer.certificate) check_certificate(explainer, answer);
    compare(explainer, answer);
  }

  /// No option has all the features of a cheaper one, nor any of them when they are to be disjoint.
  void check_options(const Explanation& answer) {
    if (answer.alternatives.size() >= world_.options.alternatives) {
      fault("there are more alternatives than asked");
    }
    std::vector<std::vector<bool>> earlier;
    double cost = 0;
    const auto add = [&](const Explanation& way) {
      std::vector<bool> changed;
      for (std::size_t k = 0; k < way.before.size(); ++k) {
        changed.push_back(way.before[k] != way.after[k]);
      }
      for (const std::vector<bool>& other : earlier) {
        bool contained = true;
        bool common = false;
        for (std::size_t k = 0; k < changed.size(); ++k) {
          contained = contained && (changed[k] || !other[k]);
          common = common || (changed[k] && other[k]);
        }
        if (contained) fault("an option changes all that a cheaper one does");
        if (common && world_.options.disjoint) fault("options have a feature in common");
      }
      if (way.distance.cost < cost) fault("options are not in the order of their costs");
      cost = way.distance.cost;
      earlier.push_back(std::move(changed));
    };
    add(answer);
    for (const Explanation& other : answer.alternatives) {
      ++out_.others;
      if (!other.target_met.value_or(false)) fault("a further option is not certified");
      add(other);
    }
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
    const double sum = cost.numbers + cost.categories + cost.touches;
    if (std::abs(answer.distance.cost - sum) > 1e-9 * std::max(1.0, sum)) {
      fault(fmt::format("costs {}, not {}", sum, answer.distance.cost));
    }
    if (std::abs(answer.distance.level_price - cost.categories) > 1e-12) {
      fault(fmt::format("moves cost {}, not {}", cost.categories, answer.distance.level_price));
    }
    if (std::abs(answer.distance.touch_price - cost.touches) > 1e-12) {
      fault(fmt::format("touching costs {}, not {}", cost.touches, answer.distance.touch_price));
    }
    if (answer.features_changed != cost.features) {
      fault(fmt::format("{} features change, not {}", cost.features, answer.features_changed));
    }
    if (const auto most = world_.codec.schema().max_changes) {
      ++out_.limited;
      if (cost.features > *most) fault(fmt::format("{} features change", cost.features));
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
      const double rate = naive::exact_rate(world_, answer);
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

  /// The library's counts on fresh draws against those of a sampler that shares no code.
  void compare(const Explainer& explainer, const Explanation& answer) {
    const Problem& problem = explainer.problem();
    if (problem.noise.flips.empty()) return;
    constexpr std::size_t kSamples = 800;
    const Advice advice{answer.origin, answer.point, answer.row};
    const double ours = tally(problem, {&advice, 1}, {.samples = kSamples})[0].rate();
    naive::Sampler sampler(world_, answer);
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

  void check_no_way(const Explanation& answer) {
    ++out_.without_way;
    worlds::Dice dice(seed_ + 1'000'000);
    for (std::size_t i = 0; i < 100; ++i) {
      const Record other =
          worlds::some_record(dice, world_.codec, world_.codec.schema(), &answer.before);
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
        const Record record = worlds::some_record(dice, world_.codec, refused.schema, nullptr);
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
      "of their range, {} that may change few features, {} further options; {} counts and {} "
      "closed forms worked out again; {} schemas refused, {} "
      "people without a way\n",
      worlds, found.advised, found.methods[0], found.methods[1], found.methods[2], found.methods[3],
      found.methods[4], found.categories_moved, found.repaired, found.outside, found.limited,
      found.others, found.recounted, found.exact, found.refused, found.without_way);
  // Nothing is shown by worlds in which nothing happens.
  EXPECT_GT(found.advised, worlds / 2);
  EXPECT_GT(found.categories_moved, worlds / 20);
  EXPECT_GT(found.repaired, worlds / 40);
  EXPECT_GT(found.outside, worlds / 40);
  EXPECT_GT(found.recounted, worlds / 4);
  EXPECT_GT(found.exact, 0U);
  EXPECT_GT(found.limited, worlds / 20);
  EXPECT_GT(found.others, worlds / 40);
  EXPECT_GT(found.refused, worlds / 100);
  EXPECT_GT(found.without_way, worlds / 100);
  for (const std::size_t advised : found.methods) EXPECT_GT(advised, worlds / 200);
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

TEST(SlowAdviceProperties, AdviceCanBeFollowed) {
  constexpr std::size_t kWorlds = 250;
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
