// SPDX-License-Identifier: Apache-2.0
/// The m and K that a CROCO search judges its points by.
#pragma once

#include <cstddef>

#include <croco/methods/method.hpp>
#include <croco/methods/plan.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

struct CrocoBound {
  double margin = 0.0;      ///< m
  std::size_t samples = 0;  ///< K
};

/// Given, published or planned. Throws InvalidArgument when the target cannot be reached with them
/// (never for the published loop, which stops without its bound).
[[nodiscard]] CrocoBound bound_of(const Croco& options, const Goal& goal);

}  // namespace croco
