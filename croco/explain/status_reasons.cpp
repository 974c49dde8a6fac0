// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/status_reasons.hpp>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>

namespace croco {

std::string missed_bound_reason(double upper, double target) {
  return fmt::format("the certified bound is {}, above the target of {}", percent(upper),
                     percent(target));
}

std::string missed_models_reason(double upper, double target) {
  return fmt::format(
      "retrained models disagree: the bound on the failure rate over retrained models and noise is "
      "{}, above the target of {}",
      percent(upper), percent(target));
}

std::string missed_rule_reason(std::string_view method, std::optional<double> rate,
                               std::optional<double> bound, double target) {
  return bound ? fmt::format("the bound of {} is {}, above the target of {}", method,
                             percent(*bound), percent(target))
               : fmt::format("the rate that {} measured is {}, above the target of {}", method,
                             percent(rate.value_or(0)), percent(target));
}

std::string undecided_reason(double target, std::size_t samples) {
  return fmt::format(
      "a failure rate below the target of {} is within reach, but {} samples cannot certify it",
      percent(target), samples);
}

std::string refused_reason(int wanted) {
  return fmt::format("the model's answer at the advised record is not class {}", wanted);
}

}  // namespace croco
