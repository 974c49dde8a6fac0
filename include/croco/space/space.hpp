// SPDX-License-Identifier: Apache-2.0
/// The encoded space, without names: which columns may move, how far, in which direction and in
/// which steps. Names, units and levels live in `data/`; nothing from here on knows them.
///
///     croco::Space space;
///     space.columns = {{.lower = 0, .upper = 1}, {.movement = croco::Movement::fixed}};
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/base/types.hpp>
#include <croco/space/price_curve.hpp>
#include <croco/space/relation.hpp>

namespace croco {

struct Interval {
  double lower;
  double upper;
};

/// In which direction a movable column may leave the person's present value.
enum class Movement : std::uint8_t { both, up, down, fixed };

/// One encoded column.
struct Column {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  Movement movement = Movement::both;
  /// Admissible values are `step_origin + k * step` for whole k (and always the present value);
  /// 0 means that every value in the range is admissible.
  double step = 0.0;
  double step_origin = 0.0;
  /// Price of one encoded unit of change, or of one level of the price curve; > 0.
  double cost = 1.0;
  /// False for the columns of a one-hot group.
  bool continuous = true;
  /// The farthest that a value may go from the present one, either way; > 0.
  double max_change = std::numeric_limits<double>::infinity();
  /// Price of changing the value at all, however little, on top of the price of the way; >= 0.
  double touch_price = 0.0;
  /// Where the price of a unit depends on the value; empty where it does not.
  PriceCurve price = {};
  /// How long the range of the training data is in this column; > 0. Distances, and noise with one
  /// scale for all columns, are counted in such ranges.
  double span = 1.0;

  bool operator==(const Column&) const = default;
};

/// A change of category that advice may tell, at a price.
struct LevelMove {
  std::size_t from = 0;  ///< levels, counted within the group
  std::size_t to = 0;
  double price = 1.0;  ///< > 0

  bool operator==(const LevelMove&) const = default;
};

/// The columns `first .. first + count - 1` one-hot encode one category.
struct OneHotGroup {
  std::size_t first = 0;
  std::size_t count = 0;
  std::vector<LevelMove> moves = {};  ///< none: the category stays as it is

  bool operator==(const OneHotGroup&) const = default;
};

/// The columns of the encoded space. One-hot columns are fixed, but for the moves of their group.
struct CROCO_EXPORT Space {
  std::vector<Column> columns;
  std::vector<OneHotGroup> groups;
  /// What a recommended point must satisfy too; a present point that breaks one is repaired.
  std::vector<Relation> relations = {};
  /// Features (numbers and categories) that a recommended point may change at most; at least 1.
  std::size_t most_changed = kAnyNumber;

  static constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] std::size_t width() const noexcept { return columns.size(); }
  [[nodiscard]] bool movable(std::size_t column) const noexcept {
    return columns[column].movement != Movement::fixed;
  }

  bool operator==(const Space&) const = default;
};

}  // namespace croco
