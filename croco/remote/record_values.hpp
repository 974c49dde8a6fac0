// SPDX-License-Identifier: Apache-2.0
/// What a remote model is sent for encoded points: the values of records, as people have them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// One feature.
struct RecordColumn {
  std::string name;
  OneHotGroup group = {};  ///< of a category; of a number, its one column
  double minimum = 0.0;    ///< of a number: `minimum + unit * point[column]`
  double unit = 1.0;
  std::vector<std::string> levels = {};  ///< of a category

  [[nodiscard]] bool categorical() const noexcept { return !levels.empty(); }
};

/// The features of a codec, in the schema's order. Immutable.
class RecordColumns {
 public:
  explicit RecordColumns(const Codec& codec);

  [[nodiscard]] std::size_t size() const noexcept { return columns_.size(); }
  [[nodiscard]] const RecordColumn& operator[](std::size_t column) const noexcept {
    return columns_[column];
  }
  [[nodiscard]] const std::vector<RecordColumn>& all() const noexcept { return columns_; }
  /// One row of values for each point: a number in its own units, which an exact encoding keeps to
  /// the last bit; of a category the place of its level. Noise is not rounded to steps.
  [[nodiscard]] Matrix values(Rows points) const;

 private:
  std::vector<RecordColumn> columns_;
};

}  // namespace croco
