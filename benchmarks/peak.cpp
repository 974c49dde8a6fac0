// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstddef>

#include "benchmarks/peak.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "benchmarks/peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace croco {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Operations done in `rounds` rounds; the result keeps the compiler from dropping them.
double Spin(std::size_t rounds, float* result) {
  const hn::ScalableTag<float> d;
  constexpr std::size_t kChains = 10;  // more than latency times units
  hn::Vec<decltype(d)> sums[kChains];
  for (auto& sum : sums) sum = hn::Set(d, *result);
  const auto step = hn::Set(d, *result + 1.0F);
  for (std::size_t i = 0; i < rounds; ++i) {
    for (auto& sum : sums) sum = hn::Add(sum, step);
  }
  auto total = sums[0];
  for (std::size_t i = 1; i < kChains; ++i) total = hn::Add(total, sums[i]);
  *result = hn::GetLane(total);
  return static_cast<double>(rounds * kChains * hn::Lanes(d));
}

}  // namespace HWY_NAMESPACE
}  // namespace croco
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croco {
namespace {

HWY_EXPORT(Spin);

}  // namespace

double peak_operations_per_second() {
  static const double peak = [] {
    double best = 0;
    float result = 0;
    for (int trial = 0; trial < 20; ++trial) {
      const auto start = std::chrono::steady_clock::now();
      const double operations = HWY_DYNAMIC_DISPATCH(Spin)(1'000'000, &result);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      best = std::max(best, operations / time.count() + 0 * static_cast<double>(result));
    }
    return best;
  }();
  return peak;
}

}  // namespace croco
#endif
