// SPDX-License-Identifier: Apache-2.0
/// How far roundings can carry the result of a program on planes from the exact one. Two ways to
/// compute the same program agree on which side of a threshold a result is wherever it is farther
/// from it than both are from the exact result.
///
/// The standard model of floating-point arithmetic is `fl(a op b) = (a op b)(1 + r)`, |r| <= unit
/// (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 2.2). Beside each plane
/// goes a bound on its magnitude m and on its error d, from step to step as in running error
/// analysis (section 3.3), but once per program for all numbers within the bounds:
///
///     b + w . x, n terms |w| . d + (n + 8) unit (|b| + |w| . (m + d))   (section 3.1, with room)
///     product x y        (m_x + d_x) d_y + (m_y + d_y) d_x + rounding
///     function g         max |g'| d + rounding, where g' is bounded on |x| <= m + d
///     exp(-g |x - s|^2)  no difference cancels in it: (n + 12) unit, and what d moves |x - s| by
///
/// each with a term for roundings below the range of normal numbers. Steps whose slope has no
/// limit, such as divisions and jumps, make the bound infinite; such a model is evaluated row by
/// row.
#pragma once

#include <span>

#include <croco/models/graph/plane_program.hpp>

namespace croco {

/// Numbers of a plane: none is larger than `magnitude`, none farther than `error` from the exact
/// one.
struct PlaneBound {
  double magnitude = 0;
  double error = 0;
};

/// An arithmetic. The units are those of single and double precision, 2^-24 and 2^-53, rounded up.
struct Arithmetic {
  double unit = 0;     ///< relative rounding error
  double largest = 0;  ///< numbers up to this are safe from overflow
  double lost = 0;     ///< what a product of such a number with one below the range may lose
  double least = 0;    ///< what a rounding below the range loses
  /// Kernel sums add runs of `kVectorRun` terms first, as on draws; else in any order.
  bool runs = false;
};
inline constexpr Arithmetic kSingle{6e-8, 1e15, 1e-14, 1.2e-38};  // see FloatLayer
inline constexpr Arithmetic kSingleDraws{6e-8, 1e15, 1e-14, 1.2e-38, true};
inline constexpr Arithmetic kDouble{1.2e-16, 1e250, 1e-50, 1e-300};

/// What is known of the result, given the inputs. The error is infinite when numbers may become too
/// large, or when a step may magnify an error without limit (a division, a jump).
[[nodiscard]] PlaneBound result_bound(const PlaneProgram& program,
                                      std::span<const PlaneBound> inputs,
                                      const Arithmetic& arithmetic);

/// Whether every step has a limit to what it makes of an error.
[[nodiscard]] bool has_error_bound(const PlaneProgram& program);

}  // namespace croco
