// SPDX-License-Identifier: Apache-2.0
// Kernel sums on the way of a batch through a program on planes.
#include <memory>
#include <utility>
#include <vector>

#include <croco/base/error.hpp>
#include <croco/models/graph/plane_pass.hpp>

namespace croco {

template <typename Number>
KernelBlocks<Number>& PlanePass<Number>::blocks(const KernelStep& step) {
  if (kernels_.empty()) kernels_.resize(program_.steps.size());
  if (kernels_[step_] == nullptr) {
    std::vector<bool> fixed;
    std::vector<Number> values;
    for (const Plane in : step.in) {
      fixed.push_back(in < fixed_.size() && fixed_[in]);
      values.push_back(*plane(in));
    }
    kernels_[step_] = std::make_unique<KernelBlocks<Number>>(*step.sum, std::move(fixed), values);
  }
  return *kernels_[step_];
}

template <typename Number>
void PlanePass<Number>::run(const KernelStep& step) {
  std::vector<const Number*> in;
  for (const Plane index : step.in) in.push_back(plane(index));
  if (draws_ && !step.single) return blocks(step).apply(in, count_, plane(step.out));
  if constexpr (std::is_same_v<Number, double>) {
    step.sum->apply(in, count_, step.single, plane(step.out));
  } else {
    throw ModelError("a kernel sum runs in single precision on samples only");
  }
}

template <typename Number>
void PlanePass<Number>::back(const KernelStep& step) {
  std::vector<const Number*> in;
  std::vector<Number*> into;
  for (const Plane index : step.in) {
    in.push_back(plane(index));
    into.push_back(slope(index));
  }
  if (draws_ && !step.single) return blocks(step).add_slopes(in, count_, slope(step.out), into);
  if constexpr (std::is_same_v<Number, double>) {
    step.sum->add_slopes(in, count_, slope(step.out), into);
  }
}

template KernelBlocks<double>& PlanePass<double>::blocks(const KernelStep&);
template KernelBlocks<float>& PlanePass<float>::blocks(const KernelStep&);
template void PlanePass<double>::run(const KernelStep&);
template void PlanePass<float>::run(const KernelStep&);
template void PlanePass<double>::back(const KernelStep&);
template void PlanePass<float>::back(const KernelStep&);

}  // namespace croco
