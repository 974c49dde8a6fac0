// SPDX-License-Identifier: Apache-2.0
#include <croco/models/network/projected_draws.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <croco/kernels/project_block.hpp>

namespace croco {
ProjectedDraws::ProjectedDraws(const DenseLayer& layer, std::span<const ScaledUnit> units,
                               Rows draws, std::span<const std::uint32_t> order)
    : count_(order.empty() ? draws.count() : order.size()),
      values_((count_ + kBankBlock - 1) / kBankBlock * units.size() * kBankBlock),
      largest_(units.size()),
      offset_(units.size()),
      columns_(layer.inputs * units.size()),
      farthest_(layer.inputs),
      column_sizes_(layer.inputs) {
  for (std::size_t u = 0; u < units.size(); ++u) {
    offset_[u] = units[u].factor * layer.bias[units[u].unit];
    offset_size_ += std::abs(offset_[u]);
    for (std::size_t j = 0; j < layer.inputs; ++j) {
      columns_[j * units.size() + u] =
          units[u].factor * layer.weight[units[u].unit * layer.inputs + j];
      column_sizes_[j] += std::abs(columns_[j * units.size() + u]);
    }
  }
  // Columns without noise add nothing.
  std::vector<std::size_t> noisy;
  std::vector<std::size_t> exact(layer.inputs);
  for (std::size_t j = 0; j < layer.inputs; ++j) exact[j] = j;
  for (std::size_t k = 0; k < draws.count() && !exact.empty(); ++k) {
    const View draw = draws[k];
    std::erase_if(exact, [&](std::size_t j) {
      if (draw[j] == 0) return false;
      noisy.push_back(j);
      return true;
    });
  }
  std::ranges::sort(noisy);
  Vector weights;
  weights.reserve(units.size() * noisy.size());
  for (std::size_t u = 0; u < units.size(); ++u) {
    for (const std::size_t j : noisy) weights.push_back(columns_[j * units.size() + u]);
  }
  std::vector<double, CacheLineAllocator<double>> columns(noisy.size() * kBankBlock);
  Vector sizes(noisy.size());
  for (std::size_t begin = 0; begin < count_; begin += kBankBlock) {
    const std::size_t n = std::min(kBankBlock, count_ - begin);
    if (n < kBankBlock) std::ranges::fill(columns, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t number = order.empty() ? begin + k : order[begin + k];
      if (number >= draws.count()) {
        for (std::size_t i = 0; i < noisy.size(); ++i) columns[i * kBankBlock + k] = 0;
        continue;
      }
      const double* draw = draws[number].data();
      for (std::size_t i = 0; i < noisy.size(); ++i) columns[i * kBankBlock + k] = draw[noisy[i]];
    }
    project_block(columns.data(), weights.data(), noisy.size(), units.size(),
                  values_.data() + begin * units.size(), largest_.data());
    raise_sizes(columns.data(), noisy.size(), sizes.data());
  }
  for (std::size_t i = 0; i < noisy.size(); ++i) farthest_[noisy[i]] = sizes[i];
}

ProjectedDraws::ProjectedDraws(const ProjectedDraws& like, std::size_t count)
    : count_(count),
      values_((count + kBankBlock - 1) / kBankBlock * like.units() * kBankBlock),
      largest_(like.units()),
      offset_(like.offset_),
      columns_(like.columns_),
      farthest_(like.farthest_),
      column_sizes_(like.column_sizes_),
      offset_size_(like.offset_size_) {}

Vector ProjectedDraws::shift(View point) const {
  Vector out(offset_);
  for (std::size_t j = 0; j < point.size(); ++j) {
    if (point[j] != 0) add_scaled(&columns_[j * out.size()], point[j], out.size(), out.data());
  }
  return out;
}

void ProjectedDraws::allow_flips(std::span<const LevelFlips> categories) {
  for (const LevelFlips& category : categories) {
    const OneHotGroup& group = category.group();
    for (std::size_t j = group.first; j < group.first + group.count; ++j) {
      farthest_[j] = std::max(farthest_[j], 1.0);
    }
  }
}

void ProjectedDraws::include(View draw) noexcept {
  for (std::size_t j = 0; j < draw.size(); ++j) {
    farthest_[j] = std::max(farthest_[j], std::abs(draw[j]));
  }
}

bool ProjectedDraws::usable() const noexcept {
  constexpr double kMost = 1e9;
  return std::ranges::all_of(farthest_, [](double size) { return size <= kMost; });
}

double ProjectedDraws::size(View point) const noexcept {
  double sum = offset_size_;
  for (std::size_t j = 0; j < point.size(); ++j) {
    sum += column_sizes_[j] * (std::abs(point[j]) + farthest_[j]);
  }
  return sum;
}

double usable_error(double error) noexcept {
  constexpr double kMost = 1e30;  // roundings of numbers that are well below 1e38
  return error <= kMost ? error : std::numeric_limits<double>::quiet_NaN();
}

float rounded_down(double value) noexcept {
  const auto nearest = static_cast<float>(value);
  return static_cast<double>(nearest) <= value
             ? nearest
             : std::nextafter(nearest, -std::numeric_limits<float>::infinity());
}

}  // namespace croco
