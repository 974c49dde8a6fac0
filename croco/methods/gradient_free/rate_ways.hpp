// SPDX-License-Identifier: Apache-2.0
/// Ways to go about a change, solved from the model's answers alone.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include <croco/base/types.hpp>
#include <croco/methods/change/ways.hpp>
#include <croco/methods/gradient_free/rate_search.hpp>

namespace croco {

/// For one person at one aim. Keeps references to all it is given.
class RateWays final : public WaySolver {
 public:
  /// `changes` are all that the person may change, before any way is chosen.
  RateWays(const RateDraws& shared, const RatePerson& person, const ChangeProblem& changes);

  [[nodiscard]] ShortestChange solve(ChangeProblem changes) override;
  /// Beside no change it begins where the best way so far changes numbers. Sketches may use half of
  /// the rows: what they find is to be solved.
  [[nodiscard]] ShortestChange sketch(ChangeProblem changes) override;
  [[nodiscard]] std::optional<double> constraint_if_feasible(const ChangeProblem& changes,
                                                             View change) override;
  /// Each move is looked at alone, on few draws, and moves are expected to add up.
  [[nodiscard]] double estimated_numeric_cost(const LevelSet& set, View change) override;
  [[nodiscard]] bool spent() const noexcept override { return person_.budget.spent(); }
  [[nodiscard]] std::size_t evaluations() const noexcept override {
    return person_.budget.evaluations;
  }

 private:
  [[nodiscard]] ShortestChange outcome(const RateSearch& search,
                                       std::optional<SteppedChange> stepped, ChangeProblem changes);
  [[nodiscard]] double gain_of(const LevelChoice& choice);

  const RateDraws& shared_;
  const RatePerson& person_;
  const ChangeProblem& changes_;
  double sketch_aim_;
  std::size_t sketch_rows_;  ///< the budget's use at which sketches end
  std::optional<ShortestChange> lead_;
  std::optional<double> here_;  ///< the constraint as things are
  double steepest_ = 0.0;
  std::map<LevelChoice, double> gains_;
};

}  // namespace croco
