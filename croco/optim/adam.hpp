// SPDX-License-Identifier: Apache-2.0
/// Adam (Kingma and Ba, 2015), optionally with AMSGrad (Reddi et al., 2018) as the published
/// methods use it.
#pragma once

#include <cstddef>

#include <croco/base/types.hpp>

namespace croco {

struct AdamOptions {
  double learning_rate = 0.01;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool amsgrad = false;
};

/// One optimisation of one vector. With k the step and amsgrad, in PyTorch's order of operations:
/// `m = b1 m + (1-b1) g`, `v = b2 v + (1-b2) g^2`, `vm = max(vm, v)`,
/// `x -= lr / (1-b1^k) * m / (sqrt(vm) / sqrt(1-b2^k) + eps)`.
class Adam {
 public:
  Adam(std::size_t width, const AdamOptions& options);
  /// Moves `point` by one step against `gradient`.
  void step(View gradient, MutableView point) noexcept;

 private:
  AdamOptions options_;
  Vector mean_;
  Vector square_;
  Vector largest_square_;
  double beta1_power_ = 1.0;
  double beta2_power_ = 1.0;
};

}  // namespace croco
