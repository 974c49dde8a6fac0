// SPDX-License-Identifier: Apache-2.0
/// The largest or smallest one of some numbers as an index into a table, as parts of a program on
/// planes. Isotonic calibration comes in this form: the entry of the nearest threshold.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/graph/plane_program.hpp>

namespace croco {

/// The place of the largest (or smallest) of `at(0) .. at(width - 1)`, the first or the last one of
/// equal numbers; `width` when one of them is NaN.
template <typename At>
[[nodiscard]] std::size_t place_of_best(std::size_t width, bool smallest, bool last, At at) {
  std::size_t best = 0;
  bool clear = !std::isnan(at(0));
  for (std::size_t i = 1; i < width; ++i) {
    const auto value = at(i);
    clear = clear && !std::isnan(value);
    const bool better = smallest ? value < at(best) : value > at(best);
    if (better || (last && value == at(best))) best = i;
  }
  return clear ? best : width;
}

/// Which one of its inputs is chosen, and what it stands for.
struct Choice {
  bool smallest = false;
  bool last = false;      ///< of equal numbers
  std::size_t width = 1;  ///< inputs
  /// Rows of `table.size() / width` numbers, one for each input.
  Vector table = {};

  [[nodiscard]] std::size_t columns() const noexcept { return table.size() / width; }
  /// Whether two places stand for the same.
  [[nodiscard]] bool same_row(std::size_t a, std::size_t b) const noexcept;
};

/// A row of a table: its results are numbers of the file.
class TableEntry : public OpaqueFunction {
 public:
  explicit TableEntry(Choice choice) : choice_(std::move(choice)) {}

  [[nodiscard]] const Choice& choice() const noexcept { return choice_; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return choice_.columns(); }

 protected:
  /// Puts the row at a place into the results of an item; NaN at none.
  void put(std::size_t place, std::span<double* const> out, std::size_t item) const;

 private:
  Choice choice_;
};

/// The row of the table at the place of the best input; NaN where an input is NaN.
class ChosenEntry final : public TableEntry {
 public:
  using TableEntry::TableEntry;

  [[nodiscard]] std::size_t inputs() const noexcept override { return choice().width; }
  void apply(std::span<const double* const> in, std::span<double* const> out,
             std::size_t items) const override;
};

/// The row of the table at the threshold that is nearest to x. It is what `ChosenEntry` makes of
/// the smallest one of the distances |x - threshold|, without computing all of them: they fall up
/// to the nearest threshold and rise from there on, also once they are rounded.
class NearestEntry final : public TableEntry {
 public:
  /// `thresholds` ascend, one for each row of the table. `single`: distances are rounded to single
  /// precision, as the runtime has them.
  NearestEntry(Choice choice, Vector thresholds, bool single);

  [[nodiscard]] const Vector& thresholds() const noexcept { return thresholds_; }
  [[nodiscard]] bool single() const noexcept { return single_; }
  [[nodiscard]] std::size_t inputs() const noexcept override { return 1; }
  void apply(std::span<const double* const> in, std::span<double* const> out,
             std::size_t items) const override;

  [[nodiscard]] double distance(double x, std::size_t threshold) const noexcept;
  /// Where the nearest one is; the number of thresholds for NaN.
  [[nodiscard]] std::size_t place(double x) const noexcept;
  /// Whether no other threshold is nearly as near, whatever the roundings of a number of such a
  /// size: false where that takes a closer look.
  [[nodiscard]] bool is_apart(double x, std::size_t place, double size) const noexcept;

 private:
  [[nodiscard]] bool has_break(double x) const noexcept {
    return !breaks_.empty() && x >= thresholds_.front() && x <= thresholds_.back();
  }
  [[nodiscard]] std::size_t searched_place(double x) const noexcept;

  Vector thresholds_;
  bool single_;
  /// Between each two thresholds the largest number that belongs to the lower one. Empty where some
  /// are so near to each other that rounded distances to three of them may be equal.
  Vector breaks_;
  double largest_ = 0;  ///< of the thresholds' sizes
};

/// 0 where the choice is clear, NaN where another input with another row is so near to the best one
/// that the runtime may choose it: `is_unclear`, or nearer than the roundings of the numbers that
/// they are computed from. Those are as large as the last input and `added` of the input. Two
/// inputs that are both exact are compared as the runtime compares them.
class ChoiceDoubts final : public OpaqueFunction {
 public:
  ChoiceDoubts(Choice choice, std::vector<bool> inexact, Vector added)
      : choice_(std::move(choice)), inexact_(std::move(inexact)), added_(std::move(added)) {}

  [[nodiscard]] std::size_t inputs() const noexcept override { return choice_.width + 1; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return 1; }
  void apply(std::span<const double* const> in, std::span<double* const> out,
             std::size_t items) const override;

 private:
  Choice choice_;
  std::vector<bool> inexact_;  ///< by input
  Vector added_;               ///< by input
};

/// The same for the nearest threshold to x, which is the first input; the second one is its size.
class NearestDoubts final : public OpaqueFunction {
 public:
  explicit NearestDoubts(std::shared_ptr<const NearestEntry> entry) : entry_(std::move(entry)) {}

  [[nodiscard]] std::size_t inputs() const noexcept override { return 2; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return 1; }
  void apply(std::span<const double* const> in, std::span<double* const> out,
             std::size_t items) const override;

 private:
  [[nodiscard]] bool is_clear(double x, double size) const noexcept;

  std::shared_ptr<const NearestEntry> entry_;
};

}  // namespace croco
