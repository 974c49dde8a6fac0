// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/surrogate/surrogate_search.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <croco/base/normal.hpp>
#include <croco/base/parallel.hpp>
#include <croco/methods/make_search.hpp>

namespace croco {
namespace {

/// Distance of the steps on the normal quantile: a move of so many standard deviations of the
/// noise.
constexpr double kStepLength = 0.04;
constexpr std::size_t kSearchEvery = 8;
/// Failures that a rate must cause among the samples of a calibration to be measured at all.
constexpr double kLeastFailures = 4;
constexpr std::size_t kCacheBytes = std::size_t{128} << 20;

Problem with_kept(const Problem& problem, SampleCache& cache) {
  Problem out = problem;
  // Not owned: the search that keeps these samples lives no longer than the model.
  const std::shared_ptr<const Model> model(std::shared_ptr<const Model>(), &problem.model);
  out.kept = cache.of(model, problem.noise, problem.space);
  return out;
}

}  // namespace

SurrogateEffort surrogate_effort(double target) {
  SurrogateEffort out;
  out.calibration_samples = target < 0.03 ? 32'768 : 8192;
  return out;
}

std::vector<double> surrogate_rates(double target) {
  const auto samples = static_cast<double>(surrogate_effort(target).calibration_samples);
  const double last = -normal_quantile(kLeastFailures / samples);
  const double first = -normal_quantile((target + 0.5) / 2);
  std::vector<double> rates;
  for (std::size_t step = 0;; ++step) {
    const double score = first + kStepLength * static_cast<double>(step);
    if (score > last) break;
    rates.push_back(normal_cdf(-score));
  }
  return rates;
}

std::size_t usual_step(std::span<const double> rates, double target) {
  constexpr double kShare = 0.6;
  const auto step = std::ranges::find_if(rates, [&](double r) { return r <= kShare * target; });
  return std::min(static_cast<std::size_t>(step - rates.begin()), rates.size() - 1);
}

SurrogateSearch::SurrogateSearch(const Problem& problem, const Certified& method, std::size_t first,
                                 const SurrogateEffort& effort, unsigned threads)
    : rates_(surrogate_rates(method.target)),
      first_(std::min(first, rates_.size() - 1)),
      cache_(std::make_unique<SampleCache>(kCacheBytes)),
      problem_(with_kept(problem, *cache_)) {
  Certified own{.target = method.target,
                .search_samples = effort.search_samples,
                .calibration_samples = effort.calibration_samples};
  for (std::size_t step = 0; step < rates_.size(); step += kSearchEvery) {
    // Attempt 0 is what is searched for, attempt i + 1 is step i.
    CertificatePlan plan{.exact = false, .aims = {rates_[step]}};
    plan.aims.insert(plan.aims.end(), rates_.begin(), rates_.end());
    own.certificate = std::move(plan);
    searches_.push_back(make_search(problem_, own, threads));
  }
}

const Search& SurrogateSearch::search_near(std::size_t step) const {
  const std::size_t nearest = (step + kSearchEvery / 2) / kSearchEvery;
  return *searches_[std::min(nearest, searches_.size() - 1)];
}

Counterfactual SurrogateSearch::on_ray(const Attempt& from, const std::stop_token& stop) const {
  Attempt inner = from;
  ++inner.number;
  return std::move(search_near(from.number).retry_all({&inner, 1}, 1, stop).front());
}

Counterfactual SurrogateSearch::find_at(View origin, std::size_t step,
                                        const std::stop_token& stop) const {
  Counterfactual found = search_near(step).find(origin, stop);
  if (found.termination != Termination::converged) return found;
  Counterfactual scaled = on_ray({origin, found.point, step}, stop);
  scaled.steps += found.steps;
  // Where the change cannot grow any further, other features have to help from the start.
  const std::size_t safer = step / kSearchEvery + 1;
  if (scaled.termination == Termination::converged || safer >= searches_.size()) return scaled;
  Counterfactual other = searches_[safer]->find(origin, stop);
  other.steps += scaled.steps;
  return other.termination == Termination::converged ? other : scaled;
}

Counterfactual SurrogateSearch::find(View origin, const std::stop_token& stop) const {
  return find_at(origin, first_, stop);
}

Judgement SurrogateSearch::judge(View origin, View point, std::size_t step) const {
  return searches_.front()->judge(origin, point, step + 1);
}

std::vector<Counterfactual> SurrogateSearch::retry_all(std::span<const Attempt> failed,
                                                       unsigned threads,
                                                       const std::stop_token& stop) const {
  std::vector<Counterfactual> found(failed.size());
  parallel_for(failed.size(), threads, [&](std::size_t i) {
    found[i] = failed[i].same_features ? on_ray(failed[i], stop)
                                       : find_at(failed[i].origin, failed[i].number, stop);
  });
  return found;
}

std::vector<Counterfactual> SurrogateSearch::find_others(std::span<const OtherWay> people,
                                                         unsigned threads,
                                                         const std::stop_token& stop) const {
  return search_near(first_).find_others(people, threads, stop);
}

}  // namespace croco
