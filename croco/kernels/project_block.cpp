// SPDX-License-Identifier: Apache-2.0
#include <croco/kernels/project_block.hpp>

#include <algorithm>

#include <croco/kernels/dispatch.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "croco/kernels/project_block.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace croco {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
constexpr D kD;
constexpr std::size_t kVectors = 8;

void Project(const double* columns, const double* weights, std::size_t inputs, std::size_t units,
             float* out, double* largest) {
  const std::size_t lanes = hn::Lanes(kD);
  const hn::Rebind<float, D> narrow;
  for (std::size_t u = 0; u < units; ++u) {
    V most = hn::Zero(kD);
    for (std::size_t k = 0; k < kBankBlock; k += kVectors * lanes) {
      V sums[kVectors];
      for (V& sum : sums) sum = hn::Zero(kD);
      for (std::size_t j = 0; j < inputs; ++j) {
        const V weight = hn::Set(kD, weights[u * inputs + j]);
        const double* column = columns + j * kBankBlock + k;
        for (std::size_t i = 0; i < kVectors; ++i) {
          sums[i] = hn::Add(sums[i], hn::Mul(weight, hn::Load(kD, column + i * lanes)));
        }
      }
      for (std::size_t i = 0; i < kVectors; ++i) {
        most = hn::Max(most, hn::Abs(sums[i]));
        hn::Store(hn::DemoteTo(narrow, sums[i]), narrow, out + u * kBankBlock + k + i * lanes);
      }
    }
    largest[u] = std::max(largest[u], hn::GetLane(hn::MaxOfLanes(kD, most)));
  }
}

void RaiseSizes(const double* columns, std::size_t inputs, double* sizes) {
  const std::size_t lanes = hn::Lanes(kD);
  for (std::size_t j = 0; j < inputs; ++j) {
    V most = hn::Zero(kD);
    for (std::size_t k = 0; k < kBankBlock; k += lanes) {
      most = hn::Max(most, hn::Abs(hn::Load(kD, columns + j * kBankBlock + k)));
    }
    sizes[j] = std::max(sizes[j], hn::GetLane(hn::MaxOfLanes(kD, most)));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace croco
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croco {
namespace {

HWY_EXPORT(Project);
HWY_EXPORT(RaiseSizes);

}  // namespace

void project_block(const double* columns, const double* weights, std::size_t inputs,
                   std::size_t units, float* out, double* largest) noexcept {
  HWY_DYNAMIC_DISPATCH(Project)(columns, weights, inputs, units, out, largest);
}

void raise_sizes(const double* columns, std::size_t inputs, double* sizes) noexcept {
  HWY_DYNAMIC_DISPATCH(RaiseSizes)(columns, inputs, sizes);
}

}  // namespace croco
#endif
