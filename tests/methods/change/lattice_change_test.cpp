// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/change/lattice_change.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/normal.hpp>
#include <croco/methods/make_search.hpp>
#include <croco/robustness/exact_rate.hpp>
#include <croco/space/admissible.hpp>
#include <croco/space/distance.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

double gain(View slope, View change) {
  double sum = 0;
  for (std::size_t j = 0; j < slope.size(); ++j) sum += slope[j] * change[j];
  return sum;
}

/// Every admissible change of a column: its steps and the present value, or for free columns none
/// but the present value and the ends (the last column is solved for).
std::vector<double> values_of(const Column& column, double origin) {
  std::vector<double> out{0.0};
  const Interval interval = admissible_interval(column, origin);
  if (column.step == 0) {
    out.insert(out.end(), {interval.lower - origin, interval.upper - origin});
    return out;
  }
  for (double k = -60; k <= 60; ++k) {
    const double value = column.step_origin + k * column.step;
    if (value >= interval.lower - 1e-9 && value <= interval.upper + 1e-9) {
      out.push_back(value - origin);
    }
  }
  return out;
}

/// The cheapest change by trying all: every column on one of its values, and at most one free
/// column in between, where the constraint is tight (the vertices of the problem).
double cheapest_by_enumeration(const Space& space, View origin, View slope, double needed) {
  std::vector<std::vector<double>> values;
  for (std::size_t j = 0; j < origin.size(); ++j) {
    values.push_back(values_of(space.columns[j], origin[j]));
  }
  double best = std::numeric_limits<double>::infinity();
  Vector change(origin.size());
  const auto cost = [&] {
    double sum = 0;
    for (std::size_t j = 0; j < change.size(); ++j) {
      sum += space.columns[j].cost * std::abs(change[j]);
    }
    return sum;
  };
  const auto visit = [&](auto&& self, std::size_t j) -> void {
    if (j < change.size()) {
      for (const double value : values[j]) {
        change[j] = value;
        self(self, j + 1);
      }
      change[j] = 0;
      return;
    }
    const double got = gain(slope, change);
    if (got >= needed - 1e-12) best = std::min(best, cost());
    for (std::size_t f = 0; f < change.size(); ++f) {
      if (space.columns[f].step != 0 || slope[f] == 0) continue;
      const double before = change[f];
      change[f] = before + (needed - got) / slope[f];
      const Interval interval = admissible_interval(space.columns[f], origin[f]);
      if (change[f] + origin[f] >= interval.lower && change[f] + origin[f] <= interval.upper) {
        best = std::min(best, cost());
      }
      change[f] = before;
    }
  };
  visit(visit, 0);
  return best;
}

struct LatticeWorld {
  Space space;
  Vector origin;
  Vector slope;
  double needed;
};

/// Columns with and without steps, origins off the steps, directions, unlike costs.
LatticeWorld random_world(std::uint64_t seed, std::size_t width) {
  Sequence random({seed, Purpose::train, 77});
  LatticeWorld out;
  for (std::size_t j = 0; j < width; ++j) {
    Column column{.lower = -1, .upper = 1};
    const std::uint32_t kind = random.below(4);
    column.movement = kind == 0 ? Movement::up : kind == 1 ? Movement::down : Movement::both;
    if (random.below(4) != 0) {
      column.step = 0.1 + 0.5 * random.uniform();
      column.step_origin = random.uniform();
    }
    column.cost = 0.2 + 2 * random.uniform();
    out.space.columns.push_back(column);
    out.origin.push_back(1.6 * random.uniform() - 0.8);
    out.slope.push_back(random.below(8) == 0 ? 0.0 : 4 * random.uniform() - 2);
  }
  out.needed = 3 * random.uniform();
  return out;
}

TEST(LatticeChange, IsTheCheapestOfAll) {
  std::size_t possible = 0;
  std::size_t stepped = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const LatticeWorld world = random_world(seed, 3 + seed % 2);
    const double expected =
        cheapest_by_enumeration(world.space, world.origin, world.slope, world.needed);
    const auto found =
        cheapest_lattice_change(world.space, world.origin, world.slope, world.needed);
    ASSERT_EQ(found.has_value(), std::isfinite(expected)) << seed;
    if (!found) continue;
    ++possible;
    EXPECT_NEAR(found->cost, expected, 1e-9) << seed;
    EXPECT_TRUE(found->optimal) << seed;
    EXPECT_GE(gain(world.slope, found->change), world.needed - 1e-9) << seed;
    Vector point = world.origin;
    for (std::size_t j = 0; j < point.size(); ++j) {
      point[j] += found->change[j];
      stepped += world.space.columns[j].step != 0 && found->change[j] != 0 ? 1U : 0U;
    }
    EXPECT_TRUE(is_admissible(world.space, world.origin, point)) << seed;
  }
  EXPECT_GT(possible, 150U);
  EXPECT_GT(stepped, 150U);
}

TEST(LatticeChange, NeedsNoChangeWhenNothingIsNeeded) {
  const LatticeWorld world = random_world(1, 4);
  const auto found = cheapest_lattice_change(world.space, world.origin, world.slope, -0.5);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->change, Vector(4));
  EXPECT_EQ(found->cost, 0);
}

TEST(LatticeChange, RunsOnStepsWithoutEnds) {
  Space space = fixtures::free_space(2);
  space.columns[0].step = 0.3;
  space.columns[1].step = 1;
  space.columns[1].cost = 0.5;
  // Per unit of cost column 0 yields 1 and column 1 yields 1.6: 6 steps of it give 4.8, and one
  // more (cost .5) is dearer than .3 of the other.
  const auto found = cheapest_lattice_change(space, Vector{0, 0}, Vector{1, 0.8}, 5.0);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->change[0], 0.3, 1e-12);
  EXPECT_NEAR(found->change[1], 6, 1e-12);
  EXPECT_NEAR(found->cost, 3.3, 1e-12);
}

/// All of the exact path at once: the found point against every admissible point of a small space.
TEST(CertifiedLinear, IsTheCheapestAdmissiblePointWithTheRate) {
  std::size_t converged = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    LatticeWorld world = random_world(seed, 3);
    const double target = 0.02 + 0.3 * static_cast<double>(seed % 7) / 7;
    const Mlp model = fixtures::logistic(world.slope, -1.0 - static_cast<double>(seed % 5) / 5);
    const Problem problem{model, world.space, {.scale = 0.2}, Goal(0.4), 0};
    if (problem.goal.reached(model.logit(world.origin))) continue;
    const LinearMargin margin = linear_margin(problem);
    const double needed = std::max(0.0, -normal_quantile(target) * margin.spread);
    const double expected = cheapest_by_enumeration(world.space, world.origin, margin.slope,
                                                    needed - margin.at(world.origin));
    const auto search = make_search(problem, Certified{.target = target});
    const Counterfactual found = search->find(world.origin, {});
    ASSERT_EQ(found.termination == Termination::converged, std::isfinite(expected)) << seed;
    EXPECT_TRUE(is_admissible(world.space, world.origin, found.point)) << seed;
    if (!std::isfinite(expected)) {
      const bool reached = problem.goal.reached(model.logit(found.point));
      EXPECT_EQ(found.termination, reached ? Termination::unmet : Termination::infeasible);
      continue;
    }
    ++converged;
    EXPECT_NEAR(distances(world.space, world.origin, found.point).cost, expected, 1e-6) << seed;
    EXPECT_LE(exact_rate(problem, margin, found.point).upper, target) << seed;
    const Judgement judgement = search->judge(world.origin, found.point);
    EXPECT_TRUE(judgement.satisfied && judgement.reached);
    EXPECT_EQ(*judgement.rate, *found.method_rate);
  }
  EXPECT_GT(converged, 40U);
}

TEST(CertifiedLinear, UsesTheWholeAllowanceWhereColumnsAreFree) {
  const Mlp model = fixtures::logistic({0.5, -2.0, 1.0}, -0.5);
  const Space space = fixtures::free_space(3);
  const Problem problem{model, space, {.scale = 0.1}, Goal(), 7};
  const Vector origin{0.2, 0.6, 0.1};
  const Counterfactual found = make_search(problem, Certified{.target = 0.05})->find(origin, {});
  ASSERT_EQ(found.termination, Termination::converged);
  EXPECT_NEAR(*found.method_rate, 0.05, 1e-6);
  EXPECT_LT(*found.method_rate, 0.05);
}

TEST(CertifiedLinear, AboveOneHalfValidityIsTheStricterDemand) {
  const Mlp model = fixtures::logistic({1.0}, -1.0);
  const Space space = fixtures::free_space(1);
  const Problem problem{model, space, {.scale = 0.5}, Goal(), 7};
  const Counterfactual found =
      make_search(problem, Certified{.target = 0.9})->find(Vector{0.0}, {});
  ASSERT_EQ(found.termination, Termination::converged);
  EXPECT_GT(model.logit(found.point), 0);
  EXPECT_NEAR(found.point[0], 1, 1e-6);
}

TEST(CertifiedLinear, LeavesMoreRoomAtEveryAttempt) {
  const Mlp model = fixtures::logistic({1.0}, -1.0);
  const Space space = fixtures::free_space(1);
  const Problem problem{model, space, {.scale = 0.5}, Goal(), 7};
  const auto search = make_search(problem, Certified{.target = 0.1});
  double last = search->find(Vector{0.0}, {}).point[0];
  for (const std::size_t attempt : {1U, 2U}) {
    const Vector origin{0.0};
    const Vector point{last};
    const Attempt failed{origin, point, attempt};
    const double next = search->retry_all({&failed, 1}, 1, {})[0].point[0];
    EXPECT_GT(next, last);
    EXPECT_LT(next, last + 1e-3);
    last = next;
  }
}

TEST(CertifiedLinear, IsPickedForExactCertificatesOnly) {
  const Mlp model = fixtures::logistic({1.0}, -1.0);
  const Space space = fixtures::free_space(1);
  const Problem problem{model, space, {.scale = 0.1}, Goal(), 7};
  const auto rate = [&](bool exact) {
    return *make_search(problem,
                        Certified{.target = 0.05, .certificate = CertificatePlan{.exact = exact}})
                ->find(Vector{0.0}, {})
                .method_rate;
  };
  EXPECT_NEAR(rate(true), 0.05, 1e-6);
  EXPECT_LT(rate(false), 0.049) << "a reserve for the certificate's draws";
  // No number of draws is too small where none are needed.
  EXPECT_NO_THROW(static_cast<void>(make_search(
      problem, Certified{.target = 1e-9, .certificate = CertificatePlan{.samples = 10}})));
}

}  // namespace
}  // namespace croco
