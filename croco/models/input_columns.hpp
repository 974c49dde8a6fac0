// SPDX-License-Identifier: Apache-2.0
/// The columns that a model of another program takes, as functions of croco's encoded points:
/// numbers in their own units, one column per level, or a code for a whole category. Which column
/// is which is found by name in `loading/column_matching`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// A step of what a model makes of a number before it looks at it.
struct InputStep {
  double factor = 1.0;  ///< > 0
  double offset = 0.0;
  double divisor = 1.0;  ///< > 0; the value is divided first
  bool single = false;   ///< the result is rounded to single precision

  bool operator==(const InputStep&) const = default;
};

/// One column of the model.
struct InputColumn {
  enum class Kind : std::uint8_t {
    number,  ///< `minimum + unit * point[column]`; a level's own column has 0 and 1 here
    code,    ///< of the category whose columns begin at `column`: `codes` of its level
    /// `minimum` for every point, NaN for a value that is missing: the point's own is never asked.
    constant,
  };
  Kind kind = Kind::number;
  std::size_t column = 0;
  double minimum = 0.0;
  double unit = 1.0;  ///< > 0
  /// Of a number or constant: what becomes of it next, in this order.
  std::vector<InputStep> steps = {};
  /// One per level; NaN for a level that the model does not know.
  Vector codes = {};

  [[nodiscard]] static InputColumn constant_of(double value);
  /// What the model sees of an encoded value. Of a number or constant.
  [[nodiscard]] double value(double encoded) const noexcept;
  /// The largest encoded value of which the model sees at most `limit`: comparing with it decides
  /// as the model does, to the last bit. -infinity when there is none.
  [[nodiscard]] double largest_at_most(double limit) const noexcept;
  /// Whether the model sees the encoded column as it is.
  [[nodiscard]] bool plain() const noexcept {
    return kind == Kind::number && minimum == 0 && unit == 1 && steps.empty();
  }
  bool operator==(const InputColumn&) const = default;
};

/// All columns of a model, in its order. Immutable.
class InputColumns {
 public:
  /// Throws ModelError when a column is not among the `encoded_width` ones of the space.
  InputColumns(std::size_t encoded_width, std::vector<InputColumn> columns);
  /// Whether a column is a constant.
  [[nodiscard]] bool has_constants() const noexcept;
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
