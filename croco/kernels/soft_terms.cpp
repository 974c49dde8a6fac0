// SPDX-License-Identifier: Apache-2.0
#include <croco/kernels/soft_terms.hpp>

#include <algorithm>
#include <cstddef>

#include <croco/kernels/dispatch.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "croco/kernels/soft_terms.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace croco {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr D kD;

/// `exp(x)`: 2^n times a polynomial in the rest, which is at most ln 2 / 2.
HWY_INLINE V Exp(V x) {
  const hn::RebindToSigned<D> integers;
  x = hn::Min(hn::Max(x, hn::Set(kD, -87.0F)), hn::Set(kD, 88.0F));
  const V n = hn::Round(hn::Mul(x, hn::Set(kD, 1.44269504F)));
  // ln 2 in two parts, the first with trailing zeros so that its multiples are exact.
  V rest = hn::Sub(x, hn::Mul(n, hn::Set(kD, 0x1.62ep-1F)));
  rest = hn::Sub(rest, hn::Mul(n, hn::Set(kD, 0x1.0bfbe8p-15F)));
  V sum = hn::Set(kD, 1.0F / 720);
  for (const float coefficient : {1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F}) {
    sum = hn::Add(hn::Mul(sum, rest), hn::Set(kD, coefficient));
  }
  const auto scale = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(integers, n), hn::Set(integers, 127)));
  return hn::Mul(sum, hn::BitCast(kD, scale));
}

double Logistic(std::span<const float> logits, float sign, float factor, float* slopes) {
  constexpr std::size_t kLanes = 16;
  constexpr std::size_t kRun = 512;  // summed in single precision
  const std::size_t lanes = hn::Lanes(kD);
  const V one = hn::Set(kD, 1.0F);
  HWY_ALIGN float in[kLanes];
  HWY_ALIGN float out[kLanes];
  double total = 0;
  for (std::size_t begin = 0; begin < logits.size(); begin += kRun) {
    const std::size_t end = std::min(begin + kRun, logits.size());
    HWY_ALIGN float partial[kLanes] = {};
    for (std::size_t k = begin; k < end; k += kLanes) {
      const std::size_t n = std::min(kLanes, end - k);
      // Lanes past the end are as unlikely as can be: their probability is 0.
      std::fill(in, in + kLanes, sign * 1000.0F);
      std::copy_n(logits.data() + k, n, in);
      for (std::size_t lane = 0; lane < kLanes; lane += lanes) {
        const V x = hn::Mul(hn::Set(kD, sign), hn::Load(kD, in + lane));
        V p = hn::Div(one, hn::Add(one, Exp(x)));
        p = hn::IfThenZeroElse(hn::Ge(x, hn::Set(kD, 88.0F)), p);
        p = hn::IfThenElse(hn::Eq(x, x), p, one);  // no clear answer is not the wanted one
        hn::Store(hn::Add(hn::Load(kD, partial + lane), p), kD, partial + lane);
        const V slope = hn::Mul(hn::Set(kD, factor), hn::Mul(p, hn::Sub(one, p)));
        hn::Store(slope, kD, out + lane);
      }
      if (slopes != nullptr) std::copy_n(out, n, slopes + k);
    }
    for (const float value : partial) total += static_cast<double>(value);
  }
  return total;
}

}  // namespace HWY_NAMESPACE
}  // namespace croco
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croco {
namespace {

HWY_EXPORT(Logistic);

}  // namespace

double logistic_sum(std::span<const float> logits, float sign) noexcept {
  return HWY_DYNAMIC_DISPATCH(Logistic)(logits, sign, 0, nullptr);
}

double logistic_slopes(std::span<const float> logits, float sign, float factor,
                       float* slopes) noexcept {
  return HWY_DYNAMIC_DISPATCH(Logistic)(logits, sign, factor, slopes);
}

}  // namespace croco
#endif
