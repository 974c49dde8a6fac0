// SPDX-License-Identifier: Apache-2.0
#include <croco/kernels/relu_bank.hpp>

#include <algorithm>
#include <cstddef>

#include <croco/kernels/dispatch.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "croco/kernels/relu_bank.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace croco {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr D kD;

/// Vectors of draws and points whose sums are in registers together.
constexpr std::size_t kVectors = 4;
constexpr std::size_t kPoints = HWY_MAX_BYTES >= 64 ? 4 : 2;

/// The sums of `kPoints` points over `kVectors` vectors of draws, from `values` on.
template <std::size_t Points>
HWY_INLINE void Sums(const float* HWY_RESTRICT values, std::size_t units, std::size_t positive,
                     const float* const* HWY_RESTRICT cuts, V (&sums)[Points][kVectors]) {
  const std::size_t lanes = hn::Lanes(kD);
  for (auto& row : sums) {
    for (V& sum : row) sum = hn::Zero(kD);
  }
  std::size_t u = 0;
  for (; u < positive; ++u) {
    V draws[kVectors];
    for (std::size_t i = 0; i < kVectors; ++i) {
      draws[i] = hn::Load(kD, values + u * kBankBlock + i * lanes);
    }
    for (std::size_t p = 0; p < Points; ++p) {
      const V cut = hn::Set(kD, cuts[p][u]);
      for (std::size_t i = 0; i < kVectors; ++i) {
        sums[p][i] = hn::Add(sums[p][i], hn::Max(draws[i], cut));
      }
    }
  }
  for (; u < units; ++u) {
    V draws[kVectors];
    for (std::size_t i = 0; i < kVectors; ++i) {
      draws[i] = hn::Load(kD, values + u * kBankBlock + i * lanes);
    }
    for (std::size_t p = 0; p < Points; ++p) {
      const V cut = hn::Set(kD, cuts[p][u]);
      for (std::size_t i = 0; i < kVectors; ++i) {
        sums[p][i] = hn::Sub(sums[p][i], hn::Max(draws[i], cut));
      }
    }
  }
}

void Logits(const ReluBank& bank, const float* cuts, float constant, float* out) {
  const std::size_t lanes = hn::Lanes(kD);
  const V shift = hn::Set(kD, constant);
  for (std::size_t b = 0; b < bank.blocks; ++b) {
    const float* block = bank.values + b * bank.units * kBankBlock;
    for (std::size_t k = 0; k < kBankBlock; k += kVectors * lanes) {
      V sums[1][kVectors];
      Sums<1>(block + k, bank.units, bank.positive, &cuts, sums);
      for (std::size_t i = 0; i < kVectors; ++i) {
        hn::StoreU(hn::Add(sums[0][i], shift), kD, out + b * kBankBlock + k + i * lanes);
      }
    }
  }
}

/// Points first .. first + Points - 1 on blocks begin .. end - 1.
template <std::size_t Points>
HWY_INLINE void SplitSome(const ReluBank& bank, const ReluCut* points, std::size_t first,
                          std::size_t begin, std::size_t end, std::size_t* below,
                          std::vector<BetweenDraw>& between) {
  const std::size_t lanes = hn::Lanes(kD);
  const float* cuts[Points];
  for (std::size_t p = 0; p < Points; ++p) cuts[p] = points[first + p].cuts;
  std::size_t counts[Points] = {};
  const std::size_t draws = bank.blocks * kBankBlock - bank.padding;
  for (std::size_t b = begin; b < end; ++b) {
    const float* block = bank.values + b * bank.units * kBankBlock;
    for (std::size_t k = 0; k < kBankBlock; k += kVectors * lanes) {
      V sums[Points][kVectors];
      Sums<Points>(block + k, bank.units, bank.positive, cuts, sums);
      for (std::size_t p = 0; p < Points; ++p) {
        const V low = hn::Set(kD, points[first + p].low);
        const V high = hn::Set(kD, points[first + p].high);
        for (std::size_t i = 0; i < kVectors; ++i) {
          auto under = hn::Le(sums[p][i], low);
          auto sure = hn::Or(under, hn::Gt(sums[p][i], high));
          const std::size_t at = b * kBankBlock + k + i * lanes;
          if (HWY_UNLIKELY(at + lanes > draws)) {
            const auto real = hn::FirstN(kD, at < draws ? draws - at : 0);
            under = hn::And(under, real);
            sure = hn::Or(sure, hn::Not(real));
          }
          counts[p] += hn::CountTrue(kD, under);
          if (HWY_UNLIKELY(!hn::AllTrue(kD, sure))) {
            HWY_ALIGN float flags[16];
            hn::Store(hn::IfThenZeroElse(sure, hn::Set(kD, 1.0F)), kD, flags);
            for (std::size_t lane = 0; lane < lanes; ++lane) {
              if (flags[lane] == 0) continue;
              between.push_back(
                  {static_cast<std::uint32_t>(first + p), static_cast<std::uint32_t>(at + lane)});
            }
          }
        }
      }
    }
  }
  for (std::size_t p = 0; p < Points; ++p) below[first + p] += counts[p];
}

void Split(const ReluBank& bank, std::span<const ReluCut> points, std::size_t* below,
           std::vector<BetweenDraw>& between) {
  constexpr std::size_t kBlocksInCache = 8;
  for (std::size_t begin = 0; begin < bank.blocks; begin += kBlocksInCache) {
    const std::size_t end = std::min(begin + kBlocksInCache, bank.blocks);
    std::size_t p = 0;
    for (; p + kPoints <= points.size(); p += kPoints) {
      SplitSome<kPoints>(bank, points.data(), p, begin, end, below, between);
    }
    for (; p < points.size(); ++p) {
      SplitSome<1>(bank, points.data(), p, begin, end, below, between);
    }
  }
}

double OrderedSum(const double (&partial)[kUnitRun]) {
  const double low = (partial[0] + partial[4]) + (partial[2] + partial[6]);
  const double high = (partial[1] + partial[5]) + (partial[3] + partial[7]);
  return low + high;
}

ReluPlace Cuts(const double* shifts, const double* largest, const double* signs, std::size_t units,
               float* cuts) {
  const hn::CappedTag<double, kUnitRun> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN double constants[kUnitRun];
  HWY_ALIGN double magnitudes[kUnitRun];
  for (std::size_t lane = 0; lane < kUnitRun; lane += lanes) {
    auto constant = hn::Zero(d);
    auto magnitude = hn::Zero(d);
    for (std::size_t u = lane; u < units; u += kUnitRun) {
      const auto most = hn::LoadU(d, largest + u);
      const auto edge = hn::Mul(most, hn::Set(d, 1 + 1e-6));
      const auto shift = hn::LoadU(d, shifts + u);
      // As far as the edges; a unit that is on keeps the whole of its shift in the constant.
      const auto cut = hn::Max(hn::Min(hn::Neg(shift), edge), hn::Neg(edge));
      const auto added = hn::Max(shift, hn::Neg(edge));
      hn::StoreU(hn::DemoteTo(narrow, cut), narrow, cuts + u);
      constant = hn::Add(constant, hn::Mul(hn::LoadU(d, signs + u), added));
      magnitude = hn::Add(magnitude, hn::Max(most, hn::Abs(cut)));
    }
    hn::Store(constant, d, constants + lane);
    hn::Store(magnitude, d, magnitudes + lane);
  }
  return {OrderedSum(constants), OrderedSum(magnitudes)};
}

/// One draw with `Entries` entries (more are looped over), for one run of lanes.
template <std::size_t Entries, class DD>
HWY_INLINE hn::Vec<DD> UnitSums(DD d, const ReluDraws& draws, std::size_t draw, std::size_t lane) {
  const double* values = draws.values + draw * draws.units;
  const std::uint32_t* ids = draws.ids.data() + draws.begin[draw];
  const std::size_t entries = draws.begin[draw + 1] - draws.begin[draw];
  const double* first = Entries > 0 ? draws.deltas + ids[0] * draws.units : nullptr;
  const double* second = Entries > 1 ? draws.deltas + ids[1] * draws.units : nullptr;
  auto sum = hn::Zero(d);
  for (std::size_t u = lane; u < draws.units; u += kUnitRun) {
    auto value = hn::Add(hn::LoadU(d, values + u), hn::LoadU(d, draws.base + u));
    if constexpr (Entries > 0) value = hn::Add(value, hn::LoadU(d, first + u));
    if constexpr (Entries > 1) value = hn::Add(value, hn::LoadU(d, second + u));
    if constexpr (Entries > 2) {
      for (std::size_t e = 2; e < entries; ++e) {
        value = hn::Add(value, hn::LoadU(d, draws.deltas + ids[e] * draws.units + u));
      }
    }
    sum = hn::Add(sum, hn::Mul(hn::LoadU(d, draws.signs + u), hn::Max(hn::Zero(d), value)));
  }
  return sum;
}

void SumDraws(const ReluDraws& draws, double* out) {
  const hn::CappedTag<double, kUnitRun> d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN double partial[kUnitRun];
  for (std::size_t k = 0; k + 1 < draws.begin.size(); ++k) {
    const std::size_t entries = draws.begin[k + 1] - draws.begin[k];
    for (std::size_t lane = 0; lane < kUnitRun; lane += lanes) {
      hn::Store(entries == 0   ? UnitSums<0>(d, draws, k, lane)
                : entries == 1 ? UnitSums<1>(d, draws, k, lane)
                : entries == 2 ? UnitSums<2>(d, draws, k, lane)
                               : UnitSums<3>(d, draws, k, lane),
                d, partial + lane);
    }
    out[k] = OrderedSum(partial);
  }
}

void Active(const ReluBank& bank, const float* cuts, const float* weights, double* sums) {
  constexpr std::size_t kLanes = 16;
  constexpr std::size_t kRows = kBankBlock / kLanes;
  const std::size_t lanes = hn::Lanes(kD);
  // A few units at a time, so that their partial sums stay in registers; a run of blocks in single
  // precision, then on in double.
  constexpr std::size_t kUnits = HWY_MAX_BYTES >= 64 ? 4 : 1;
  constexpr std::size_t kRun = 32;
  const auto some = [&]<std::size_t Units>(std::size_t begin, std::size_t end, std::size_t u) {
    HWY_ALIGN float partial[Units][kLanes];
    for (std::size_t lane = 0; lane < kLanes; lane += lanes) {
      V sum[Units];
      V cut[Units];
      for (std::size_t i = 0; i < Units; ++i) {
        sum[i] = hn::Zero(kD);
        cut[i] = hn::Set(kD, cuts[u + i]);
      }
      for (std::size_t b = begin; b < end; ++b) {
        const float* draws = bank.values + (b * bank.units + u) * kBankBlock + lane;
        const float* weight = weights + b * kBankBlock + lane;
        for (std::size_t row = 0; row < kRows; ++row) {
          const V w = hn::LoadU(kD, weight + row * kLanes);
          for (std::size_t i = 0; i < Units; ++i) {
            const V draw = hn::Load(kD, draws + i * kBankBlock + row * kLanes);
            sum[i] = hn::Add(sum[i], hn::IfThenElseZero(hn::Gt(draw, cut[i]), w));
          }
        }
      }
      for (std::size_t i = 0; i < Units; ++i) hn::Store(sum[i], kD, partial[i] + lane);
    }
    for (std::size_t i = 0; i < Units; ++i) {
      for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
        for (std::size_t lane = 0; lane < width; ++lane) {
          partial[i][lane] += partial[i][lane + width];
        }
      }
      sums[u + i] += static_cast<double>(partial[i][0]);
    }
  };
  for (std::size_t begin = 0; begin < bank.blocks; begin += kRun) {
    const std::size_t end = std::min(begin + kRun, bank.blocks);
    std::size_t u = 0;
    for (; u + kUnits <= bank.units; u += kUnits) {
      some.template operator()<kUnits>(begin, end, u);
    }
    for (; u < bank.units; ++u) some.template operator()<1>(begin, end, u);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace croco
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croco {
namespace {

HWY_EXPORT(Logits);
HWY_EXPORT(Split);
HWY_EXPORT(Active);
HWY_EXPORT(SumDraws);
HWY_EXPORT(Cuts);

}  // namespace

void relu_logits(const ReluBank& bank, const float* cuts, float constant, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(Logits)(bank, cuts, constant, out);
}

void relu_split(const ReluBank& bank, std::span<const ReluCut> points, std::size_t* below,
                std::vector<BetweenDraw>& between) {
  HWY_DYNAMIC_DISPATCH(Split)(bank, points, below, between);
}

void relu_active(const ReluBank& bank, const float* cuts, const float* weights,
                 double* sums) noexcept {
  HWY_DYNAMIC_DISPATCH(Active)(bank, cuts, weights, sums);
}

ReluPlace relu_cuts(const double* shifts, const double* largest, const double* signs,
                    std::size_t units, float* cuts) noexcept {
  return HWY_DYNAMIC_DISPATCH(Cuts)(shifts, largest, signs, units, cuts);
}

void relu_sums(const ReluDraws& draws, double* out) noexcept {
  HWY_DYNAMIC_DISPATCH(SumDraws)(draws, out);
}

}  // namespace croco
#endif
