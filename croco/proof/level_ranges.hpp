// SPDX-License-Identifier: Apache-2.0
/// What the levels of categories add to the first layer of a network, for all the levels of a
/// region at once and under every pattern of flips.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/proof/change_region.hpp>
#include <croco/proof/drawn_network.hpp>

namespace croco {

/// For one person. Ranges are made when asked for, and hold until another region is entered. Not
/// thread-safe.
class LevelRanges {
 public:
  /// The network must outlive the ranges.
  LevelRanges(const DrawnNetwork& network, View origin);

  /// `levels` must live until the next are entered.
  void enter(const std::vector<LevelOptions>& levels);

  /// By unit of the first layer.
  struct Range {
    Vector cheapest = {};     ///< what the cheapest levels add
    Vector lowest = {};       ///< what others add beyond that at least, <= 0
    Vector highest = {};      ///< and at most, >= 0
    std::size_t entered = 0;  ///< when it was made
  };
  [[nodiscard]] const Range& of_pattern(std::size_t pattern);
  /// Of one category alone.
  [[nodiscard]] const Range& of_cell(std::size_t category, std::uint32_t cell);

  /// The greatest |sum| that the levels can add to a unit in any region.
  [[nodiscard]] double size_of(std::size_t unit) const noexcept { return sizes_[unit]; }
  /// What a level adds to a unit once it has become another.
  [[nodiscard]] double added(std::size_t category, std::size_t unit, std::size_t level,
                             std::size_t becomes) const noexcept;
  [[nodiscard]] std::size_t own_level(std::size_t category) const noexcept {
    return own_[category].level;
  }
  /// By unit, what the person's own columns add beyond their level; empty when they are one-hot.
  [[nodiscard]] const Vector& rest_of(std::size_t category) const noexcept {
    return own_[category].rest;
  }

 private:
  /// A recommended level is one-hot. What was given need not be, and stays where the category
  /// does.
  struct Own {
    std::size_t level = 0;
    Vector rest = {};
  };

  const DrawnNetwork& network_;
  std::vector<Own> own_;
  Vector sizes_;
  const std::vector<LevelOptions>* levels_ = nullptr;
  std::size_t entered_ = 0;
  std::vector<Range> patterns_;
  std::vector<std::vector<Range>> cells_;  ///< [category][cell], the last for no flip
};

}  // namespace croco
