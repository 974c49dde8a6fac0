// SPDX-License-Identifier: Apache-2.0
// The walk over sets of moves, with a solver that says what it was asked.
#include <croco/methods/change/ways.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <tests/fixtures.hpp>
#include <tests/methods/mixed_worlds.hpp>

namespace croco {
namespace {

using fixtures::kGroups;
using fixtures::kNumbers;

/// Every move of every category, each at the same price, and three numbers.
Space priced_space(double price) {
  Space space = fixtures::mixed_space(1);
  for (OneHotGroup& group : space.groups) {
    group.moves.clear();
    group.moves.push_back({0, 1, price});
  }
  return space;
}

Vector first_levels(const Space& space) {
  Vector out(space.width());
  for (const OneHotGroup& group : space.groups) set_level(group, 0, out);
  return out;
}

/// The rate is kept by moves of `needed` categories, whatever the numbers are.
class MovesAlone final : public WaySolver {
 public:
  MovesAlone(const Space& space, View origin, std::size_t needed)
      : space_(space), origin_(origin), needed_(needed) {}

  [[nodiscard]] ShortestChange solve(ChangeProblem changes) override {
    ++solved;
    return answer(std::move(changes));
  }
  [[nodiscard]] ShortestChange sketch(ChangeProblem changes) override {
    ++sketched;
    return answer(std::move(changes));
  }
  [[nodiscard]] ShortestChange solve_from(ChangeProblem changes, View start) override {
    starts.emplace_back(start.begin(), start.end());
    return answer(std::move(changes));
  }
  [[nodiscard]] std::optional<double> constraint_if_feasible(const ChangeProblem& /*changes*/,
                                                             View change) override {
    tried.push_back(moves_of(change));
    if (!keeps(change)) return std::nullopt;
    return 0.5;
  }
  [[nodiscard]] double estimated_numeric_cost(const LevelSet& /*set*/, View /*change*/) override {
    return 0.0;
  }
  [[nodiscard]] std::size_t evaluations() const noexcept override { return 0; }

  std::size_t solved = 0;
  std::size_t sketched = 0;
  std::vector<Vector> starts;
  std::vector<std::size_t> tried;  ///< moves of the sets that were tried alone

 private:
  [[nodiscard]] std::size_t moves_of(View change) const {
    return levels_between(space_, origin_, moved(origin_, change)).moves.size();
  }
  [[nodiscard]] bool keeps(View change) const { return moves_of(change) >= needed_; }
  [[nodiscard]] ShortestChange answer(ChangeProblem changes) const {
    ShortestChange out;
    out.change = fixed_change(changes);
    out.feasible = keeps(out.change);
    out.cost = cost_of(changes, out.change);
    out.constraint = out.feasible ? 0.5 : -0.5;
    out.changes = std::move(changes);
    return out;
  }

  const Space& space_;
  View origin_;
  std::size_t needed_;
};

class Ways : public testing::Test {
 protected:
  [[nodiscard]] ShortestChange best(MovesAlone& solver, bool moves_first, View known = {}) const {
    const FeatureSet frozen;
    const ChangeProblem changes = changes_without(space_, origin_, frozen);
    return search_ways({space_, origin_, changes, frozen, {}, moves_first, known}, solver).front();
  }

  Space space_ = priced_space(0.2);
  Vector origin_ = first_levels(space_);
};

TEST_F(Ways, MovesFirstFindFourMovesThatASearchWithNumbersDoesNotReach) {
  static_assert(kGroups == 4);
  MovesAlone usual(space_, origin_, 4);
  EXPECT_FALSE(best(usual, false).feasible);
  MovesAlone first(space_, origin_, 4);
  const ShortestChange found = best(first, true);
  EXPECT_TRUE(found.feasible);
  EXPECT_NEAR(found.cost, 0.8, 1e-12);
}

TEST_F(Ways, MovesFirstStopAtTheCheapestSetThatKeepsTheRate) {
  MovesAlone solver(space_, origin_, 2);
  EXPECT_NEAR(best(solver, true).cost, 0.4, 1e-12);
  EXPECT_EQ(solver.tried, (std::vector<std::size_t>{1, 1, 1, 1, 2}));
  EXPECT_EQ(solver.sketched, 5U) << "without a move and with one, which cost less";
}

TEST_F(Ways, BeginAtWhatIsKnownAndTryNothingMuchCheaper) {
  Vector known(space_.width());
  set_level(space_.groups[0], 1, known);
  known[space_.groups[0].first] = -1;
  known[0] = 0.3;  // 0.2 for the move and 0.3 for a number
  MovesAlone solver(space_, origin_, 3);
  EXPECT_NEAR(best(solver, true, known).cost, 0.6, 1e-12);
  EXPECT_EQ(solver.starts, std::vector<Vector>{known});
  EXPECT_THAT(solver.tried, testing::Each(testing::Ge(3U)))
      << "sets of two moves cost less than what kept a higher rate";
}

}  // namespace
}  // namespace croco
