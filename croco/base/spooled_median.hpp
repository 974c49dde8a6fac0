// SPDX-License-Identifier: Apache-2.0
/// The exact median of any number of values, in little memory.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <croco/base/temporary_file.hpp>

namespace croco {

/// Values beyond a limit go into a temporary file, from which the median is selected by digits.
class SpooledMedian {
 public:
  static constexpr std::size_t kInMemory = std::size_t{1} << 18U;

  explicit SpooledMedian(std::size_t in_memory = kInMemory) : in_memory_(in_memory) {}

  /// Values must be at least 0 and no NaN. Throws IoError when the file cannot be written.
  void add(double value);
  /// As `median_of` of the same values.
  [[nodiscard]] double value() const;

 private:
  void spill();
  [[nodiscard]] double nth(std::size_t n) const;

  std::size_t in_memory_;
  std::vector<double> values_;
  std::unique_ptr<TemporaryFile> file_;
  std::size_t in_file_ = 0;
};

}  // namespace croco
