// SPDX-License-Identifier: Apache-2.0
#include <croco/optim/l1_program.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/fixtures.hpp"
#include "tests/golden.hpp"

namespace croco {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double dot(View a, View b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

/// A program that owns its numbers.
struct Owned {
  Vector costs;
  Vector lower;
  Vector upper;
  std::vector<Vector> coefficients;
  Vector bounds;
  Vector penalties;

  [[nodiscard]] L1Program program() const {
    L1Program out{costs, lower, upper, {}};
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      out.rows.push_back({coefficients[i], bounds[i], penalties[i]});
    }
    return out;
  }
  [[nodiscard]] double objective(View point) const {
    double sum = 0;
    for (std::size_t j = 0; j < costs.size(); ++j) sum += costs[j] * std::abs(point[j]);
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      const double excess = dot(coefficients[i], point) - bounds[i];
      if (std::isfinite(penalties[i])) sum += penalties[i] * std::max(0.0, excess);
    }
    return sum;
  }
  /// How far a point is from the box and from the rows that must hold.
  [[nodiscard]] double violation(View point) const {
    double most = 0;
    for (std::size_t j = 0; j < costs.size(); ++j) {
      most = std::max({most, lower[j] - point[j], point[j] - upper[j]});
    }
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      if (std::isfinite(penalties[i])) continue;
      most = std::max(most, dot(coefficients[i], point) - bounds[i]);
    }
    return most;
  }
};

Vector numbers(const golden::Json& list, double missing) {
  Vector out;
  for (const auto& value : list) out.push_back(value.is_null() ? missing : value.get<double>());
  return out;
}

Owned parse(const golden::Json& json) {
  Owned out{golden::vector(json.at("costs")),
            numbers(json.at("lower"), -kInfinite),
            numbers(json.at("upper"), kInfinite),
            {},
            {},
            {}};
  for (const auto& row : json.at("rows")) {
    Vector values = numbers(row, kInfinite);
    out.penalties.push_back(values.back());
    values.pop_back();
    out.bounds.push_back(values.back());
    values.pop_back();
    out.coefficients.push_back(std::move(values));
  }
  return out;
}

/// The least of the rows' sum over the box is above the sum of their bounds.
void expect_contradiction(const Owned& owned, View conflict, std::size_t problem) {
  ASSERT_EQ(conflict.size(), owned.bounds.size()) << problem;
  double bound = 0;
  double least = 0;
  Vector sum(owned.costs.size());
  for (std::size_t i = 0; i < conflict.size(); ++i) {
    EXPECT_GE(conflict[i], 0.0) << problem;
    EXPECT_TRUE(conflict[i] == 0 || !std::isfinite(owned.penalties[i])) << problem;
    bound += conflict[i] * owned.bounds[i];
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += conflict[i] * owned.coefficients[i][j];
  }
  for (std::size_t j = 0; j < sum.size(); ++j) {
    if (std::abs(sum[j]) < 1e-9) continue;
    least += sum[j] * (sum[j] > 0 ? owned.lower[j] : owned.upper[j]);
  }
  EXPECT_GT(least, bound + 1e-11) << problem;
}

/// Whether a solution is what HiGHS found; true where that is that there is none.
bool expect_highs(const golden::Json& program, const Owned& owned, const L1Solution& found,
                  std::size_t k) {
  if (program.at("optimum").is_null()) {
    EXPECT_EQ(found.verdict, ProgramVerdict::infeasible) << k;
    expect_contradiction(owned, found.conflict, k);
    return true;
  }
  const auto optimum = program.at("optimum").get<double>();
  EXPECT_EQ(found.verdict, ProgramVerdict::optimal) << k;
  EXPECT_NEAR(owned.objective(found.point), optimum, 1e-9 * std::max(1.0, optimum)) << k;
  EXPECT_LE(owned.violation(found.point), 1e-9) << k;
  return false;
}

TEST(L1Program, AgreesWithHighs) {
  const golden::Json programs = golden::list("l1_programs", "programs");
  ASSERT_GE(programs.size(), 2000U);
  std::size_t infeasible = 0;
  for (std::size_t k = 0; k < programs.size() && !testing::Test::HasFailure(); ++k) {
    const Owned owned = parse(programs[k]);
    const L1Solution found = solve(owned.program());
    const bool none = expect_highs(programs[k], owned, found, k);
    infeasible += none ? 1U : 0U;
    EXPECT_TRUE(none || found.iterations <= 40) << k << ": " << found.iterations;
  }
  EXPECT_GE(infeasible, 500U);
}

/// The rule that ends what long steps might not: it must find the same optima.
TEST(L1Program, AgreesWithHighsBySmallestIndicesToo) {
  const golden::Json programs = golden::list("l1_programs", "programs");
  for (std::size_t k = 0; k < programs.size() && !testing::Test::HasFailure(); ++k) {
    const Owned owned = parse(programs[k]);
    static_cast<void>(expect_highs(programs[k], owned, solve(owned.program(), 0), k));
  }
}

TEST(L1Program, WithoutRowsEveryColumnIsAtItsValueNearestToZero) {
  const Owned owned{{1, 2, 3, 1}, {-1, 0.25, -2, -kInfinite}, {1, 2, -0.5, kInfinite}, {}, {}, {}};
  const L1Solution found = solve(owned.program());
  EXPECT_EQ(found.verdict, ProgramVerdict::optimal);
  EXPECT_EQ(found.point, (Vector{0, 0.25, -0.5, 0}));
  EXPECT_DOUBLE_EQ(found.cost, 2.0);
  EXPECT_EQ(found.iterations, 0U);
}

TEST(L1Program, OneRowTakesOneIterationHoweverManyColumnsItNeeds) {
  constexpr std::size_t kColumns = 40;
  Owned owned{
      Vector(kColumns), Vector(kColumns, -0.1), Vector(kColumns, 0.1), {Vector(kColumns)}, {-3.05},
      {kInfinite}};
  for (std::size_t j = 0; j < kColumns; ++j) {
    owned.costs[j] = 1 + static_cast<double>(j);
    owned.coefficients[0][j] = j % 2 == 0 ? 1 : -1;
  }
  const L1Solution found = solve(owned.program());
  EXPECT_EQ(found.verdict, ProgramVerdict::optimal);
  EXPECT_EQ(found.iterations, 1U);
  for (std::size_t j = 0; j < 30; ++j) EXPECT_EQ(found.point[j], j % 2 == 0 ? -0.1 : 0.1) << j;
  EXPECT_NEAR(found.point[30], -0.05, 1e-14);
  for (std::size_t j = 31; j < kColumns; ++j) EXPECT_EQ(found.point[j], 0.0) << j;
}

TEST(L1Program, NamesTheRowsThatContradictTheBoxAndNoOthers) {
  // x + y >= 3 in the unit square; the other rows can hold.
  const Owned owned{
      {1, 1}, {0, 0}, {1, 1}, {{1, 0}, {-1, -1}, {0, 1}}, {0.5, -3, 2}, Vector(3, kInfinite)};
  const L1Solution found = solve(owned.program());
  ASSERT_EQ(found.verdict, ProgramVerdict::infeasible);
  EXPECT_EQ(found.conflict[0], 0.0);
  EXPECT_GT(found.conflict[1], 0.0);
  EXPECT_EQ(found.conflict[2], 0.0);
}

TEST(L1Program, NamesTwoRowsThatOnlyContradictEachOther) {
  // x - y <= -1 and y - x <= -1, without a box.
  const Owned owned{{1, 1, 1},
                    Vector(3, -kInfinite),
                    Vector(3, kInfinite),
                    {{1, -1, 0}, {0, 0, 1}, {-1, 1, 0}},
                    {-1, -2, -1},
                    Vector(3, kInfinite)};
  const L1Solution found = solve(owned.program());
  ASSERT_EQ(found.verdict, ProgramVerdict::infeasible);
  EXPECT_GT(found.conflict[0], 0.0);
  EXPECT_EQ(found.conflict[1], 0.0);
  EXPECT_GT(found.conflict[2], 0.0);
}

TEST(L1Program, ARowThatMayBeMissedYieldsToOneThatMustHold) {
  // x >= 2 at a price of 10 a unit, but x <= 1.
  const Owned owned{{1}, {-5}, {5}, {{-1}, {1}}, {-2, 1}, {10, kInfinite}};
  const L1Solution found = solve(owned.program());
  ASSERT_EQ(found.verdict, ProgramVerdict::optimal);
  EXPECT_DOUBLE_EQ(found.point[0], 1.0);
}

/// Rows and columns in sizes that are 12 powers of ten apart.
TEST(L1Program, ScalesItsRows) {
  for (const double scale : {1e-6, 1.0, 1e6}) {
    const Owned owned{{1, 1},
                      {-2, -2},
                      {2, 2},
                      {{-scale, -scale}, {scale, 0}},
                      {-3 * scale, 1.25 * scale},
                      Vector(2, kInfinite)};
    const L1Solution found = solve(owned.program());
    ASSERT_EQ(found.verdict, ProgramVerdict::optimal) << scale;
    EXPECT_NEAR(found.cost, 3.0, 1e-12) << scale;
    EXPECT_LE(found.point[0], 1.25 + 1e-12) << scale;
  }
}

/// Random programs in two columns against every point of a grid.
TEST(L1Program, NoPointOfAGridIsBetter) {
  std::size_t feasible = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Vector draw = fixtures::random_vector(16, seed);
    const Owned owned{{1.1 + draw[0], 1.1 + draw[1]},
                      {-1, -1 + 0.5 * draw[2]},
                      {1 + 0.5 * draw[3], 1},
                      {{draw[4], draw[5]}, {draw[6], draw[7]}, {draw[8], draw[9]}},
                      {0.6 * draw[10], 0.6 * draw[11], 0.6 * draw[12]},
                      {seed % 2 == 0 ? kInfinite : 5.0, kInfinite, kInfinite}};
    const L1Solution found = solve(owned.program());
    double best = kInfinite;
    for (int i = 0; i <= 80; ++i) {
      for (int k = 0; k <= 80; ++k) {
        const Vector point{owned.lower[0] + (owned.upper[0] - owned.lower[0]) * i / 80,
                           owned.lower[1] + (owned.upper[1] - owned.lower[1]) * k / 80};
        if (owned.violation(point) <= 0) best = std::min(best, owned.objective(point));
      }
    }
    if (found.verdict == ProgramVerdict::infeasible) {
      EXPECT_EQ(best, kInfinite) << seed;
      continue;
    }
    ASSERT_EQ(found.verdict, ProgramVerdict::optimal) << seed;
    ++feasible;
    EXPECT_LE(owned.violation(found.point), 1e-10) << seed;
    EXPECT_LE(owned.objective(found.point), best + 1e-10) << seed;
  }
  EXPECT_GE(feasible, 200U);
}

/// Equal prices and small whole numbers: every ratio is a tie and most corners are degenerate.
TEST(L1Program, EndsOnDegeneratePrograms) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    constexpr std::size_t kColumns = 8;
    constexpr std::size_t kRows = 8;
    Owned owned{Vector(kColumns, 1.0),   Vector(kColumns, -1.0), Vector(kColumns, 1.0), {}, {},
                Vector(kRows, kInfinite)};
    const Vector draw = fixtures::random_vector(kRows * (kColumns + 1), seed);
    for (std::size_t i = 0; i < kRows; ++i) {
      Vector& row = owned.coefficients.emplace_back();
      for (std::size_t j = 0; j < kColumns; ++j) {
        row.push_back(std::round(1.4 * draw[i * kColumns + j]));
      }
      owned.bounds.push_back(std::round(draw[kRows * kColumns + i]));
    }
    const L1Solution found = solve(owned.program());
    ASSERT_NE(found.verdict, ProgramVerdict::unfinished) << seed;
    EXPECT_LE(found.iterations, 60U) << seed;
    if (found.verdict == ProgramVerdict::infeasible) {
      expect_contradiction(owned, found.conflict, seed);
    } else {
      EXPECT_LE(owned.violation(found.point), 1e-9) << seed;
    }
  }
}

}  // namespace
}  // namespace croco
