// SPDX-License-Identifier: Apache-2.0
#include <croco/kernels/relu_turns.hpp>

#include <croco/kernels/dispatch.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "croco/kernels/relu_turns.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace croco {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kTurn>;
using V = hn::Vec<D>;
constexpr D kD;
constexpr std::size_t kSums = 4;

/// The sum of max(0, value + shift) over some units, of the draws from `values` on.
V ActiveSum(const float* values, const float* shifts, std::size_t units) {
  const V zero = hn::Zero(kD);
  V sums[kSums] = {zero, zero, zero, zero};
  std::size_t u = 0;
  for (; u + kSums <= units; u += kSums) {
    for (std::size_t i = 0; i < kSums; ++i) {
      const V value = hn::Add(hn::Load(kD, values + (u + i) * kTurn), hn::Set(kD, shifts[u + i]));
      sums[i] = hn::Add(sums[i], hn::Max(value, zero));
    }
  }
  for (std::size_t i = 0; u + i < units; ++i) {
    const V value = hn::Add(hn::Load(kD, values + (u + i) * kTurn), hn::Set(kD, shifts[u + i]));
    sums[i] = hn::Add(sums[i], hn::Max(value, zero));
  }
  return hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
}

void TurnLogits(const ReluTurns& turns, std::size_t first, std::size_t count, float* out) {
  const std::size_t lanes = hn::Lanes(kD);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t network = (first + i) % turns.networks;
    const float* values = turns.values + (first + i) * turns.units * kTurn;
    const float* shifts = turns.shifts + network * turns.units;
    const std::size_t positive = turns.positive[network];
    for (std::size_t k = 0; k < kTurn; k += lanes) {
      const V added = ActiveSum(values + k, shifts, positive);
      const V taken =
          ActiveSum(values + positive * kTurn + k, shifts + positive, turns.units - positive);
      const V logit = hn::Add(hn::Set(kD, turns.biases[network]), hn::Sub(added, taken));
      hn::StoreU(logit, kD, out + i * kTurn + k);
    }
  }
}

void AddActiveSlopes(const float* values, const float* shifts, const float* slopes,
                     std::size_t units, std::size_t stride, float weight, float* sums) {
  const std::size_t lanes = hn::Lanes(kD);
  for (std::size_t c = 0; c < stride; c += lanes) {
    V parts[kSums] = {hn::Zero(kD), hn::Zero(kD), hn::Zero(kD), hn::Zero(kD)};
    const auto add = [&](std::size_t u, V& part) {
      // No branch to guess wrong: half of the units are active, in no order.
      const float factor = values[u * kTurn] + shifts[u] > 0 ? weight : 0.0F;
      part = hn::Add(part, hn::Mul(hn::Set(kD, factor), hn::LoadU(kD, slopes + u * stride + c)));
    };
    std::size_t u = 0;
    for (; u + kSums <= units; u += kSums) {
      for (std::size_t i = 0; i < kSums; ++i) add(u + i, parts[i]);
    }
    for (std::size_t i = 0; u + i < units; ++i) add(u + i, parts[i]);
    const V sum = hn::Add(hn::Add(parts[0], parts[1]), hn::Add(parts[2], parts[3]));
    hn::StoreU(hn::Add(hn::LoadU(kD, sums + c), sum), kD, sums + c);
  }
}

void AddScaledFloats(const float* in, float factor, std::size_t count, float* out) {
  const std::size_t lanes = hn::Lanes(kD);
  const V factors = hn::Set(kD, factor);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V product = hn::Mul(factors, hn::LoadU(kD, in + i));
    hn::StoreU(hn::Add(hn::LoadU(kD, out + i), product), kD, out + i);
  }
  for (; i < count; ++i) {
    const float product = factor * in[i];
    out[i] += product;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace croco
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croco {
namespace {

HWY_EXPORT(TurnLogits);
HWY_EXPORT(AddActiveSlopes);
HWY_EXPORT(AddScaledFloats);

}  // namespace

void relu_turn_logits(const ReluTurns& turns, std::size_t first, std::size_t count,
                      float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(TurnLogits)(turns, first, count, out);
}

void add_active_slopes(const float* values, const float* shifts, const float* slopes,
                       std::size_t units, std::size_t stride, float weight, float* sums) noexcept {
  HWY_DYNAMIC_DISPATCH(AddActiveSlopes)(values, shifts, slopes, units, stride, weight, sums);
}

void add_scaled(const float* in, float factor, std::size_t count, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(AddScaledFloats)(in, factor, count, out);
}

}  // namespace croco
#endif
