// SPDX-License-Identifier: Apache-2.0
#include <croco/kernels/bit_trees.hpp>

#include <algorithm>
#include <cstring>

#include <croco/kernels/dispatch.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "croco/kernels/bit_trees.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace croco {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kWords = kTreeBlock / 64;

using DBits = hn::CappedTag<std::uint64_t, kWords>;
using Bits = hn::Vec<DBits>;
constexpr DBits kBits;

/// The mask of a vector of `D` as the lowest bits of a number.
template <typename D, typename M>
HWY_INLINE std::uint64_t Number(D d, M mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  std::uint64_t out = 0;
  std::memcpy(&out, bytes, sizeof(out));
  return out;
}

void RanksBelow(const std::int16_t* ranks, const std::int16_t* cuts, std::size_t count,
                std::uint64_t* out) {
  using D = hn::CappedTag<std::int16_t, 32>;
  constexpr D d;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  constexpr std::size_t kVectors = kTreeBlock / kLanes;
  hn::Vec<D> values[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) values[v] = hn::LoadU(d, ranks + v * kLanes);
  for (std::size_t i = 0; i < count; ++i) {
    const auto cut = hn::Set(d, cuts[i]);
    if constexpr (kLanes >= 8) {
      auto* bytes = reinterpret_cast<std::uint8_t*>(out + i * kWords);
      for (std::size_t v = 0; v < kVectors; ++v) {
        hn::StoreMaskBits(d, hn::Lt(values[v], cut), bytes + v * (kLanes / 8));
      }
    } else {
      std::fill_n(out + i * kWords, kWords, 0);
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t k = v * kLanes;
        out[i * kWords + k / 64] |= Number(d, hn::Lt(values[v], cut)) << (k % 64);
      }
    }
  }
}

void ValuesAtMost(const double* values, const double* limits, std::size_t count,
                  std::uint64_t* out) {
  using D = hn::CappedTag<double, 8>;
  constexpr D d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < count; ++i) {
    const auto limit = hn::Set(d, limits[i]);
    for (std::size_t w = 0; w < kWords; ++w) {
      std::uint64_t word = 0;
      for (std::size_t k = 0; k < 64; k += lanes) {
        word |= Number(d, hn::Le(hn::LoadU(d, values + w * 64 + k), limit)) << k;
      }
      out[i * kWords + w] = word;
    }
  }
}

/// Bit by bit, `yes` where `mask` has a bit and `no` where it has none.
HWY_INLINE Bits Choose(Bits mask, Bits yes, Bits no) {
#if HWY_TARGET == HWY_AVX3
  return hn::IfVecThenElse(mask, yes, no);  // one operation, and bit by bit on this target alone
#else
  return hn::Or(hn::And(mask, yes), hn::AndNot(mask, no));
#endif
}

/// Fills the slots of one tree, for the words from `s` and `c` on that make up a vector.
HWY_INLINE void Reach(const BitForest::Place* split, std::size_t splits, const std::uint64_t* c,
                      std::uint64_t* s) {
  hn::Store(hn::Set(kBits, ~std::uint64_t{0}), kBits, s);
  std::uint64_t* child = s + kWords;
  for (std::size_t k = 0; k < splits; ++k) {
    const Bits reach = hn::Load(kBits, s + split[2 * k]);
    const Bits holds = hn::Load(kBits, c + split[2 * k + 1]);
    hn::Store(hn::And(reach, holds), kBits, child);
    hn::Store(hn::AndNot(holds, reach), kBits, child + kWords);
    child += 2 * kWords;
  }
}

void SumTrees(const BitForest& forest, const std::uint64_t* conditions, std::size_t skipped,
              std::uint64_t* slots, std::uint64_t* planes) {
  const std::size_t lanes = hn::Lanes(kBits);
  for (std::size_t h = 0; h < kWords; h += lanes) {
    const std::uint64_t* c = conditions + h;
    std::uint64_t* s = slots + h;
    std::uint64_t* p = planes + h;
    for (std::size_t b = 0; b < kTreePlanes; ++b) hn::Store(hn::Zero(kBits), kBits, p + kWords * b);
    const BitForest::Place* split = forest.splits.data();
    const BitForest::Place* list = forest.lists.data();
    for (const BitForest::Tree& tree : forest.trees) {
      Reach(split, tree.splits, c, s);
      split += std::size_t{2} * tree.splits;
      if (tree.planes == 0) continue;
      Bits carry = hn::Zero(kBits);
      for (std::size_t b = 0; b < tree.planes; ++b) {
        const std::size_t size = *list++;
        if (b < skipped) {
          list += size;
          continue;
        }
        Bits value = hn::Zero(kBits);
        for (std::size_t i = 0; i < size; i += 2) {
          value = hn::Or3(value, hn::Load(kBits, s + list[i]), hn::Load(kBits, s + list[i + 1]));
        }
        list += size;
        const Bits sum = hn::Load(kBits, p + kWords * b);
        const Bits differ = hn::Xor(sum, value);
        hn::Store(hn::Xor(differ, carry), kBits, p + kWords * b);
        carry = Choose(differ, carry, sum);
      }
      for (std::size_t b = tree.planes; b < kTreePlanes; ++b) {
        const Bits sum = hn::Load(kBits, p + kWords * b);
        hn::Store(hn::Xor(sum, carry), kBits, p + kWords * b);
        carry = hn::And(sum, carry);
      }
    }
  }
}

void PlaneValues(const std::uint64_t* planes, float offset, float step, float* out) {
  using DF = hn::CappedTag<float, 16>;
  constexpr DF df;
  constexpr hn::RebindToUnsigned<DF> du;
  const std::size_t lanes = hn::Lanes(df);
  const auto lane = hn::Shl(hn::Set(du, 1), hn::Iota(du, 0));
  const auto scale = hn::Set(df, step);
  const auto from = hn::Set(df, offset);
  constexpr hn::RebindToSigned<DF> di;
  for (std::size_t k = 0; k < kTreeBlock; k += lanes) {
    auto sum = hn::Zero(du);
    for (std::size_t b = 0; b < kTreePlanes; ++b) {
      const std::uint64_t word = planes[b * kWords + k / 64] >> (k % 64);
      const auto bits = hn::And(hn::Set(du, static_cast<std::uint32_t>(word)), lane);
      const auto add = hn::Set(du, std::uint32_t{1} << b);
      sum = hn::Add(sum, hn::IfThenElseZero(hn::Ne(bits, hn::Zero(du)), add));
    }
    const auto value = hn::ConvertTo(df, hn::BitCast(di, sum));
    hn::StoreU(hn::Add(from, hn::Mul(scale, value)), df, out + k);
  }
}

/// The draws k .. k + lanes - 1 of a slot.
template <typename D>
HWY_INLINE hn::Mask<D> Members(D d, const std::uint64_t* slot, std::size_t k) {
  if constexpr (hn::MaxLanes(D()) >= 8) {
    return hn::LoadMaskBits(d, reinterpret_cast<const std::uint8_t*>(slot) + k / 8);
  } else {
    const std::uint64_t word = slot[k / 64] >> (k % 64);
    std::uint8_t bytes[8] = {};
    bytes[0] = static_cast<std::uint8_t>(word & ((1U << hn::MaxLanes(D())) - 1));
    return hn::LoadMaskBits(d, bytes);
  }
}

template <typename T>
void AddLeaves(const BitForest& forest, const std::uint64_t* conditions, std::uint64_t* slots,
               T* sums) {
  using D = hn::CappedTag<T, 64 / sizeof(T)>;
  constexpr D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t lanes_bits = hn::Lanes(kBits);
  const BitForest::Place* split = forest.splits.data();
  const BitForest::Leaf* leaf = forest.leaves.data();
  for (const BitForest::Tree& tree : forest.trees) {
    for (std::size_t h = 0; h < kWords; h += lanes_bits) {
      Reach(split, tree.splits, conditions + h, slots + h);
    }
    split += std::size_t{2} * tree.splits;
    for (std::size_t k = 0; k < kTreeBlock; k += lanes) {
      // Every draw is in one leaf: the others leave it as it is.
      auto value = hn::Zero(d);
      for (std::size_t l = 0; l < tree.leaves; ++l) {
        const auto members = Members(d, slots + kWords * leaf[l].slot, k);
        value = hn::IfThenElse(members, hn::Set(d, static_cast<T>(leaf[l].value)), value);
      }
      hn::StoreU(hn::Add(hn::LoadU(d, sums + k), value), d, sums + k);
    }
    leaf += tree.leaves;
  }
}

void AddLeavesDouble(const BitForest& forest, const std::uint64_t* conditions, std::uint64_t* slots,
                     double* sums) {
  AddLeaves<double>(forest, conditions, slots, sums);
}

void AddLeavesFloat(const BitForest& forest, const std::uint64_t* conditions, std::uint64_t* slots,
                    float* sums) {
  AddLeaves<float>(forest, conditions, slots, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace croco
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croco {
namespace {

HWY_EXPORT(RanksBelow);
HWY_EXPORT(ValuesAtMost);
HWY_EXPORT(SumTrees);
HWY_EXPORT(PlaneValues);
HWY_EXPORT(AddLeavesDouble);
HWY_EXPORT(AddLeavesFloat);

std::uint64_t* words_of(DrawBits* bits) noexcept { return bits->words.data(); }
const std::uint64_t* words_of(const DrawBits* bits) noexcept { return bits->words.data(); }

std::uint64_t* room(const BitForest& forest, TreeSlots& slots) {
  if (slots.size() < forest.slots + 1) slots.resize(forest.slots + 1);
  slots[forest.slots] = {};
  return words_of(slots.data());
}

}  // namespace

void ranks_below(const std::int16_t* ranks, std::span<const std::int16_t> cuts, DrawBits* out) {
  HWY_DYNAMIC_DISPATCH(RanksBelow)(ranks, cuts.data(), cuts.size(), words_of(out));
}

void values_at_most(const double* values, std::span<const double> limits, DrawBits* out) {
  HWY_DYNAMIC_DISPATCH(ValuesAtMost)(values, limits.data(), limits.size(), words_of(out));
}

void sum_trees(const BitForest& forest, const DrawBits* conditions, std::size_t skipped,
               TreeSlots& slots, DrawBits* planes) {
  HWY_DYNAMIC_DISPATCH(SumTrees)
  (forest, words_of(conditions), skipped, room(forest, slots), words_of(planes));
}

DrawBits sums_at_most(const DrawBits* planes, std::int64_t limit) {
  DrawBits out;
  if (limit < 0) return out;
  const bool all = limit >= (std::int64_t{1} << kTreePlanes) - 1;
  for (std::size_t w = 0; w < out.words.size(); ++w) {
    // From the lowest plane up: at most when the higher bits are below, or equal and the lower
    // ones at most.
    std::uint64_t at_most = ~std::uint64_t{0};
    for (std::size_t b = 0; b < kTreePlanes && !all; ++b) {
      const std::uint64_t bit = planes[b].words[w];
      at_most = (limit >> b & 1) != 0 ? (~bit | at_most) : (~bit & at_most);
    }
    out.words[w] = at_most;
  }
  return out;
}

void plane_values(const DrawBits* planes, float offset, float step, float* out) {
  HWY_DYNAMIC_DISPATCH(PlaneValues)(words_of(planes), offset, step, out);
}

void add_leaves(const BitForest& forest, const DrawBits* conditions, TreeSlots& slots,
                double* sums) {
  HWY_DYNAMIC_DISPATCH(AddLeavesDouble)
  (forest, words_of(conditions), room(forest, slots), sums);
}

void add_leaves(const BitForest& forest, const DrawBits* conditions, TreeSlots& slots,
                float* sums) {
  HWY_DYNAMIC_DISPATCH(AddLeavesFloat)
  (forest, words_of(conditions), room(forest, slots), sums);
}

}  // namespace croco
#endif  // HWY_ONCE
