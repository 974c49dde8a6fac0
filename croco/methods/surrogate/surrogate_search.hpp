// SPDX-License-Identifier: Apache-2.0
/// The certified search on a surrogate. What rate a point must have there depends on how far the
/// surrogate is off for this person, which is found out on the way. So attempts are the steps of a
/// fine ladder of rates: `Attempt::number` is a step, and every answer is the cheapest change whose
/// rate under the surrogate is at most that of the step. Searches are made for some of the steps.
/// Between them a change is interpolated: scaled along its ray, by the normal quantile of its rate.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/method.hpp>
#include <croco/methods/search.hpp>
#include <croco/robustness/problem.hpp>
#include <croco/robustness/sample_cache.hpp>

namespace croco {

/// Rates in falling order, as far apart as an eighth of the rate at most: from half way between the
/// target and one half down to what the samples of a search can tell from 0.
[[nodiscard]] std::vector<double> surrogate_rates(double target);

/// The step that about passes a certificate of a thousand samples, where the surrogate is right:
/// its rate is six tenths of the target.
[[nodiscard]] std::size_t usual_step(std::span<const double> rates, double target);

/// How much a surrogate's searches look at; they cost no query.
struct SurrogateEffort {
  std::size_t search_samples = 2048;
  std::size_t calibration_samples = 8192;
};
/// What the lowest step for a target needs.
[[nodiscard]] SurrogateEffort surrogate_effort(double target);

/// Immutable and thread-safe.
class SurrogateSearch final : public Search {
 public:
  /// `problem` is that of the surrogate, and must outlive the search. `method` has the target and
  /// the limits of the search; searches begin at step `first`.
  SurrogateSearch(const Problem& problem, const Certified& method, std::size_t first,
                  const SurrogateEffort& effort, unsigned threads);

  [[nodiscard]] const std::vector<double>& rates() const noexcept { return rates_; }
  [[nodiscard]] std::size_t first() const noexcept { return first_; }
  [[nodiscard]] Counterfactual find_at(View origin, std::size_t step,
                                       const std::stop_token& stop) const;

  /// At the first step.
  [[nodiscard]] Counterfactual find(View origin, const std::stop_token& stop) const override;
  [[nodiscard]] Judgement judge(View origin, View point, std::size_t step) const override;
  /// A change for another step, of the same features where that is asked for.
  [[nodiscard]] std::vector<Counterfactual> retry_all(std::span<const Attempt> failed,
                                                      unsigned threads,
                                                      const std::stop_token& stop) const override;
  [[nodiscard]] std::vector<Counterfactual> find_others(std::span<const OtherWay> people,
                                                        unsigned threads,
                                                        const std::stop_token& stop) const override;

 private:
  [[nodiscard]] const Search& search_near(std::size_t step) const;
  [[nodiscard]] Counterfactual on_ray(const Attempt& from, const std::stop_token& stop) const;

  std::vector<double> rates_;
  std::size_t first_;
  std::unique_ptr<SampleCache> cache_;  ///< the searches have their samples in common
  Problem problem_;
  std::vector<std::unique_ptr<Search>> searches_;  ///< one for each `kSearchEvery` steps
};

}  // namespace croco
