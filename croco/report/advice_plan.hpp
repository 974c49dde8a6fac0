// SPDX-License-Identifier: Apache-2.0
/// Advice as a plan that a person can follow: what to do, how inexactly it may be done, and what is
/// promised. Text, JSON and HTML are all made from this.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/data/record_reader.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/report/context.hpp>

namespace croco {

/// One proposal for one person; refers to what it is made from.
struct ProposedChange {
  const Record& before;
  const Record& after;  ///< as recommended
  const Vector& origin;
  const Vector& point;  ///< encodes `after`
  const std::optional<Certificate>& certificate;
  const Distances& distance;
  bool valid = true;  ///< the model gives the wanted answer at `point`
};

/// How one recommended value may be missed.
struct StepNoise {
  /// `sd`, `half_width`, `scale`, `residuals` or `flip`; `blur` for a category whose encoded
  /// columns are noisy, which has no meaning in its own terms
  std::string kind = {};
  double value = 0.0;     ///< in own units; the probability of another level; the scale of a blur
  std::string text = {};  ///< "about 250 DM", "up to 1 month", "2 of 100 cases"
};

/// One feature that is to change.
struct PlanStep {
  std::size_t feature = 0;  ///< index into the schema
  std::string name = {};    ///< for people
  bool category = false;
  std::string from = {};  ///< "4,308 DM"
  std::string to = {};
  std::string phrase = {};              ///< "ask for 2,100 DM instead of 4,308 DM"
  double price = 0.0;                   ///< its part of the cost
  std::optional<StepNoise> noise = {};  ///< none: the promise takes it as done exactly
};

/// What a certificate says about the plan as a whole.
struct PlanPromise {
  double cases = 0.0;  ///< of 100, rounded down
  double confidence = 0.0;
  bool exact = false;  ///< computed, without samples
  std::optional<bool> target_met = {};
};

struct AdvicePlan {
  std::vector<PlanStep> steps = {};  ///< every feature that changes once, in the schema's order
  /// Features that stay as they are and have noise all the same; by the names that people see.
  std::vector<std::string> other_noise = {};
  std::optional<PlanPromise> promise = {};
  std::string action = {};   ///< "Ask for 2,100 DM instead of 4,308 DM and get a telephone."
  std::string outlook = {};  ///< "Even if you miss ..., the answer stays 'good' in at least ..."
  double cost = 0.0;
  double level_price = 0.0;  ///< the part of the cost that is for categories
};

[[nodiscard]] AdvicePlan make_advice_plan(const ReportContext& context,
                                          const ProposedChange& change);
/// The plan of an answer; none without advice.
[[nodiscard]] std::optional<AdvicePlan> advice_plan(const ReportContext& context,
                                                    const Explanation& explanation);
/// What becomes of the answer, and what is promised of it: the outcome with its score, and the
/// plan's outlook where that says more.
[[nodiscard]] std::string outcome_and_promise(const ReportContext& context,
                                              const Explanation& explanation,
                                              const AdvicePlan& plan);

}  // namespace croco
