// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/soft_rate.hpp>

#include <algorithm>

#include <croco/models/model.hpp>

namespace croco {

double soft_rate(const NoiseBank& bank, const Goal& goal, View origin, View point,
                 std::size_t first, std::size_t count, Vector& scratch) {
  scratch.resize(count);
  bank.logits(origin, point, first, scratch);
  double sum = 0;
  for (const double logit : scratch) sum += sigmoid(-goal.sign() * logit);
  return sum / static_cast<double>(count);
}

double soft_rate_gradient(const NoiseBank& bank, const Goal& goal, View origin, View point,
                          std::size_t first, std::size_t count, Vector& scratch,
                          MutableView gradient) {
  scratch.resize(count);
  bank.logits(origin, point, first, scratch);
  double sum = 0;
  for (double& value : scratch) {
    const double unwanted = sigmoid(-goal.sign() * value);
    sum += unwanted;
    value = -goal.sign() * unwanted * (1 - unwanted) / static_cast<double>(count);
  }
  std::ranges::fill(gradient, 0.0);
  bank.add_gradient(origin, point, first, scratch, gradient);
  return sum / static_cast<double>(count);
}

}  // namespace croco
