// SPDX-License-Identifier: Apache-2.0
#include <croco/models/input_columns.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/space/levels.hpp>

namespace croco {

namespace {

/// Doubles in their order as whole numbers, so that halves of intervals can be taken.
std::int64_t place_of(double value) noexcept {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}

double double_at(std::int64_t place) noexcept {
  return std::bit_cast<double>(place >= 0 ? place
                                          : std::numeric_limits<std::int64_t>::min() - place);
}

}  // namespace

InputColumn InputColumn::constant_of(double value) {
  InputColumn out;
  out.kind = Kind::constant;
  out.minimum = value;
  return out;
}

double InputColumn::value(double encoded) const noexcept {
  double out = kind == Kind::constant ? minimum : minimum + unit * encoded;
  for (const InputStep& step : steps) {
    out = step.factor * (out / step.divisor) + step.offset;
    if (step.single) out = static_cast<double>(static_cast<float>(out));
  }
  return out;
}

double InputColumn::largest_at_most(double limit) const noexcept {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (plain() || std::isinf(limit)) return limit;
  // `value` never falls, so the answer is found by halving. 64 steps are few beside a search.
  std::int64_t low = place_of(-kInfinity);
  std::int64_t high = place_of(kInfinity);
  while (high - 1 > low) {
    // The sum of a negative and a positive place cannot overflow; the ends are of both signs.
    const std::int64_t middle = low + (high / 2 - low / 2);
    const std::int64_t next = middle == low ? low + 1 : middle;
    (value(double_at(next)) <= limit ? low : high) = next;
  }
  return double_at(low);
}

InputColumns::InputColumns(std::size_t encoded_width, std::vector<InputColumn> columns)
    : encoded_width_(encoded_width), columns_(std::move(columns)) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const InputColumn& column = columns_[i];
    if (column.kind == InputColumn::Kind::constant) continue;
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

bool InputColumns::has_constants() const noexcept {
  return std::ranges::any_of(columns_, [](const InputColumn& column) {
    return column.kind == InputColumn::Kind::constant;
  });
}

void InputColumns::row(View point, MutableView out) const noexcept {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const InputColumn& column = columns_[i];
    if (column.kind == InputColumn::Kind::code) {
      out[i] = column.codes[level_at(group(column), point)];
    } else if (column.plain()) {
      out[i] = point[column.column];
    } else {
      out[i] = column.value(point[column.column]);
    }
  }
}

Matrix InputColumns::rows(Rows points) const {
  Matrix out(points.count(), size());
  for (std::size_t k = 0; k < points.count(); ++k) row(points[k], out[k]);
  return out;
}

}  // namespace croco
