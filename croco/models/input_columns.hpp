// SPDX-License-Identifier: Apache-2.0
/// The columns that a model from elsewhere takes, as functions of croco's encoded points: numbers
/// in their own units, one column per level, or a code for a whole category. Which column is which
/// is found by name in `explain/column_matching`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// One column of the model.
struct InputColumn {
  enum class Kind : std::uint8_t {
    number,  ///< `minimum + unit * point[column]`; a level's own column has 0 and 1 here
    code,    ///< of the category whose columns begin at `column`: `codes` of its level
  };
  Kind kind = Kind::number;
  std::size_t column = 0;
  double minimum = 0.0;
  double unit = 1.0;  ///< > 0
  /// One per level; NaN for a level that the model does not know.
  Vector codes = {};

  /// Where the model's own value lies in the encoded space: what `Codec` makes of the same number,
  /// so that equal numbers stay equal and the order is kept. Of a number.
  [[nodiscard]] double encoded(double value) const noexcept { return (value - minimum) / unit; }
  /// Whether the model sees the encoded column as it is.
  [[nodiscard]] bool plain() const noexcept {
    return kind == Kind::number && minimum == 0 && unit == 1;
  }
  bool operator==(const InputColumn&) const = default;
};

/// All columns of a model, in its order. Immutable.
class InputColumns {
 public:
  /// Throws ModelError when a column is not among the `encoded_width` ones of the space.
  InputColumns(std::size_t encoded_width, std::vector<InputColumn> columns);
  /// The model takes encoded points themselves.
  [[nodiscard]] static InputColumns identity(std::size_t width);

  [[nodiscard]] std::size_t encoded_width() const noexcept { return encoded_width_; }
  /// How many the model takes.
  [[nodiscard]] std::size_t size() const noexcept { return columns_.size(); }
  [[nodiscard]] const InputColumn& operator[](std::size_t column) const noexcept {
    return columns_[column];
  }
  /// The model's row for an encoded point. `out.size() == size()`.
  void row(View point, MutableView out) const noexcept;
  /// The same for a batch.
  [[nodiscard]] Matrix rows(Rows points) const;

  /// The category that a column of kind `code` stands for.
  [[nodiscard]] static OneHotGroup group(const InputColumn& column) {
    return {column.column, column.codes.size()};
  }

 private:
  std::size_t encoded_width_;
  std::vector<InputColumn> columns_;
};

}  // namespace croco
