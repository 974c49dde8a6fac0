// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/plane_choice.hpp>

#include <algorithm>
#include <limits>

namespace croco {
namespace {

/// Of the terms of sums, which bound what cancels: room for 64 roundings in single precision.
constexpr double kSizeShare = 0x1p-18;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::size_t place_of(const Choice& choice, std::span<const double* const> in, std::size_t item) {
  return place_of_best(choice.width, choice.smallest, choice.last,
                       [&](std::size_t i) { return in[i][item]; });
}

}  // namespace

void ChosenEntry::apply(std::span<const double* const> in, std::span<double* const> out,
                        std::size_t items) const {
  const std::size_t columns = choice_.columns();
  for (std::size_t k = 0; k < items; ++k) {
    const std::size_t place = place_of(choice_, in, k);
    for (std::size_t c = 0; c < columns; ++c) {
      out[c][k] = place < choice_.width ? choice_.table[place * columns + c] : kNaN;
    }
  }
}

void ChoiceDoubts::apply(std::span<const double* const> in, std::span<double* const> out,
                         std::size_t items) const {
  for (std::size_t k = 0; k < items; ++k) {
    const std::size_t best = place_of(choice_, in, k);
    bool clear = best < choice_.width;
    for (std::size_t i = 0; clear && i < choice_.width; ++i) {
      if (i == best || (!inexact_[i] && !inexact_[best])) continue;
      // Written so that a size that is no number makes nothing clear.
      const double size = in[choice_.width][k] + std::max(added_[i], added_[best]);
      const double room = kSizeShare * size + kUnclearGap;
      const bool far =
          !is_unclear(in[i][k], in[best][k]) && std::abs(in[i][k] - in[best][k]) > room;
      clear = far || same_row(i, best);
    }
    out[0][k] = clear ? 0 : kNaN;
  }
}

bool ChoiceDoubts::same_row(std::size_t a, std::size_t b) const noexcept {
  const std::size_t columns = choice_.columns();
  for (std::size_t c = 0; c < columns; ++c) {
    if (choice_.table[a * columns + c] != choice_.table[b * columns + c]) return false;
  }
  return true;
}

}  // namespace croco
