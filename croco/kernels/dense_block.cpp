// SPDX-License-Identifier: Apache-2.0
#include <croco/kernels/dense_block.hpp>

#include <croco/kernels/dispatch.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "croco/kernels/dense_block.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace croco {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr D kD;

/// Vectors of draws and output units whose sums are in registers together.
constexpr std::size_t kVectors = HWY_MAX_BYTES >= 64 ? 4 : 2;
constexpr std::size_t kOutputs = 4;

template <std::size_t Outputs>
HWY_INLINE void DenseSome(const float* HWY_RESTRICT weights, const float* HWY_RESTRICT bias,
                          std::size_t inputs, const float* HWY_RESTRICT in,
                          float* HWY_RESTRICT out) {
  const std::size_t lanes = hn::Lanes(kD);
  for (std::size_t k = 0; k < kBankBlock; k += kVectors * lanes) {
    V sums[Outputs][kVectors];
    for (std::size_t o = 0; o < Outputs; ++o) {
      const V start = bias == nullptr ? hn::Zero(kD) : hn::Set(kD, bias[o]);
      for (std::size_t i = 0; i < kVectors; ++i) sums[o][i] = start;
    }
    for (std::size_t h = 0; h < inputs; ++h) {
      V values[kVectors];
      for (std::size_t i = 0; i < kVectors; ++i) {
        values[i] = hn::Load(kD, in + h * kBankBlock + k + i * lanes);
      }
      for (std::size_t o = 0; o < Outputs; ++o) {
        const V weight = hn::Set(kD, weights[o * inputs + h]);
        for (std::size_t i = 0; i < kVectors; ++i) {
          sums[o][i] = hn::MulAdd(weight, values[i], sums[o][i]);
        }
      }
    }
    for (std::size_t o = 0; o < Outputs; ++o) {
      for (std::size_t i = 0; i < kVectors; ++i) {
        hn::Store(sums[o][i], kD, out + o * kBankBlock + k + i * lanes);
      }
    }
  }
}

void Dense(const float* weights, const float* bias, std::size_t inputs, std::size_t outputs,
           const float* in, float* out) {
  const auto bias_at = [&](std::size_t o) { return bias == nullptr ? nullptr : bias + o; };
  std::size_t o = 0;
  for (; o + kOutputs <= outputs; o += kOutputs) {
    DenseSome<kOutputs>(weights + o * inputs, bias_at(o), inputs, in, out + o * kBankBlock);
  }
  for (; o < outputs; ++o) {
    DenseSome<1>(weights + o * inputs, bias_at(o), inputs, in, out + o * kBankBlock);
  }
}

void ShiftedRelu(std::span<const std::uint32_t> units, const float* in, const float* shifts,
                 float* out) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    const V by = hn::Set(kD, shifts[i]);
    const float* from = in + units[i] * kBankBlock;
    float* to = out + i * kBankBlock;
    for (std::size_t k = 0; k < kBankBlock; k += hn::Lanes(kD)) {
      hn::Store(hn::Max(hn::Zero(kD), hn::Add(by, hn::Load(kD, from + k))), kD, to + k);
    }
  }
}

void BlockSums(std::size_t units, const float* values, double* sums) {
  constexpr std::size_t kLanes = 16;
  const std::size_t lanes = hn::Lanes(kD);
  for (std::size_t u = 0; u < units; ++u) {
    HWY_ALIGN float partial[kLanes];
    for (std::size_t lane = 0; lane < kLanes; lane += lanes) {
      V sum = hn::Zero(kD);
      for (std::size_t k = lane; k < kBankBlock; k += kLanes) {
        sum = hn::Add(sum, hn::Load(kD, values + u * kBankBlock + k));
      }
      hn::Store(sum, kD, partial + lane);
    }
    for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
      for (std::size_t lane = 0; lane < width; ++lane) partial[lane] += partial[lane + width];
    }
    sums[u] += static_cast<double>(partial[0]);
  }
}

void Relu(std::size_t units, float* values) {
  for (std::size_t k = 0; k < units * kBankBlock; k += hn::Lanes(kD)) {
    hn::Store(hn::Max(hn::Zero(kD), hn::Load(kD, values + k)), kD, values + k);
  }
}

void ReluMask(std::size_t units, const float* values, float* slopes) {
  for (std::size_t k = 0; k < units * kBankBlock; k += hn::Lanes(kD)) {
    const auto active = hn::Gt(hn::Load(kD, values + k), hn::Zero(kD));
    hn::Store(hn::IfThenElseZero(active, hn::Load(kD, slopes + k)), kD, slopes + k);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace croco
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croco {
namespace {

HWY_EXPORT(Dense);
HWY_EXPORT(ShiftedRelu);
HWY_EXPORT(Relu);
HWY_EXPORT(ReluMask);
HWY_EXPORT(BlockSums);

}  // namespace

void dense_block(const float* weights, const float* bias, std::size_t inputs, std::size_t outputs,
                 const float* in, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(Dense)(weights, bias, inputs, outputs, in, out);
}

void shifted_relu_blocks(std::span<const std::uint32_t> units, const float* in, const float* shifts,
                         float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(ShiftedRelu)(units, in, shifts, out);
}

void add_block_sums(std::size_t units, const float* values, double* sums) noexcept {
  HWY_DYNAMIC_DISPATCH(BlockSums)(units, values, sums);
}

void relu_blocks(std::size_t units, float* values) noexcept {
  HWY_DYNAMIC_DISPATCH(Relu)(units, values);
}

void relu_mask_blocks(std::size_t units, const float* values, float* slopes) noexcept {
  HWY_DYNAMIC_DISPATCH(ReluMask)(units, values, slopes);
}

}  // namespace croco
#endif
