// SPDX-License-Identifier: Apache-2.0
#include <croco/optim/adam.hpp>

#include <algorithm>
#include <cmath>

namespace croco {

Adam::Adam(std::size_t width, const AdamOptions& options)
    : options_(options),
      mean_(width),
      square_(width),
      largest_square_(options.amsgrad ? width : 0) {}

void Adam::step(View gradient, MutableView point) noexcept {
  beta1_power_ *= options_.beta1;
  beta2_power_ *= options_.beta2;
  const double rate = options_.learning_rate / (1 - beta1_power_);
  const double correction = std::sqrt(1 - beta2_power_);
  for (std::size_t j = 0; j < point.size(); ++j) {
    const double g = gradient[j];
    mean_[j] = options_.beta1 * mean_[j] + (1 - options_.beta1) * g;
    square_[j] = options_.beta2 * square_[j] + (1 - options_.beta2) * g * g;
    double square = square_[j];
    if (options_.amsgrad) {
      largest_square_[j] = std::max(largest_square_[j], square);
      square = largest_square_[j];
    }
    point[j] -= rate * mean_[j] / (std::sqrt(square) / correction + options_.epsilon);
  }
}

}  // namespace croco
