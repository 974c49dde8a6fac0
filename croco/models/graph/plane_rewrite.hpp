// SPDX-License-Identifier: Apache-2.0
/// Steps that exporters write out and that have a name of their own.
#pragma once

#include <croco/models/graph/plane_program.hpp>

namespace croco {

/// `c x (1 + erf(x / sqrt 2))` becomes `2 c gelu(x)`: older exporters have no GELU.
[[nodiscard]] PlaneProgram with_gelu(PlaneProgram program);

/// The program with the probabilities of support vector machines as they are before LIBSVM couples
/// them.
[[nodiscard]] PlaneProgram without_coupling(PlaneProgram program);

/// 1 or -1 where a program couples once and its result is that logit, or its negative; else 0.
[[nodiscard]] double coupling_sign(const PlaneProgram& program);

}  // namespace croco
