// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/branch_and_bound.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <croco/noise/sample.hpp>
#include <croco/space/levels.hpp>
#include <tests/fixtures.hpp>
#include <tests/flips.hpp>

namespace croco {
namespace {

constexpr std::size_t kDraws = 200;

/// A random network, its draws, and the cheapest solution of the sampled problem on a grid.
class Instance {
 public:
  Instance(std::vector<std::size_t> units, Activation activation, std::uint64_t seed,
           std::size_t allowed)
      : model_(fixtures::random_mlp(units, activation, 50 * seed)),
        space_(fixtures::free_space(units[0])),
        problem_{model_, space_, Noise{.scale = 0.15}, Goal(), seed, true},
        draws_(kDraws, units[0]),
        origin_(fixtures::random_vector(units[0], seed + 3)),
        costs_(fixtures::random_vector(2, seed + 4, 0.5, 2)),
        box_{{-0.7, 0.9}, {-1, 0.6}},
        allowed_(allowed) {
    for (std::size_t j = 2; j < units[0]; ++j) space_.columns[j].movement = Movement::fixed;
    // Refused by a margin, so that there is something to do.
    std::vector<DenseLayer> layers = model_.layers();
    layers.back().bias[0] -= model_.logit(origin_) + 0.3;
    model_ = Mlp(layers, activation);
    sample(problem_.noise, Vector(units[0], 0.15), {seed, Purpose::prove, 0}, 0, draws_);
  }

  [[nodiscard]] BranchResult solve(const BranchOptions& options) const {
    const DrawnNetwork network(problem_, draws_.rows());
    return branch_and_bound(network, {origin_, costs_, {box_}, allowed_}, options);
  }

  [[nodiscard]] double cheapest_of_grid() const {
    constexpr int kSteps = 60;
    double best = kInfinite;
    Matrix noisy(kDraws + 1, origin_.size());
    Vector logits(kDraws + 1);
    for (int a = 0; a <= kSteps; ++a) {
      for (int b = 0; b <= kSteps; ++b) {
        const Vector change{box_[0].lower + (box_[0].upper - box_[0].lower) * a / kSteps,
                            box_[1].lower + (box_[1].upper - box_[1].lower) * b / kSteps};
        const double cost = change_cost(costs_, change);
        if (cost >= best) continue;
        for (std::size_t k = 0; k <= kDraws; ++k) {
          for (std::size_t j = 0; j < origin_.size(); ++j) {
            noisy[k][j] = origin_[j] + (j < 2 ? change[j] : 0) + (k < kDraws ? draws_[k][j] : 0);
          }
        }
        model_.logits(noisy.rows(), logits);
        std::size_t invalid = 0;
        for (std::size_t k = 0; k < kDraws; ++k) {
          invalid += problem_.goal.reached(logits[k]) ? 0U : 1U;
        }
        if (problem_.goal.reached(logits[kDraws]) && invalid <= allowed_) best = cost;
      }
    }
    return best;
  }

 private:
  Mlp model_;
  Space space_;
  Problem problem_;
  Matrix draws_;
  Vector origin_;
  Vector costs_;
  ChangeBox box_;
  std::size_t allowed_;
};

class SlowBranchAndBoundOf
    : public testing::TestWithParam<std::pair<std::vector<std::size_t>, Activation>> {};

TEST_P(SlowBranchAndBoundOf, AgreesWithAGrid) {
  std::size_t solvable = 0;
  std::size_t solved = 0;
  std::size_t impossible = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const Instance instance(GetParam().first, GetParam().second, seed, 25);
    const double grid = instance.cheapest_of_grid();
    const BranchResult result = instance.solve({.gap = 0.01, .max_boxes = 20'000});
    EXPECT_LE(result.lower, grid) << seed;
    if (result.exhausted) {
      EXPECT_EQ(grid, kInfinite) << seed;
      EXPECT_EQ(result.lower, kInfinite) << seed;
      ++impossible;
    } else if (result.upper) {
      ++solvable;
      if (result.lower < 0.99 * *result.upper * (1 - 1e-6)) continue;
      EXPECT_LE(0.99 * *result.upper, grid) << seed;
      ++solved;
    }
  }
  EXPECT_GE(solvable, 5U);
  EXPECT_GE(impossible, 5U);
  // The odd one has its only solutions in a corner that no ray meets; its bound is sound all the
  // same.
  EXPECT_GE(solved + 1, solvable);
}

INSTANTIATE_TEST_SUITE_P(
    Networks, SlowBranchAndBoundOf,
    testing::Values(std::pair(std::vector<std::size_t>{3, 8}, Activation::relu),
                    std::pair(std::vector<std::size_t>{2, 8}, Activation::leaky_relu),
                    std::pair(std::vector<std::size_t>{3, 6, 4}, Activation::relu)));

/// One number and two categories, against all levels and a grid.
TEST(BranchAndBound, AgreesWithAGridOverLevels) {
  std::size_t solvable = 0;
  std::size_t solved = 0;
  std::size_t moved = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Space space = fixtures::mixed_space(1, {3, 2});
    const Vector origin = fixtures::random_person(space, seed);
    const std::size_t first = level_at(space.groups[0], origin);
    const std::size_t second = level_at(space.groups[1], origin);
    for (std::size_t l = 0; l < 3; ++l) {
      if (l != first) {
        space.groups[0].moves.push_back({first, l, 0.1 + 0.2 * static_cast<double>(l)});
      }
    }
    space.groups[1].moves = {{second, 1 - second, 0.25}};
    Mlp model = fixtures::random_mlp({6, 8}, Activation::relu, 70 * seed);
    std::vector<DenseLayer> layers = model.layers();
    layers.back().bias[0] -= model.logit(origin) + 0.1;
    model = Mlp(layers, Activation::relu);
    Problem problem{model,  space, {.scale = 0.1, .scope = NoiseScope::continuous},
                    Goal(), seed,  true};
    problem.noise.flips = fixtures::random_flips(space, 0.05, seed);
    const DrawnNetwork network = draw_for_proof(problem, kDraws, 0);
    ChangeRegion region = admissible_region(network, origin);
    region.box = {{-0.8, 0.8}};
    const std::size_t allowed = 30;
    const BranchResult result = branch_and_bound(network, {origin, Vector{1}, region, allowed},
                                                 {.gap = 0.01, .max_boxes = 20'000});
    double grid = kInfinite;
    bool by_level = false;
    const Stream stream = problem.stream(Purpose::prove, 0);
    for (const LevelOption& a : region.levels[0]) {
      for (const LevelOption& b : region.levels[1]) {
        for (int step = -80; step <= 80; ++step) {
          const double cost = 0.01 * std::abs(step) + a.price + b.price;
          if (cost >= grid) continue;
          Vector point = origin;
          point[0] += 0.01 * step;
          set_level(space.groups[0], a.level, point);
          set_level(space.groups[1], b.level, point);
          if (!problem.goal.reached(model.logit(point))) continue;
          std::size_t invalid = 0;
          for (std::size_t k = 0; k < kDraws && invalid <= allowed; ++k) {
            const Vector noisy = fixtures::noisy_copy(problem.noise, space, stream, k, point);
            invalid += problem.goal.reached(model.logit(noisy)) ? 0U : 1U;
          }
          if (invalid > allowed) continue;
          grid = cost;
          by_level = a.price + b.price > 0;
        }
      }
    }
    EXPECT_LE(result.lower, grid) << seed;
    EXPECT_EQ(result.exhausted && grid < kInfinite, false) << seed;
    if (grid == kInfinite) continue;
    ++solvable;
    if (by_level) ++moved;
    if (result.upper && result.lower >= 0.99 * *result.upper * (1 - 1e-6)) {
      EXPECT_LE(0.99 * *result.upper, grid) << seed;
      ++solved;
    }
  }
  EXPECT_GE(solvable, 10U);
  EXPECT_GE(moved, 5U);
  EXPECT_GE(solved + 1, solvable);
}

TEST(SlowBranchAndBound, IsSoundWhereverItStops) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Instance instance({3, 8}, Activation::relu, seed, 25);
    const double grid = instance.cheapest_of_grid();
    double last = 0;
    for (const std::size_t boxes : {1U, 3U, 9U, 27U, 81U}) {
      const BranchResult result = instance.solve({.max_boxes = boxes});
      EXPECT_LE(result.lower, grid) << seed;
      EXPECT_LE(result.boxes, boxes + 1);
      EXPECT_GE(result.lower, last * 0.99) << seed;
      last = result.lower;
    }
  }
}

TEST(BranchAndBound, MoreAllowedFailuresNeverRaiseTheBound) {
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    double last = kInfinite;
    for (const std::size_t allowed : {5U, 20U, 60U, 120U}) {
      const Instance instance({3, 8}, Activation::relu, seed, allowed);
      const double lower = instance.solve({.gap = 0.001, .max_boxes = 20'000}).lower;
      EXPECT_LE(lower, last * 1.002) << seed << " " << allowed;
      last = lower;
    }
  }
}

TEST(BranchAndBound, ACeilingLimitsTheBoundAndAStartDoesNotMoveIt) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Instance instance({3, 8}, Activation::relu, seed, 25);
    const BranchResult plain = instance.solve({.gap = 0.002, .max_boxes = 20'000});
    if (!plain.upper) continue;
    const BranchResult low = instance.solve({.max_boxes = 20'000, .ceiling = plain.lower / 2});
    EXPECT_NEAR(low.lower, plain.lower / 2, 1e-6);
    EXPECT_TRUE(low.exhausted);
    const BranchResult from =
        instance.solve({.gap = 0.002, .max_boxes = 20'000, .start = RegionChange{{0.9, 0.6}, {}}});
    EXPECT_NEAR(from.lower, plain.lower, 0.005 * plain.lower) << seed;
    ++compared;
  }
  EXPECT_GE(compared, 5U);
}

}  // namespace
}  // namespace croco
