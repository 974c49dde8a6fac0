// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/problem.hpp>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>

namespace croco {

Goal::Goal(double threshold, int wanted) : threshold_(threshold), wanted_(wanted) {
  require_open_unit("threshold", threshold);
  if (wanted != 0 && wanted != 1) {
    throw InvalidArgument(fmt::format("the wanted class is {}; it must be 0 or 1", wanted));
  }
  logit_threshold_ = threshold == 0.5 ? 0.0 : logit_of(threshold);
}

void validate(const Problem& problem) {
  if (problem.model.width() != problem.space.width()) {
    throw ModelError(fmt::format("the model takes {} columns; the data give {}",
                                 problem.model.width(), problem.space.width()));
  }
  validate(problem.noise, problem.space.width());
}

}  // namespace croco
