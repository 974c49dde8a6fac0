// SPDX-License-Identifier: Apache-2.0
/// How unusual a recommended record is among people whom the model accepts.
#pragma once

#include <cstddef>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/robustness/goal.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// The score of a point is its mean distance to the 5 nearest accepted people of the training data,
///
///     s(x) = mean over the 5 nearest a of  sum_j |x_j - a_j| / span_j,
///
/// where another category counts 1. It is ranked against accepted people who are not among those: a
/// share p of them is at least as unusual. p describes a point that was optimised; it is no test.
class PlausibilityScale {
 public:
  static constexpr std::size_t kNearest = 5;

  /// Every other accepted person is compared with, and the others rank, at most 1,024 each. Throws
  /// InvalidArgument when too few are known.
  PlausibilityScale(const LoadedModel& loaded, const Goal& goal);

  [[nodiscard]] Plausibility of(View point) const;

 private:
  [[nodiscard]] double distance(View a, View b) const noexcept;

  Vector weights_;  ///< of columns: 1 / span, and half a one for each of the two of a category
  Matrix reference_;
  std::vector<std::size_t> places_;  ///< of the reference people
  Vector usual_;                     ///< scores of the others, rising
};

}  // namespace croco
