// SPDX-License-Identifier: Apache-2.0
/// Samples sent through the first layer of a network once, in single precision. It is linear:
///
///     W1 (x + e_k) + b = (W1 x + b) + W1 e_k = shift(x) + stored_k,
///
/// so that all pre-activations of a point cost samples x hidden units instead of samples x inputs x
/// hidden units. Only columns with noise are projected. What rounding loses is relative to the
/// sizes of what is added, however much of it cancels; `largest` and `size` give them. Callers
/// bound the error of a margin by that, and evaluate again in double precision the samples whose
/// side it leaves undecided.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/kernels/aligned.hpp>
#include <croco/kernels/relu_bank.hpp>
#include <croco/models/network/dense.hpp>
#include <croco/space/level_flips.hpp>

namespace croco {

/// A unit of the first layer as a bank stores it: its pre-activations times a factor.
struct ScaledUnit {
  std::size_t unit = 0;
  double factor = 1.0;
};

/// Stored [block][unit][sample], in whole blocks that stay in the cache while many points are
/// evaluated; the samples that fill up the last block are zero.
class ProjectedDraws {
 public:
  /// `order`, when given, says which sample comes at each place; numbers beyond them mean none.
  ProjectedDraws(const DenseLayer& layer, std::span<const ScaledUnit> units, Rows draws,
                 std::span<const std::uint32_t> order = {});
  /// Room for other samples of the same layer and units, all zero.
  ProjectedDraws(const ProjectedDraws& like, std::size_t count);

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t units() const noexcept { return offset_.size(); }
  [[nodiscard]] std::size_t blocks() const noexcept {
    return (count_ + kBankBlock - 1) / kBankBlock;
  }
  /// The values of a block.
  [[nodiscard]] const float* block(std::size_t index) const noexcept {
    return values_.data() + index * units() * kBankBlock;
  }
  [[nodiscard]] float* block(std::size_t index) noexcept {
    return values_.data() + index * units() * kBankBlock;
  }
  /// Notes that a unit has a value of this size.
  void raise(std::size_t unit, double magnitude) noexcept {
    largest_[unit] = std::max(largest_[unit], magnitude);
  }
  /// An input's weight in every stored unit, times the unit's factor.
  [[nodiscard]] const double* column(std::size_t input) const noexcept {
    return &columns_[input * units()];
  }
  [[nodiscard]] const Vector& largest() const noexcept { return largest_; }
  /// The largest magnitude of a unit's values.
  [[nodiscard]] double largest(std::size_t unit) const noexcept { return largest_[unit]; }
  /// `bias + W point` of every stored unit, times its factor.
  [[nodiscard]] Vector shift(View point) const;

  /// Notes that samples come with flips of these categories, and that there is a sample that is not
  /// stored here.
  void allow_flips(std::span<const LevelFlips> categories);
  void include(View draw) noexcept;
  /// Whether no sample is beyond the inputs for which a network's sums fit into single precision.
  [[nodiscard]] bool usable() const noexcept;
  /// The sum of the sizes of all that is added up in the units' values around a point, however much
  /// of it cancels: what rounding errors in double precision are relative to.
  [[nodiscard]] double size(View point) const noexcept;

 private:
  std::size_t count_;
  AlignedFloats values_;
  Vector largest_;
  Vector offset_;        ///< scaled biases
  Vector columns_;       ///< scaled weights, [input][unit]
  Vector farthest_;      ///< by input, what a sample or a flip adds at most
  Vector column_sizes_;  ///< by input, the sum of its weights' sizes
  double offset_size_ = 0;
};

/// The whole blocks that hold `count` samples from `first` on, and where the first is in them.
struct BlockRange {
  std::size_t first_block = 0;
  std::size_t blocks = 0;
  std::size_t offset = 0;

  BlockRange(std::size_t first, std::size_t count) noexcept
      : first_block(first / kBankBlock),
        blocks((first % kBankBlock + count + kBankBlock - 1) / kBankBlock),
        offset(first % kBankBlock) {}
};

/// The largest number in single precision that is at most `value`.
[[nodiscard]] float rounded_down(double value) noexcept;

/// The relative rounding error of single precision.
inline constexpr double kFloatUnit = 0x1p-24;
/// What a rounding below the range of single precision loses at most.
inline constexpr double kFloatLost = 0x1p-126;

/// An error bound as limits are made of it: NaN, which decides nothing, where numbers may be too
/// large for single precision.
[[nodiscard]] double usable_error(double error) noexcept;

}  // namespace croco
