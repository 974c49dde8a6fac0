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

bool Choice::same_row(std::size_t a, std::size_t b) const noexcept {
  for (std::size_t c = 0; c < columns(); ++c) {
    if (table[a * columns() + c] != table[b * columns() + c]) return false;
  }
  return true;
}

void TableEntry::put(std::size_t place, std::span<double* const> out, std::size_t item) const {
  const std::size_t columns = choice_.columns();
  for (std::size_t c = 0; c < columns; ++c) {
    out[c][item] = place < choice_.width ? choice_.table[place * columns + c] : kNaN;
  }
}

void ChosenEntry::apply(std::span<const double* const> in, std::span<double* const> out,
                        std::size_t items) const {
  for (std::size_t k = 0; k < items; ++k) put(place_of(choice(), in, k), out, k);
}

double NearestEntry::distance(double x, std::size_t threshold) const noexcept {
  const double size = std::abs(x - thresholds_[threshold]);
  return single_ ? static_cast<double>(static_cast<float>(size)) : size;
}

NearestEntry::NearestEntry(Choice choice, Vector thresholds, bool single)
    : TableEntry(std::move(choice)), thresholds_(std::move(thresholds)), single_(single) {
  constexpr std::size_t kMost = 4096;
  constexpr double kApart = 0x1p-20;
  const std::size_t count = thresholds_.size();
  const double span = thresholds_.back() - thresholds_.front();
  if (count < 2 || count > kMost || !std::isfinite(span)) return;
  largest_ = std::max(std::abs(thresholds_.front()), std::abs(thresholds_.back()));
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if (!(thresholds_[i + 1] - thresholds_[i] > kApart * (span + largest_))) {
      breaks_.clear();
      return;
    }
    // By halving, down to two neighbouring numbers.
    double low = thresholds_[i];
    double high = thresholds_[i + 1];
    for (double middle = low + (high - low) / 2; middle > low && middle < high;
         middle = low + (high - low) / 2) {
      const double down = distance(middle, i);
      const double up = distance(middle, i + 1);
      (down < up || (down == up && !this->choice().last) ? low : high) = middle;
    }
    breaks_.push_back(low);
  }
}

namespace {

/// How many of some numbers, which ascend, are below x (or at most x): by halving, without a branch
/// that depends on x.
template <typename Is>
std::size_t count_below(const Vector& numbers, Is is_below) noexcept {
  std::size_t count = 0;
  for (std::size_t left = numbers.size(); left > 0;) {
    const std::size_t half = (left + 1) / 2;
    count += half * static_cast<std::size_t>(is_below(numbers[count + half - 1]));
    left -= half;
  }
  return count;
}

}  // namespace

std::size_t NearestEntry::place(double x) const noexcept {
  return has_break(x) ? count_below(breaks_, [x](double number) { return number < x; })
                      : searched_place(x);
}

bool NearestEntry::is_apart(double x, std::size_t place, double size) const noexcept {
  if (!has_break(x)) return false;
  // How much farther away the neighbours are: as far as they are from the nearest one, or less
  // where x lies between the two.
  double farther = std::numeric_limits<double>::infinity();
  if (place > 0) {
    farther = std::min(2 * (x - breaks_[place - 1]), thresholds_[place] - thresholds_[place - 1]);
  }
  if (place < breaks_.size()) {
    farther =
        std::min({farther, 2 * (breaks_[place] - x), thresholds_[place + 1] - thresholds_[place]});
  }
  // Twice what is ever in doubt is room for the roundings of this; a size that is no number is not
  // enough.
  return farther > 2 * (kUnclearShare * (std::abs(x) + largest_ + size) + kUnclearGap);
}

std::size_t NearestEntry::searched_place(double x) const noexcept {
  const std::size_t count = thresholds_.size();
  if (std::isnan(x)) return count;
  const std::size_t above = count_below(thresholds_, [x](double number) { return number <= x; });
  // The last one below x, or the first one above it; then the first or the last one as near.
  std::size_t best = std::min(above, count - 1);
  if (above > 0 && above < count && distance(x, above - 1) <= distance(x, above)) best = above - 1;
  const double least = distance(x, best);
  if (choice().last) {
    while (best + 1 < count && distance(x, best + 1) == least) ++best;
  } else {
    while (best > 0 && distance(x, best - 1) == least) --best;
  }
  return best;
}

void NearestEntry::apply(std::span<const double* const> in, std::span<double* const> out,
                         std::size_t items) const {
  for (std::size_t k = 0; k < items; ++k) put(place(in[0][k]), out, k);
}

void NearestDoubts::apply(std::span<const double* const> in, std::span<double* const> out,
                          std::size_t items) const {
  for (std::size_t k = 0; k < items; ++k) out[0][k] = is_clear(in[0][k], in[1][k]) ? 0 : kNaN;
}

bool NearestDoubts::is_clear(double x, double size) const noexcept {
  const Vector& thresholds = entry_->thresholds();
  const std::size_t best = entry_->place(x);
  if (best == thresholds.size()) return false;
  if (entry_->is_apart(x, best, size)) return true;
  const double least = entry_->distance(x, best);
  // Away from the best one distances grow faster than what may be doubted: behind one that is far
  // enough, all are.
  const auto is_far = [&](std::size_t i) {
    const double most = std::max(std::abs(thresholds[i]), std::abs(thresholds[best]));
    const double distance = entry_->distance(x, i);
    return !is_unclear(distance, least) &&
           std::abs(distance - least) > kSizeShare * (size + most) + kUnclearGap;
  };
  for (std::size_t i = best; i > 0 && !is_far(i - 1); --i) {
    if (!entry_->choice().same_row(i - 1, best)) return false;
  }
  for (std::size_t i = best + 1; i < thresholds.size() && !is_far(i); ++i) {
    if (!entry_->choice().same_row(i, best)) return false;
  }
  return true;
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
      clear = far || choice_.same_row(i, best);
    }
    out[0][k] = clear ? 0 : kNaN;
  }
}

}  // namespace croco
