// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/problem.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/random.hpp>

namespace croco {

Goal::Goal(double threshold, int wanted) : threshold_(threshold), wanted_(wanted) {
  require_open_unit("threshold", threshold);
  if (wanted != 0 && wanted != 1) {
    throw InvalidArgument(fmt::format("the wanted class is {}; it must be 0 or 1", wanted));
  }
  logit_threshold_ = threshold == 0.5 ? 0.0 : logit_of(threshold);
}

Goal Goal::clear_of(double tolerance) const {
  Goal out(threshold_, wanted_);
  if (!(tolerance < std::numeric_limits<double>::infinity())) {
    throw ModelError(
        fmt::format("the threshold {} is nearer to 0 or 1 than the model's roundings", threshold_));
  }
  out.logit_threshold_ += sign() * tolerance;
  return out;
}

bool Goal::on_threshold(double logit) const noexcept {
  const double plain = Goal(threshold_, wanted_).logit_threshold_;
  const double tolerance = std::abs(logit_threshold_ - plain);
  return tolerance > 0 && std::abs(logit - plain) <= tolerance;
}

Problem::Problem(const Model& its_model, const Space& its_space, Noise its_noise,
                 const Goal& its_goal, std::uint64_t its_seed, bool shared,
                 std::shared_ptr<const BoundSamples> its_kept,
                 std::shared_ptr<const ModelPool> its_pool)
    : model(its_model),
      space(its_space),
      noise(std::move(its_noise)),
      goal(its_goal.clear_of(std::max(its_model.tolerance(its_goal.threshold()),
                                      its_pool ? its_pool->tolerance(its_goal.threshold()) : 0))),
      seed(its_seed),
      shared_draws(shared),
      kept(std::move(its_kept)),
      pool(std::move(its_pool)) {}

namespace {

/// A linear form stands for the model in certificates without samples: it has to agree with what
/// the model answers, at points that tell forms apart.
void require_linear_form(const Model& model) {
  const LinearForm* form = model.linear_form();
  if (form == nullptr) return;
  if (form->weights.size() != model.width()) {
    throw ModelError(
        fmt::format("the model's linear form has {} weights; the model takes {} columns",
                    form->weights.size(), model.width()));
  }
  constexpr std::size_t kPoints = 8;
  Sequence random({0, Purpose::train, 0});
  for (std::size_t k = 0; k < kPoints; ++k) {
    Vector point(model.width());
    double sum = form->bias;
    double size = std::abs(form->bias);
    for (std::size_t j = 0; j < point.size(); ++j) {
      point[j] = k == 0 ? 0 : 2 * random.uniform() - 1;
      sum += form->weights[j] * point[j];
      size += std::abs(form->weights[j] * point[j]);
    }
    const double answer = model.logit(point);
    if (std::abs(answer - sum) <= 1e-9 * (1 + size)) continue;
    throw ModelError(fmt::format(
        "the model's linear form gives a logit of {:.6g} where the model answers {:.6g}; they must "
        "agree",
        sum, answer));
  }
}

}  // namespace

void validate(const Problem& problem) {
  if (problem.model.width() != problem.space.width()) {
    throw ModelError(fmt::format("the model takes {} columns; the data give {}",
                                 problem.model.width(), problem.space.width()));
  }
  if (problem.pool && problem.pool->width() != problem.space.width()) {
    throw ModelError(fmt::format("the retrained models take {} columns; the data give {}",
                                 problem.pool->width(), problem.space.width()));
  }
  require_linear_form(problem.model);
  validate(problem.noise, problem.space.width());
}

}  // namespace croco
