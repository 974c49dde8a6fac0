// SPDX-License-Identifier: Apache-2.0
/// Rules about several columns at once, such as "debt and savings together at most the income" or
/// "the monthly rate not above today's".
///
///     // x_0 + x_1 at most 1
///     space.relations.push_back({.numerator = {{{0, 1.0}, {1, 1.0}}, 0.0}, .limit = 1.0});
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/base/types.hpp>

namespace croco {

/// `sum of weight * x[column] + offset`.
struct Combination {
  struct Term {
    std::size_t column = 0;
    double weight = 0.0;

    bool operator==(const Term&) const = default;
  };
  std::vector<Term> terms;
  double offset = 0.0;

  [[nodiscard]] double at(View point) const noexcept;
  bool operator==(const Combination&) const = default;
};

/// `numerator / denominator <= limit`, where the denominator is above 0 at every admissible point.
struct CROCO_EXPORT Relation {
  Combination numerator;
  Combination denominator{{}, 1.0};
  std::optional<double> limit = {};  ///< none: the value at the person's present point

  /// Whether the ratio has a value at a point: the denominator is above 0 there.
  [[nodiscard]] bool has_value(View point) const noexcept { return denominator.at(point) > 0; }
  bool operator==(const Relation&) const = default;
};

/// A relation as it is for one person: `coefficients . x <= bound`, the largest coefficient 1.
struct CROCO_EXPORT LinearRow {
  Vector coefficients;  ///< one per column
  double bound = 0.0;

  /// How far a point is beyond the bound; negative inside.
  [[nodiscard]] double excess(View point) const noexcept;
  /// Whether a point satisfies the row, to 1e-9 of its terms (of 1 where they are smaller): telling
  /// a value and encoding it again may move it so far.
  [[nodiscard]] bool holds(View point) const noexcept;
};

/// Linear at every person: where the denominator is above 0, `n / d <= limit` is `n - limit d <=
/// 0`. A ratio without a value at `origin` becomes a row that no point satisfies.
[[nodiscard]] CROCO_EXPORT LinearRow row_of(const Relation& relation, View origin);
[[nodiscard]] CROCO_EXPORT std::vector<LinearRow> rows_of(std::span<const Relation> relations,
                                                          View origin);

}  // namespace croco
