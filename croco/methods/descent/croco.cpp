// SPDX-License-Identifier: Apache-2.0
// CROCO, the paper's method (algorithm 1): eq. 8,
//
//     (bound(x') - target)^2 + (1 - f(x'))^2 + lambda |x' - x|_1,    bound = (m + soft) / (1 - t),
//
// minimised until the class has flipped and the bound of proposition 2 is at most the target. The
// steps take the soft rate from one set of samples, the stopping rule from another, so that the
// samples that shaped a point do not judge it. With z the logit of the wanted class the gradient is
//
//     2 (bound - target) / (1 - t) d soft/dx' - 2 (1 - f) f (1 - f) dz/dx' + the L1 term.
//
// People advance in small groups, so that the samples of a step are read once for all of them.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/methods/check_draws.hpp>
#include <croco/methods/croco_bound.hpp>
#include <croco/methods/descent/descent.hpp>
#include <croco/methods/searches.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/soft_rate.hpp>

namespace croco {
namespace {

/// Every step of a block has samples of its own; blocks use the same ones again. Fewer when they
/// would take too much memory.
std::size_t distinct_steps(const Problem& problem, const Croco& options) {
  const std::size_t bytes =
      std::max<std::size_t>(1, problem.model.evaluator_bytes_per_draw() * options.step_samples);
  return std::clamp<std::size_t>(kBankBytes / bytes, 1, options.block_steps);
}

/// The published code puts the one-hot columns of its noisy copies back to what they were, so its
/// steps see noise on the numeric columns alone, whatever its rates are measured with.
Problem step_problem(Problem problem, const Croco& options) {
  if (options.as_published && problem.noise.scope == NoiseScope::all) {
    problem.noise.scope = NoiseScope::continuous;
  }
  return problem;
}

/// With flips, a part of a bank is evaluated as a whole: a step should be one.
std::size_t step_part(const Problem& problem, const Croco& options) {
  return problem.noise.flips.empty() ? 0 : options.step_samples;
}

class CrocoSearch final : public Search {
 public:
  CrocoSearch(const Problem& problem, const Croco& options, const CrocoBound& bound)
      : problem_(problem),
        step_problem_(step_problem(problem, options)),
        options_(options),
        margin_(bound.margin),
        steps_(distinct_steps(problem, options)),
        bank_(step_problem_, {problem.seed, Purpose::search, Stream::kShared}, 0,
              steps_ * options.step_samples, 1, step_part(problem, options)),
        check_(problem, bound.samples) {}

  [[nodiscard]] Counterfactual find(View origin, const std::stop_token& stop) const override {
    return lead({&origin, 1}, stop)[0];
  }

  [[nodiscard]] std::vector<Counterfactual> find_all(std::span<const View> origins,
                                                     unsigned threads,
                                                     const std::stop_token& stop) const override {
    const std::size_t groups = (origins.size() + kTogether - 1) / kTogether;
    std::vector<Counterfactual> found(origins.size());
    parallel_for(groups, threads, [&](std::size_t group) {
      const std::size_t first = group * kTogether;
      const auto part = origins.subspan(first, std::min(kTogether, origins.size() - first));
      std::ranges::move(lead(part, stop), found.begin() + std::ptrdiff_t(first));
    });
    return found;
  }

  [[nodiscard]] Judgement judge(View origin, View point, std::size_t attempt) const override {
    const Attempt one{origin, point, attempt};
    return judge_all({&one, 1}, 1)[0];
  }

  [[nodiscard]] std::vector<Judgement> judge_all(std::span<const Attempt> points,
                                                 unsigned threads) const override {
    std::vector<Judgement> out(points.size());
    const std::size_t groups = (points.size() + kTogether - 1) / kTogether;
    parallel_for(groups, threads, [&](std::size_t group) {
      const std::size_t first = group * kTogether;
      const auto part = points.subspan(first, std::min(kTogether, points.size() - first));
      std::vector<Advice> advice;
      advice.reserve(part.size());
      for (const Attempt& one : part) advice.push_back({one.origin, one.point, 0});
      const std::vector<Tally> tallies = check_.tally(advice, true);
      for (std::size_t i = 0; i < part.size(); ++i) {
        out[first + i] = judged(part[i].point, tallies[i]);
      }
    });
    return out;
  }

 private:
  /// People who meet a step's samples together, while they are in the cache.
  static constexpr std::size_t kTogether = 16;

  [[nodiscard]] Judgement judged(View point, const Tally& tally) const {
    const bool reached = problem_.goal.reached(problem_.model.logit(point));
    const double bound =
        soft_rate_bound(tally.soft_rate(), margin_, problem_.goal.wanted_threshold());
    const bool satisfied = options_.as_published
                               ? reached || bound <= options_.target + kPublishedSlack
                               : reached && bound <= options_.target;
    return {.reached = reached, .satisfied = satisfied, .rate = tally.rate(), .bound = bound};
  }

  /// The gradient of the loss without its L1 term, as at the top of this file.
  void find_gradient(const Descent& person, std::size_t step, std::vector<float>& scratch,
                     MutableView logit_slope, MutableView gradient) const {
    const double threshold = problem_.goal.wanted_threshold();
    const double sign = problem_.goal.sign();
    const double soft = soft_rate_gradient(bank_, problem_.goal, person.origin(), person.point(),
                                           step % steps_ * options_.step_samples,
                                           options_.step_samples, scratch, gradient);
    const double excess = soft_rate_bound(soft, margin_, threshold) - options_.target;
    const double robustness = 2 * excess / (1 - threshold);
    const double logit = problem_.model.gradient()->logit_gradient(person.point(), logit_slope);
    const double f = sigmoid(sign * logit);
    const double validity = -2 * (1 - f) * f * (1 - f) * sign;
    for (std::size_t j = 0; j < gradient.size(); ++j) {
      gradient[j] = robustness * gradient[j] + validity * logit_slope[j];
    }
  }

  /// Leads a few people step by step together.
  [[nodiscard]] std::vector<Counterfactual> lead(std::span<const View> origins,
                                                 const std::stop_token& stop) const {
    std::vector<Descent> people;
    people.reserve(origins.size());
    for (const View origin : origins) {
      people.emplace_back(problem_, origin, descent_options(options_));
    }
    std::vector<float> scratch;
    Vector logit_slope(problem_.space.width());
    Vector gradient(problem_.space.width());
    std::vector<Descent*> active;
    std::vector<Attempt> ends;
    for (;;) {
      active.clear();
      for (Descent& person : people) {
        if (!person.done()) active.push_back(&person);
      }
      if (active.empty()) break;
      for (std::size_t step = 0; step < options_.block_steps && !stop.stop_requested(); ++step) {
        for (Descent* person : active) {
          find_gradient(*person, step, scratch, logit_slope, gradient);
          person->step(gradient);
        }
      }
      if (stop.stop_requested()) {
        for (Descent* person : active) person->cancel();
        break;
      }
      ends.clear();
      for (const Descent* person : active) ends.push_back({person->origin(), person->point()});
      const std::vector<Judgement> judgements = judge_all(ends, 1);
      for (std::size_t i = 0; i < active.size(); ++i) active[i]->end_block(judgements[i]);
    }
    std::vector<Counterfactual> found;
    found.reserve(people.size());
    for (const Descent& person : people) found.push_back(person.result());
    return found;
  }

  const Problem& problem_;
  Problem step_problem_;
  Croco options_;
  double margin_;
  std::size_t steps_;
  NoiseBank bank_;
  CheckDraws check_;
};

}  // namespace

std::unique_ptr<Search> make_croco(const Problem& problem, const Croco& options) {
  return std::make_unique<CrocoSearch>(problem, options, bound_of(options, problem.goal));
}

}  // namespace croco
