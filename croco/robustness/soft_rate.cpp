// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/soft_rate.hpp>

#include <algorithm>

#include <croco/kernels/soft_terms.hpp>

namespace croco {

double soft_rate(const NoiseBank& bank, const Goal& goal, View origin, View point,
                 std::size_t first, std::size_t count, std::vector<float>& scratch) {
  scratch.resize(count);
  bank.logits(origin, point, first, scratch);
  return logistic_sum(scratch, static_cast<float>(goal.sign())) / static_cast<double>(count);
}

double soft_rate_gradient(const NoiseBank& bank, const Goal& goal, View origin, View point,
                          std::size_t first, std::size_t count, std::vector<float>& scratch,
                          MutableView gradient) {
  scratch.resize(count);
  bank.logits(origin, point, first, scratch);
  const double factor = -goal.sign() / static_cast<double>(count);
  const double sum = logistic_slopes(scratch, static_cast<float>(goal.sign()),
                                     static_cast<float>(factor), scratch.data());
  std::ranges::fill(gradient, 0.0);
  bank.add_gradient(origin, point, first, scratch, gradient);
  return sum / static_cast<double>(count);
}

}  // namespace croco
