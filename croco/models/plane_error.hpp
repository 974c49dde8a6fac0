// SPDX-License-Identifier: Apache-2.0
/// How far roundings can carry the result of a program on planes from the exact one. Two ways to
/// compute the same program agree on which side of a threshold a result is wherever it is farther
/// from it than both are from the exact result.
#pragma once

#include <span>

#include <croco/models/plane_program.hpp>

namespace croco {

/// Numbers of a plane: none is larger than `magnitude`, none farther than `error` from the exact
/// one.
struct PlaneBound {
  double magnitude = 0;
  double error = 0;
};

/// An arithmetic: its relative rounding error, the largest numbers that are safe from overflow,
/// what a product of such a number with one below its range may lose, and what a rounding below its
/// range loses.
struct Arithmetic {
  double unit = 0;
  double largest = 0;
  double lost = 0;
  double least = 0;
};
inline constexpr Arithmetic kSingle{6e-8, 1e15, 1e-14, 1.2e-38};  // see FloatLayer
inline constexpr Arithmetic kDouble{1.2e-16, 1e250, 1e-50, 1e-300};

/// What is known of the result, given the inputs. The error is infinite when numbers may become too
/// large, or when a step may magnify an error without limit (a division, a jump).
[[nodiscard]] PlaneBound result_bound(const PlaneProgram& program,
                                      std::span<const PlaneBound> inputs,
                                      const Arithmetic& arithmetic);

/// Whether every step has a limit to what it makes of an error.
[[nodiscard]] bool has_error_bound(const PlaneProgram& program);

}  // namespace croco
