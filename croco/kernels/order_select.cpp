// SPDX-License-Identifier: Apache-2.0
#include <croco/kernels/order_select.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <croco/kernels/dispatch.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "croco/kernels/order_select.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace croco {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr D kD;

std::size_t CountAtMost(const float* values, std::size_t count, float threshold) {
  const std::size_t lanes = hn::Lanes(kD);
  const V limit = hn::Set(kD, threshold);
  std::size_t found = 0;
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    found += hn::CountTrue(kD, hn::Le(hn::LoadU(kD, values + k), limit));
  }
  for (; k < count; ++k) found += values[k] <= threshold ? 1U : 0U;
  return found;
}

std::size_t CountAbove(const float* values, std::size_t count, float threshold) {
  const std::size_t lanes = hn::Lanes(kD);
  const V limit = hn::Set(kD, threshold);
  std::size_t found = 0;
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    found += hn::CountTrue(kD, hn::Gt(hn::LoadU(kD, values + k), limit));
  }
  for (; k < count; ++k) found += values[k] > threshold ? 1U : 0U;
  return found;
}

void Margins(float* values, std::size_t count, float sign, float threshold) {
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  const std::size_t lanes = hn::Lanes(kD);
  const V factor = hn::Set(kD, sign);
  const V limit = hn::Set(kD, threshold);
  const V lowest = hn::Set(kD, kLowest);
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const V margin = hn::Mul(factor, hn::Sub(hn::LoadU(kD, values + k), limit));
    hn::StoreU(hn::IfThenElse(hn::Eq(margin, margin), margin, lowest), kD, values + k);
  }
  for (; k < count; ++k) {
    const float margin = sign * (values[k] - threshold);
    values[k] = margin == margin ? margin : kLowest;
  }
}

/// Three thresholds in one pass.
void CountThree(const float* values, std::size_t count, const float* thresholds,
                std::size_t* found) {
  const std::size_t lanes = hn::Lanes(kD);
  const V a = hn::Set(kD, thresholds[0]);
  const V b = hn::Set(kD, thresholds[1]);
  const V c = hn::Set(kD, thresholds[2]);
  std::size_t counts[3] = {};
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const V value = hn::LoadU(kD, values + k);
    counts[0] += hn::CountTrue(kD, hn::Le(value, a));
    counts[1] += hn::CountTrue(kD, hn::Le(value, b));
    counts[2] += hn::CountTrue(kD, hn::Le(value, c));
  }
  for (; k < count; ++k) {
    for (std::size_t t = 0; t < 3; ++t) counts[t] += values[k] <= thresholds[t] ? 1U : 0U;
  }
  std::copy_n(counts, 3, found);
}

void Range(const float* values, std::size_t count, float* least, float* most) {
  const std::size_t lanes = hn::Lanes(kD);
  V low = hn::Set(kD, std::numeric_limits<float>::infinity());
  V high = hn::Set(kD, -std::numeric_limits<float>::infinity());
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const V value = hn::LoadU(kD, values + k);
    low = hn::Min(low, value);
    high = hn::Max(high, value);
  }
  *least = hn::GetLane(hn::MinOfLanes(kD, low));
  *most = hn::GetLane(hn::MaxOfLanes(kD, high));
  for (; k < count; ++k) {
    *least = std::min(*least, values[k]);
    *most = std::max(*most, values[k]);
  }
}

/// Appends the values v with above < v <= upto; `out` has room for `count` and one vector more.
std::size_t Collect(const float* values, std::size_t count, float above, float upto, float* out) {
  const std::size_t lanes = hn::Lanes(kD);
  const V low = hn::Set(kD, above);
  const V high = hn::Set(kD, upto);
  std::size_t size = 0;
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const V value = hn::LoadU(kD, values + k);
    const auto inside = hn::And(hn::Gt(value, low), hn::Le(value, high));
    size += hn::CompressStore(value, inside, kD, out + size);
  }
  for (; k < count; ++k) {
    if (values[k] > above && values[k] <= upto) out[size++] = values[k];
  }
  return size;
}

std::size_t BandWeights(const float* values, std::size_t count, float from, float to,
                        float* weights) {
  const std::size_t lanes = hn::Lanes(kD);
  const V low = hn::Set(kD, from);
  const V high = hn::Set(kD, to);
  const V one = hn::Set(kD, 1.0F);
  std::size_t members = 0;
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const V value = hn::LoadU(kD, values + k);
    const auto inside = hn::And(hn::Ge(value, low), hn::Le(value, high));
    members += hn::CountTrue(kD, inside);
    hn::StoreU(hn::IfThenElseZero(inside, one), kD, weights + k);
  }
  for (; k < count; ++k) {
    const bool inside = values[k] >= from && values[k] <= to;
    members += inside ? 1U : 0U;
    weights[k] = inside ? 1.0F : 0.0F;
  }
  return members;
}

}  // namespace HWY_NAMESPACE
}  // namespace croco
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croco {
namespace {

HWY_EXPORT(CountAtMost);
HWY_EXPORT(CountAbove);
HWY_EXPORT(Margins);
HWY_EXPORT(CountThree);
HWY_EXPORT(Range);
HWY_EXPORT(Collect);
HWY_EXPORT(BandWeights);

/// A bracket of the value of a rank: at most `rank` values are <= low, more than `rank` are <=
/// high.
struct Bracket {
  std::size_t rank = 0;
  float low = 0;
  float high = 0;

  [[nodiscard]] float middle() const noexcept { return low + (high - low) / 2; }
  void learn(float threshold, std::size_t at_most) noexcept {
    if (at_most > rank) {
      high = threshold;
    } else {
      low = threshold;
    }
  }
};

}  // namespace

SelectedBand select_band(std::span<const float> values, std::size_t low_rank, std::size_t rank,
                         std::size_t high_rank, std::vector<float>& scratch) {
  constexpr int kPasses = 8;
  constexpr float kLargest = std::numeric_limits<float>::max();
  float least = 0;
  float most = 0;
  HWY_DYNAMIC_DISPATCH(Range)(values.data(), values.size(), &least, &most);
  // Infinities would make the middle of a bracket meaningless.
  const float below = std::nextafter(std::max(least, -kLargest / 4), -kLargest);
  const float above = std::min(most, kLargest / 4);
  Bracket brackets[3] = {{low_rank, below, above}, {rank, below, above}, {high_rank, below, above}};
  for (int pass = 0; pass < kPasses; ++pass) {
    const float thresholds[3] = {brackets[0].middle(), brackets[1].middle(), brackets[2].middle()};
    std::size_t found[3] = {};
    HWY_DYNAMIC_DISPATCH(CountThree)(values.data(), values.size(), thresholds, found);
    // Every count says something about every bracket.
    for (Bracket& bracket : brackets) {
      for (std::size_t t = 0; t < 3; ++t) {
        if (thresholds[t] > bracket.low && thresholds[t] < bracket.high) {
          bracket.learn(thresholds[t], found[t]);
        }
      }
    }
  }
  SelectedBand out{.value = 0, .low = brackets[0].low, .high = brackets[2].high};
  const Bracket& bracket = brackets[1];
  const std::size_t under = count_at_most(values, bracket.low);
  const std::size_t upto = count_at_most(values, bracket.high);
  if (rank < under || rank >= upto) {  // among the infinities or the very large
    scratch.assign(values.begin(), values.end());
    const auto at = scratch.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(scratch.begin(), at, scratch.end());
    out.value = *at;
    out.low = std::min(out.low, out.value);
    out.high = std::max(out.high, out.value);
    return out;
  }
  constexpr std::size_t kRoom = 16;  // a vector may be stored past the end
  scratch.resize(upto - under + kRoom);
  const std::size_t size = HWY_DYNAMIC_DISPATCH(Collect)(values.data(), values.size(), bracket.low,
                                                         bracket.high, scratch.data());
  const auto at = scratch.begin() + static_cast<std::ptrdiff_t>(rank - under);
  std::nth_element(scratch.begin(), at, scratch.begin() + static_cast<std::ptrdiff_t>(size));
  out.value = *at;
  out.low = std::min(out.low, out.value);
  out.high = std::max(out.high, out.value);
  return out;
}

std::size_t count_at_most(std::span<const float> values, float threshold) noexcept {
  return HWY_DYNAMIC_DISPATCH(CountAtMost)(values.data(), values.size(), threshold);
}

std::size_t count_above(std::span<const float> values, float threshold) noexcept {
  return HWY_DYNAMIC_DISPATCH(CountAbove)(values.data(), values.size(), threshold);
}

void margins_of(std::span<float> values, float sign, float threshold) noexcept {
  HWY_DYNAMIC_DISPATCH(Margins)(values.data(), values.size(), sign, threshold);
}

std::size_t band_weights(std::span<const float> values, float low, float high,
                         float* weights) noexcept {
  return HWY_DYNAMIC_DISPATCH(BandWeights)(values.data(), values.size(), low, high, weights);
}

}  // namespace croco
#endif
