// SPDX-License-Identifier: Apache-2.0
/// The largest or smallest one of some numbers as an index into a table, as parts of a program on
/// planes. Isotonic calibration comes in this form: the entry of the nearest threshold.
#pragma once

#include <cmath>
#include <cstddef>
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
};

/// The row of the table at the place of the best input; NaN where an input is NaN.
class ChosenEntry final : public OpaqueFunction {
 public:
  explicit ChosenEntry(Choice choice) : choice_(std::move(choice)) {}

  [[nodiscard]] const Choice& choice() const noexcept { return choice_; }
  [[nodiscard]] std::size_t inputs() const noexcept override { return choice_.width; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return choice_.columns(); }
  void apply(std::span<const double* const> in, std::span<double* const> out,
             std::size_t items) const override;

 private:
  Choice choice_;
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
  [[nodiscard]] bool same_row(std::size_t a, std::size_t b) const noexcept;

  Choice choice_;
  std::vector<bool> inexact_;  ///< by input
  Vector added_;               ///< by input
};

}  // namespace croco
