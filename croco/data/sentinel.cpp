// SPDX-License-Identifier: Apache-2.0
#include <croco/data/sentinel.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include <fmt/format.h>

namespace croco {
namespace {

constexpr double kLargestCode = 1e12;

/// At least `digits` digits, all of them `digit` or, for 0, any one of 6 to 9.
bool repeats(double value, std::size_t digits, char digit) {
  if (value != std::floor(value) || value < 1 || value > kLargestCode) return false;
  const std::string text = fmt::format("{:.0f}", value);
  const char first = text.front();
  return text.size() >= digits && (digit == 0 ? first >= '6' : first == digit) &&
         std::ranges::all_of(text, [&](char letter) { return letter == first; });
}

bool is_high_code(double value) {
  return (value >= 96 && value <= 99 && value == std::floor(value)) || repeats(value, 3, 0);
}

bool is_low_code(double value) {
  return value == -1 || value == -7 || value == -8 || repeats(-value, 1, '9');
}

}  // namespace

std::vector<double> sentinels_of(const std::vector<double>& distinct) {
  constexpr std::size_t kFewest = 3;
  constexpr std::size_t kMany = 10;
  const std::size_t count = distinct.size();
  std::size_t low = 0;  // codes at the beginning
  for (std::size_t k = 0; k + kFewest < count && is_low_code(distinct[k]); ++k) {
    const double next = distinct[k + 1];
    if (next >= 0 && (next - distinct[k] > 1 || count - k - 1 >= kMany)) low = k + 1;
  }
  std::size_t high = count;  // codes from here to the end
  for (std::size_t k = count; k > low + kFewest && is_high_code(distinct[k - 1]); --k) {
    const double before = distinct[k - 2];
    if (distinct[k - 1] - before > before - distinct[low]) high = k - 1;
  }
  std::vector<double> codes(distinct.begin(), distinct.begin() + static_cast<std::ptrdiff_t>(low));
  codes.insert(codes.end(), distinct.begin() + static_cast<std::ptrdiff_t>(high), distinct.end());
  return codes;
}

}  // namespace croco
