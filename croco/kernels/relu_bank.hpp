// SPDX-License-Identifier: Apache-2.0
/// A network with one hidden layer of ReLU units, evaluated on many draws around few points.
///
/// With `|v| max(0, s + p) = max(|v| p, -|v| s) + |v| s` a logit is
/// `constant + sum_{u < positive} max(P_u, cut_u) - sum_{u >= positive} max(P_u, cut_u)`: the bank
/// holds `P_u = |v_u| (W1 e)_u` of every draw in single precision, the units with positive `v`
/// first, and a point is its cuts `-|v_u| s_u` and its constant. Two operations per draw and unit.
///
/// A bank is stored [block][unit][draw of the block]. Sums run over the units in their order, draw
/// by draw, without fused operations: every instruction set gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace croco {

/// Draws per block of a bank.
inline constexpr std::size_t kBankBlock = 64;

/// Whole blocks of a bank; `values` is aligned to 64 bytes.
struct ReluBank {
  const float* values = nullptr;
  std::size_t blocks = 0;
  std::size_t units = 0;
  std::size_t positive = 0;  ///< the first `positive` units are added, the others subtracted
  std::size_t padding = 0;   ///< draws at the end that only fill up the last block
};

/// `out[k] = constant + sum` for every draw of the bank, padding too.
void relu_logits(const ReluBank& bank, const float* cuts, float constant, float* out) noexcept;

/// What a point's sums (without the constant) are compared with. Limits of NaN decide nothing.
struct ReluCut {
  const float* cuts = nullptr;
  float low = 0;
  float high = 0;  ///< >= low
};

/// A draw whose sum is neither at most a point's `low` nor above its `high`; sums that are no
/// number are neither.
struct BetweenDraw {
  std::uint32_t point = 0;
  std::uint32_t draw = 0;

  auto operator<=>(const BetweenDraw&) const = default;
};

/// Adds to `below[p]` the number of draws whose sum is at most `points[p].low`, and appends the
/// draws in between, in no particular order; padding is neither. Runs all points past a block while
/// it is in the cache.
void relu_split(const ReluBank& bank, std::span<const ReluCut> points, std::size_t* below,
                std::vector<BetweenDraw>& between);

/// `sums[u] += sum of weights[k] over the draws whose unit u is active (P_u > cut_u)`. Sixteen
/// partial sums per unit, added in a fixed order.
void relu_active(const ReluBank& bank, const float* cuts, const float* weights,
                 double* sums) noexcept;

/// Units of single draws come in whole runs of this length.
inline constexpr std::size_t kUnitRun = 8;

/// A point's part in every sum, and the size of what a sum in single precision adds up.
struct ReluPlace {
  double constant = 0;   ///< without the bias
  double magnitude = 0;  ///< sum of max(largest, |cut|)
};

/// The cuts of a point whose units have these shifts, a multiple of kUnitRun of them (padding has
/// sign 0). A unit that is off, or on, for every draw (`largest` bounds its values) gets a cut just
/// outside of the draws, which says the same and keeps large numbers out of the sums.
ReluPlace relu_cuts(const double* shifts, const double* largest, const double* signs,
                    std::size_t units, float* cuts) noexcept;

/// Single draws around a point, in double precision, each with shifts of its own.
struct ReluDraws {
  const double* values = nullptr;  ///< [draw][unit]
  const double* base = nullptr;    ///< added to every draw
  const double* deltas = nullptr;  ///< [entry][unit]; the entries of a draw are added to it too
  const double* signs = nullptr;
  std::size_t units = 0;                   ///< a multiple of kUnitRun
  std::span<const std::uint32_t> begin{};  ///< where each draw's entries begin, and the end
  std::span<const std::uint32_t> ids{};
};

/// `out[k] = sum_u signs[u] max(0, values[k][u] + base[u] + sum of deltas[entry][u])`: kUnitRun
/// partial sums, added in a fixed order.
void relu_sums(const ReluDraws& draws, double* out) noexcept;

}  // namespace croco
