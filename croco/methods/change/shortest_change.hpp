// SPDX-License-Identifier: Apache-2.0
/// The cheapest change that a search found on its bank of draws, before any calibration.
#pragma once

#include <cstddef>

#include <croco/base/types.hpp>
#include <croco/methods/change/change.hpp>

namespace croco {

struct ShortestChange {
  Vector change = {};
  /// What the person may still change: columns with coarse steps are fixed on one, categories on
  /// the level that was chosen, and what must be left alone where it is.
  ChangeProblem changes = {};
  bool feasible = false;  ///< the rate is kept on the bank
  double cost = 0.0;      ///< of the change, categories included
  double constraint = 0.0;
  std::size_t evaluations = 0;
};

/// Feasible ones first, by their cost; among the others those that come nearer to the rate.
[[nodiscard]] bool is_better(const ShortestChange& a, const ShortestChange& b) noexcept;

}  // namespace croco
