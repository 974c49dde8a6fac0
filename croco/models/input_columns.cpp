// SPDX-License-Identifier: Apache-2.0
#include <croco/models/input_columns.hpp>

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/space/levels.hpp>

namespace croco {

InputColumns::InputColumns(std::size_t encoded_width, std::vector<InputColumn> columns)
    : encoded_width_(encoded_width), columns_(std::move(columns)) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const InputColumn& column = columns_[i];
    const bool code = column.kind == InputColumn::Kind::code;
    const std::size_t taken = code ? column.codes.size() : 1;
    if (taken == 0 || column.column >= encoded_width || taken > encoded_width - column.column) {
      throw ModelError(
          fmt::format("input {} of the model takes {} columns from {} on; the space has {}", i,
                      taken, column.column, encoded_width));
    }
    if (!code &&
        (!(column.unit > 0) || !std::isfinite(column.unit) || !std::isfinite(column.minimum))) {
      throw ModelError(
          fmt::format("input {} of the model has the unit {} from {} on; units must "
                      "be finite and above 0",
                      i, column.unit, column.minimum));
    }
  }
}

InputColumns InputColumns::identity(std::size_t width) {
  std::vector<InputColumn> columns(width);
  for (std::size_t j = 0; j < width; ++j) columns[j].column = j;
  return {width, std::move(columns)};
}

void InputColumns::row(View point, MutableView out) const noexcept {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const InputColumn& column = columns_[i];
    if (column.kind == InputColumn::Kind::code) {
      out[i] = column.codes[level_at(group(column), point)];
    } else if (column.plain()) {
      out[i] = point[column.column];
    } else {
      out[i] = column.minimum + column.unit * point[column.column];
    }
  }
}

Matrix InputColumns::rows(Rows points) const {
  Matrix out(points.count(), size());
  for (std::size_t k = 0; k < points.count(); ++k) row(points[k], out[k]);
  return out;
}

}  // namespace croco
