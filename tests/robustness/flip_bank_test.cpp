// SPDX-License-Identifier: Apache-2.0
// Counts under flips: against the same draws re-encoded, and against draws of another kind.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/normal.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/robustness/exact_rate.hpp>
#include <croco/robustness/invalidation.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/probe_rate.hpp>
#include <croco/robustness/smoothing_bound.hpp>
#include <croco/space/levels.hpp>

#include "tests/fixtures.hpp"
#include "tests/flips.hpp"

namespace croco {
namespace {

/// A space, noise and a network at random, with people near its threshold.
struct FlipWorld {
  explicit FlipWorld(std::uint64_t seed, std::vector<std::size_t> hidden)
      : space(make_space(seed)),
        network(fixtures::random_mlp(units(space, std::move(hidden)), Activation::relu, seed)),
        problem{network, space, make_noise(space, seed), Goal(0.5, seed % 2 == 0 ? 1 : 0), seed} {
    for (std::uint64_t i = 0; i < 4; ++i) {
      people.push_back(fixtures::random_person(space, 100 * seed + i));
    }
    problem.goal =
        Goal(sigmoid(network.logit(people[0]) - 0.2 * problem.goal.sign()), problem.goal.wanted());
    for (std::size_t i = 0; i < people.size(); ++i) advice.push_back({people[i], people[i], i});
  }

  static Space make_space(std::uint64_t seed) {
    Sequence random({seed, Purpose::train, 5});
    std::vector<std::size_t> levels(1 + random.below(6));
    for (std::size_t& count : levels) count = 1 + random.below(6);
    return fixtures::mixed_space(1 + random.below(6), levels);
  }
  static Noise make_noise(const Space& space, std::uint64_t seed) {
    Sequence random({seed, Purpose::train, 6});
    Noise noise{.scale = 0.2 * random.uniform(), .scope = NoiseScope::continuous};
    noise.flips = fixtures::random_flips(space, 0.3 * random.uniform(), seed);
    if (seed % 3 == 1) {
      noise.shape = NoiseShape::empirical;
      noise.residuals = {{0}, Matrix(5, 1)};
      noise.residuals.rows.data = fixtures::random_vector(5, seed);
    }
    if (seed % 5 == 2) noise.falls_short = true;
    return noise;
  }
  static std::vector<std::size_t> units(const Space& space, std::vector<std::size_t> hidden) {
    hidden.insert(hidden.begin(), space.width());
    return hidden;
  }

  Space space;
  Mlp network;
  Problem problem;
  std::vector<Vector> people;
  std::vector<Advice> advice;
};

TEST(FlipBank, CountsAreThoseOfReencodedDraws) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const FlipWorld world(
        seed, seed % 4 == 3 ? std::vector<std::size_t>{8, 5} : std::vector<std::size_t>{12});
    constexpr std::size_t kSamples = 3000;
    const std::vector<Tally> found =
        tally(world.problem, world.advice,
              {.purpose = Purpose::evaluate, .samples = kSamples, .first = 9});
    for (std::size_t i = 0; i < world.people.size(); ++i) {
      std::size_t expected = 0;
      for (std::size_t k = 0; k < kSamples; ++k) {
        const Vector copy = fixtures::noisy_copy(world.problem.noise, world.space,
                                                 world.problem.stream(Purpose::evaluate, i), 9 + k,
                                                 world.people[i]);
        expected += world.problem.goal.reached(world.network.logit(copy)) ? 0U : 1U;
      }
      EXPECT_EQ(found[i].invalid, expected) << "world " << seed << ", person " << i;
    }
  }
}

/// Nothing of the library but the model: another generator, rows walked level by level.
std::size_t independent_count(const FlipWorld& world, View person, std::size_t samples,
                              std::mt19937_64& random) {
  const Noise& noise = world.problem.noise;
  const Vector scales = scoped_scales(noise, world.space);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::uniform_int_distribution<std::size_t> row(0, 4);
  std::size_t invalid = 0;
  for (std::size_t k = 0; k < samples; ++k) {
    Vector copy(person.begin(), person.end());
    if (noise.shape == NoiseShape::empirical) {
      copy[0] += noise.residuals.rows.data[row(random)];
    } else {
      for (std::size_t j = 0; j < copy.size(); ++j) copy[j] += scales[j] * normal(random);
    }
    for (const LevelFlips& flips : noise.flips) {
      const OneHotGroup& group = flips.group();
      const std::size_t level = level_at(group, person);
      double left = uniform(random);
      std::size_t to = 0;
      while (to + 1 < group.count && (left -= flips.probability(level, to)) >= 0) ++to;
      copy[group.first + level] = 0;
      copy[group.first + to] = 1;
    }
    invalid += world.problem.goal.reached(world.network.logit(copy)) ? 0U : 1U;
  }
  return invalid;
}

TEST(SlowFlipBank, RatesAreThoseOfAnIndependentSampler) {
  constexpr std::size_t kSamples = 20'000;
  std::mt19937_64 random(12);  // NOLINT(cert-msc51-cpp): the same every time
  double squares = 0;
  double worst = 0;
  std::size_t compared = 0;
  for (std::uint64_t seed = 100; seed < 130; ++seed) {
    FlipWorld world(seed, {10});
    world.problem.noise.falls_short = false;
    const std::vector<Tally> found =
        tally(world.problem, world.advice, {.purpose = Purpose::evaluate, .samples = kSamples});
    for (std::size_t i = 0; i < world.people.size(); ++i) {
      const std::size_t other = independent_count(world, world.people[i], kSamples, random);
      const double a = found[i].rate();
      const double b = static_cast<double>(other) / kSamples;
      const double pooled = (a + b) / 2;
      if (pooled * (1 - pooled) * kSamples < 20) continue;
      const double z = (a - b) / std::sqrt(2 * pooled * (1 - pooled) / kSamples);
      squares += z * z;
      worst = std::max(worst, std::abs(z));
      ++compared;
    }
  }
  ASSERT_GT(compared, 60U);
  const double mean = squares / static_cast<double>(compared);
  // The mean of n squares of standard normals is off 1 by sqrt(2 / n).
  EXPECT_NEAR(mean, 1, 4 * std::sqrt(2 / static_cast<double>(compared)));
  EXPECT_LT(worst, 4.5);
}

TEST(FlipBank, ThreadsAndPartsDoNotMatter) {
  const FlipWorld world(40, {16});
  const auto counts = [&](unsigned threads) {
    std::vector<std::size_t> out;
    for (const Tally& one : tally(
             world.problem, world.advice,
             {.purpose = Purpose::evaluate, .samples = 70'001, .soft = true, .threads = threads})) {
      out.push_back(one.invalid);
    }
    return out;
  };
  const auto alone = counts(1);
  EXPECT_EQ(alone, counts(3));
  EXPECT_EQ(alone, counts(16));
  const NoiseBank small(world.problem, world.problem.stream(Purpose::evaluate, 0), 0, 70'001, 2,
                        777);
  std::vector<std::size_t> parts(world.advice.size());
  small.count_invalid(world.advice, NoiseBank::Counting::exact, parts, 5);
  EXPECT_EQ(alone, parts);
  std::vector<float> whole(5000);
  std::vector<float> some(5000);
  const NoiseBank large(world.problem, world.problem.stream(Purpose::evaluate, 0), 0, 5000);
  large.logits(world.people[0], world.people[0], 0, whole);
  small.logits(world.people[0], world.people[0], 0, some);
  for (std::size_t k = 0; k < whole.size(); ++k) ASSERT_NEAR(whole[k], some[k], 1e-5) << k;
}

TEST(FlipBank, SoftSumsAreTheSameOnEveryNumberOfThreads) {
  const FlipWorld world(40, {16});
  const auto sums = [&](unsigned threads) {
    return tally(world.problem, world.advice,
                 {.samples = 70'001, .soft = true, .threads = threads})[1]
        .soft_sum;
  };
  EXPECT_EQ(sums(1), sums(7));
}

TEST(FlipBank, FixedBanksServeEveryPointWithTheLevels) {
  for (const bool one_sided : {false, true}) {
    FlipWorld world(44, {16});
    world.problem.noise.falls_short = one_sided;
    const NoiseBank bank(world.problem, {1, Purpose::search, 0}, 0, 2000);
    const NoiseBank fixed = bank.fixed_at(world.people[1]);
    Vector moved = world.people[1];
    moved[0] += 0.3;
    std::vector<float> expected(2000);
    std::vector<float> found(2000);
    bank.logits(world.people[1], moved, 0, expected);
    fixed.logits(world.people[1], moved, 0, found);
    for (std::size_t k = 0; k < found.size(); ++k) ASSERT_NEAR(found[k], expected[k], 2e-5) << k;
  }
}

TEST(FlipBank, CertificatesHoldAsOftenAsTheyClaim) {
  // The true rate of a linear model with one flip is a mixture of two closed forms.
  const Space space = fixtures::mixed_space(1, {2});
  const Mlp network = fixtures::logistic({3, 1.5, -0.5}, -1);
  Problem problem{network, space, {.scale = 0.2, .scope = NoiseScope::continuous}, Goal(), 0};
  problem.noise.flips = {LevelFlips(space.groups[0], {0.9, 0.1, 0.3, 0.7})};
  const Vector point{0.4, 1, 0};
  const auto rate_at = [&](double logit) { return normal_cdf(-logit / 0.6); };
  const double rate = 0.9 * rate_at(1.2 + 1.5 - 1) + 0.1 * rate_at(1.2 - 0.5 - 1);
  EXPECT_FALSE(has_exact_rate(problem));
  std::size_t wrong = 0;
  constexpr std::size_t kTrials = 300;
  for (std::uint64_t seed = 0; seed < kTrials; ++seed) {
    problem.seed = seed;
    const Advice advice{point, point, 0};
    const Certificate made =
        certify(problem, {&advice, 1}, {.samples = 2000, .confidence = 0.9}, 1)[0];
    wrong += made.upper < rate ? 1U : 0U;
  }
  EXPECT_LT(wrong, 48U);  // P(Bin(300, .1) >= 48) < 1e-3
  EXPECT_GT(wrong, 10U);
}

TEST(FlipBank, ExactRatesKnowCorrelations) {
  const Space space = fixtures::free_space(3);
  const Mlp network = fixtures::logistic({3, -2, 1}, -0.2);
  Problem problem{network, space, {}, Goal(), 7};
  Matrix matrix(2, 2);
  matrix.data = {0.04, 0.015, 0.015, 0.01};
  problem.noise.shape = NoiseShape::correlated;
  problem.noise.covariance = Covariance({2, 0}, matrix);
  ASSERT_TRUE(has_exact_rate(problem));
  const Vector point{0.2, 0.1, 0.1};
  // Variance: column 2 has weight 1, column 0 weight 3.
  const double spread = std::sqrt(0.04 + 9 * 0.01 + 2 * 3 * 0.015);
  const ExactRate exact = exact_rate(problem, linear_margin(problem), point);
  EXPECT_NEAR(exact.rate, normal_cdf(-(0.6 - 0.2 + 0.1 - 0.2) / spread), 1e-12);
  const Advice advice{point, point, 0};
  const Tally drawn = tally(problem, {&advice, 1}, {.samples = 200'000})[0];
  EXPECT_NEAR(drawn.rate(), exact.rate, 4.5 * std::sqrt(exact.rate * (1 - exact.rate) / 200'000));
}

TEST(FlipBank, TheSmoothingBoundHoldsWithFlips) {
  // One number, steep in it: the rate along the line must not fall faster than the bound says.
  const Space space = fixtures::mixed_space(1, {2});
  const Mlp network = fixtures::logistic({40, 20, -20}, 0);
  Problem problem{network, space, {.scale = 0.3, .scope = NoiseScope::continuous}, Goal(), 3};
  problem.noise.flips = {LevelFlips::uniform(space.groups[0], 0.05, {true, true})};
  EXPECT_EQ(smoothing_obstacle(problem), "");
  const auto rate = [&](double x) {
    const auto at = [&](double shift) { return normal_cdf(-(x + shift) / 0.3); };
    return 0.95 * at(0.5) + 0.05 * at(-0.5);
  };
  const Vector origin{-0.9, 1, 0};
  for (const double moved : {0.2, 0.6, 1.0, 1.5}) {
    const double target = rate(-0.9 + moved);
    EXPECT_LE(smoothing_bound(problem, origin, rate(-0.9), target), moved) << moved;
  }
  problem.noise.shape = NoiseShape::correlated;
  EXPECT_EQ(smoothing_obstacle(problem), "the noise is correlated");
}

TEST(FlipBank, ProbeIsAboutTheNumbersAlone) {
  const Space space = fixtures::mixed_space(2, {2});
  const Mlp network = fixtures::logistic({3, -2, 1, -1}, -0.2);
  Problem problem{network, space, {.scale = 0.1, .scope = NoiseScope::continuous}, Goal(), 3};
  const Vector point{0.5, 0.2, 1, 0};
  Vector slope(4);
  Vector logit_slope(4);
  const double plain =
      probe_rate(problem, scoped_scales(problem.noise, space), point, slope, logit_slope).rate;
  problem.noise.flips = {LevelFlips::uniform(space.groups[0], 0.2, {true, true})};
  EXPECT_NO_THROW(require_probe_applies(problem));
  EXPECT_EQ(
      probe_rate(problem, scoped_scales(problem.noise, space), point, slope, logit_slope).rate,
      plain);
  problem.noise.shape = NoiseShape::empirical;
  EXPECT_ANY_THROW(require_probe_applies(problem));
}

}  // namespace
}  // namespace croco
