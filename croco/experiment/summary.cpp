// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/summary.hpp>

#include <algorithm>
#include <utility>

#include <croco/base/statistics.hpp>

namespace croco {
Summary summarize(std::string name, std::span<const Explanation> answers,
                  std::optional<double> target, std::optional<double> seconds) {
  Summary out;
  out.name = std::move(name);
  out.people = answers.size();
  std::size_t valid = 0;
  std::size_t rate_above = 0;
  std::size_t bound_above = 0;
  std::size_t judged = 0;  // by retrained models
  double retraining = 0;
  double joint = 0;
  double joint_upper = 0;
  std::vector<double> l1;
  for (const Explanation& answer : answers) {
    out.already += answer.status == Status::already ? 1U : 0U;
    out.errors += answer.status == Status::error ? 1U : 0U;
    out.infeasible += answer.status == Status::infeasible ? 1U : 0U;
    if (!answer.has_advice()) continue;
    ++out.advised;
    out.rule_met += answer.status == Status::found ? 1U : 0U;
    valid += answer.valid ? 1U : 0U;
    l1.push_back(answer.distance.l1);
    out.l0 += static_cast<double>(answer.features_changed);
    out.l1 += answer.distance.l1;
    out.l2 += answer.distance.l2;
    out.linf += answer.distance.linf;
    out.cost += answer.distance.cost;
    if (answer.model_change) {
      ++judged;
      retraining += static_cast<double>(answer.model_change->rejecting) /
                    static_cast<double>(answer.model_change->invalid.size());
      joint += answer.model_change->rate;
      joint_upper += answer.model_change->upper;
    }
    if (!answer.certificate) continue;
    out.rate += answer.certificate->rate;
    out.upper += answer.certificate->upper;
    if (target) {
      rate_above += answer.certificate->rate > *target ? 1U : 0U;
      bound_above += answer.certificate->upper > *target ? 1U : 0U;
    }
  }
  const std::size_t asked = out.people - out.already - out.errors;
  const auto advised = static_cast<double>(std::max<std::size_t>(1, out.advised));
  for (double* mean : {&out.l0, &out.l1, &out.l2, &out.linf, &out.cost, &out.rate, &out.upper}) {
    *mean /= advised;
  }
  out.l1_median = median_of(std::move(l1));
  out.validity = static_cast<double>(valid) / static_cast<double>(std::max<std::size_t>(1, asked));
  if (target) {
    out.rate_above_target = static_cast<double>(rate_above) / advised;
    out.bound_above_target = static_cast<double>(bound_above) / advised;
  }
  if (judged > 0) {
    out.retraining_rate = retraining / static_cast<double>(judged);
    out.joint_rate = joint / static_cast<double>(judged);
    out.joint_upper = joint_upper / static_cast<double>(judged);
  }
  if (seconds && asked > 0) out.seconds_per_person = *seconds / static_cast<double>(asked);
  return out;
}

}  // namespace croco
