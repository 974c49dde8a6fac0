// SPDX-License-Identifier: Apache-2.0
// Trees on 512 draws at a time against the same trees row by row.
#include <croco/models/trees/tree_evaluator.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <croco/models/trees/tree_program.hpp>
#include <croco/models/trees/tree_rows.hpp>
#include <croco/space/levels.hpp>
#include <tests/fixtures.hpp>
#include <tests/trees.hpp>

namespace croco {
namespace {

using fixtures::golden_trees;
using fixtures::random_vector;

/// Five numbers scaled as a codec would, and one category of six levels as columns of their own.
constexpr std::size_t kNumbers = 5;
constexpr std::size_t kLevels = 6;
const OneHotGroup kPurpose{kNumbers, kLevels};

InputColumns scaled_columns(bool category) {
  std::vector<InputColumn> columns(kNumbers);
  const Vector minimum{100, 4, 0, -1500, 0};
  const Vector unit{20'000, 68, 1, 3000, 1};
  for (std::size_t j = 0; j < kNumbers; ++j) {
    columns[j].column = j;
    columns[j].minimum = minimum[j];
    columns[j].unit = unit[j];
  }
  if (category) {
    InputColumn code;
    code.kind = InputColumn::Kind::code;
    code.column = kNumbers;
    for (std::size_t l = 0; l < kLevels; ++l) code.codes.push_back(static_cast<double>(l));
    columns.push_back(code);
  }
  return {kNumbers + kLevels, columns};
}

Vector person(std::uint64_t seed) {
  Vector point = random_vector(kNumbers + kLevels, seed, 0.0, 0.6);
  set_level(kPurpose, seed % kLevels, point);
  return point;
}

/// Normal-like draws on the first columns.
Matrix noise(std::size_t count, std::size_t columns, std::uint64_t seed) {
  Matrix out(count, kNumbers + kLevels);
  const Vector a = random_vector(count * columns, seed, -0.2, 0.2);
  const Vector b = random_vector(count * columns, seed + 1, -0.2, 0.2);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t j = 0; j < columns; ++j) {
      out[k][j] = a[k * columns + j] + b[k * columns + j];
    }
  }
  return out;
}

/// Cells as `sample_flips` would draw them.
DrawnFlips cells(const std::vector<LevelFlips>& flips, std::size_t count, std::uint64_t seed) {
  DrawnFlips out{flips, std::vector<std::uint32_t>(count * flips.size())};
  const Vector uniform = random_vector(out.cells.size(), seed, 0.0, 1.0);
  for (std::size_t i = 0; i < uniform.size(); ++i) {
    out.cells[i] = static_cast<std::uint32_t>(flips[i % flips.size()].cell_of(uniform[i]));
  }
  return out;
}

Vector noisy_row(View point, View draw, const DrawnFlips& flips, std::size_t k) {
  Vector row(point.size());
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = point[j] + draw[j];
  if (!flips.empty()) add_flips(flips.categories, flips.of(k), point, row);
  return row;
}

/// Counts of all draws at several points and thresholds: exactly those of rows one by one.
void expect_exact(const TreeModel& model, const Matrix& draws, const DrawnFlips& flips) {
  const auto bound = bind_trees(model, draws.rows(), flips);
  ASSERT_NE(bound, nullptr);
  ASSERT_EQ(bound->count(), draws.count());
  Matrix points(0, kNumbers + kLevels);
  for (std::uint64_t p = 1; p <= 3; ++p) points.append(person(p));
  Matrix logits(points.count(), draws.count());
  for (std::size_t p = 0; p < points.count(); ++p) {
    std::vector<float> about(draws.count());
    bound->logits(points[p], 0, about);
    for (std::size_t k = 0; k < draws.count(); ++k) {
      logits[p][k] = model.logit(noisy_row(points[p], draws[k], flips, k));
      ASSERT_NEAR(static_cast<double>(about[k]), logits[p][k], 0.02) << "draw " << k;
    }
    const std::size_t first = draws.count() / 3;
    std::vector<float> some(draws.count() / 2);
    bound->logits(points[p], first, some);
    EXPECT_TRUE(std::ranges::equal(some, std::span(about).subspan(first, some.size())));
  }
  // Logits that occur are the hardest thresholds: draws are equal to them.
  for (const double threshold : {0.0, -0.7, logits[0][0], logits[1][draws.count() / 2]}) {
    for (const bool above : {true, false}) {
      const Cut cut{threshold, above};
      std::vector<std::size_t> counts(points.count());
      std::vector<PointDraw> undecided;
      bound->count_failures(points.rows(), cut, counts, &undecided);
      EXPECT_TRUE(std::ranges::is_sorted(undecided));
      for (const PointDraw& one : undecided) {
        counts[one.point] += cut.clears(logits[one.point][one.draw]) ? 0U : 1U;
      }
      for (std::size_t p = 0; p < points.count(); ++p) {
        const auto exact =
            std::ranges::count_if(logits[p], [&](double z) { return !cut.clears(z); });
        EXPECT_EQ(counts[p], static_cast<std::size_t>(exact)) << "threshold " << threshold;
      }
    }
  }
}

class BoundTrees : public testing::TestWithParam<std::string> {
 protected:
  BoundTrees()
      : ensemble_(golden_trees(GetParam())),
        model_(ensemble_, scaled_columns(ensemble_.width > kNumbers)) {}

  TreeEnsemble ensemble_;
  TreeModel model_;
};

TEST_P(BoundTrees, CountsAreExactWithNoiseOnNumbers) {
  expect_exact(model_, noise(1500, kNumbers, 7), {});
}

TEST_P(BoundTrees, CountsAreExactWithNoiseOnSomeNumbers) {
  expect_exact(model_, noise(700, 2, 9), {});
}

TEST_P(BoundTrees, CountsAreExactWithNoiseOnEveryColumn) {
  expect_exact(model_, noise(600, kNumbers + kLevels, 11), {});
}

TEST_P(BoundTrees, CountsAreExactWithFlips) {
  const std::vector<LevelFlips> flips{
      LevelFlips::uniform(kPurpose, 0.3, std::vector<bool>(kLevels, true))};
  expect_exact(model_, noise(900, kNumbers, 13), cells(flips, 900, 15));
}

TEST_P(BoundTrees, CountsAreExactWithTies) {
  // Few distinct values, and thresholds that points meet exactly.
  Matrix draws = noise(520, kNumbers, 17);
  for (double& value : draws.data) value = std::round(value * 10) / 10;
  expect_exact(model_, draws, {});
}

TEST_P(BoundTrees, ManyRowsAreAsOneByOne) {
  Matrix rows(0, kNumbers + kLevels);
  for (std::uint64_t k = 0; k < 600; ++k) rows.append(person(100 + k));
  Vector many(rows.count());
  ASSERT_TRUE(many_tree_logits(model_, rows.rows(), many));
  for (std::size_t k = 0; k < rows.count(); ++k) EXPECT_EQ(many[k], model_.logit(rows[k]));
  // One category for all: its conditions are settled.
  for (std::size_t k = 0; k < rows.count(); ++k) set_level(kPurpose, 2, rows[k]);
  ASSERT_TRUE(many_tree_logits(model_, rows.rows(), many));
  for (std::size_t k = 0; k < rows.count(); ++k) EXPECT_EQ(many[k], model_.logit(rows[k]));
}

INSTANTIATE_TEST_SUITE_P(Models, BoundTrees,
                         testing::Values("xgb_numbers.json", "xgb_categories.json",
                                         "xgb_one_hot_split.json", "xgb_forest.json",
                                         "lgb_numbers.txt", "lgb_categories.txt",
                                         "lgb_zeros_missing.txt", "lgb_forest.txt",
                                         "lgb_sigmoid.txt"),
                         [](const auto& given) {
                           std::string name = given.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(TreeProgram, SettledConditionsLeaveNothingBehind) {
  const TreeEnsemble ensemble = golden_trees("xgb_numbers.json");
  const TreeModel model(ensemble, scaled_columns(false));
  const Vector point = person(3);
  std::vector<Known> known;
  for (const TreeCondition& condition : model.conditions()) {
    known.push_back(condition.holds(point) ? Known::yes : Known::no);
  }
  const auto program = compile_trees(model, known);
  ASSERT_TRUE(program.has_value());
  EXPECT_TRUE(program->conditions.empty());
  EXPECT_TRUE(program->forest.splits.empty());
  EXPECT_NEAR(program->offset, model.logit(point), 1e-5);
}

TEST(TreeProgram, IsCompiledOnceForTheSameSettlements) {
  const TreeEnsemble ensemble = golden_trees("xgb_numbers.json");
  const TreeModel model(ensemble, scaled_columns(false));
  const std::vector<Known> open(model.conditions().size(), Known::open);
  EXPECT_EQ(model.programs().get(model, open), model.programs().get(model, open));
}

/// In a thread of its own, whose working memory has held nothing yet.
TEST(BoundTrees, NeedNoSplits) {
  TreeEnsemble ensemble{.width = 2};
  append_tree(ensemble, {{.node = {.number = 0.25}}}, "a leaf");
  const TreeModel model(ensemble, InputColumns::identity(2));
  const Matrix draws(70, 2);
  const Vector point{0.5, 1.0};
  std::vector<float> logits(70);
  std::size_t count = 0;
  std::vector<PointDraw> undecided;
  std::thread([&] {
    const auto bound = bind_trees(model, draws.rows(), {});
    bound->logits(point, 0, logits);
    bound->count_failures({point, 2}, Cut{0.5}, {&count, 1}, &undecided);
  }).join();
  EXPECT_FLOAT_EQ(logits[69], 0.25F);
  EXPECT_EQ(count + undecided.size(), 70U);
}

TEST(BoundTreesErrors, HaveNoGradient) {
  const TreeEnsemble ensemble = golden_trees("xgb_numbers.json");
  const TreeModel model(ensemble, scaled_columns(false));
  const Matrix draws = noise(10, 2, 1);
  const auto bound = model.bind(draws.rows());
  Vector gradient(model.width());
  EXPECT_THROW(bound->add_gradient(person(1), 0, {}, gradient), ModelError);
}

}  // namespace
}  // namespace croco
