// SPDX-License-Identifier: Apache-2.0
/// Steps that exporters write out and that have a name of their own.
#pragma once

#include <croco/models/graph/plane_program.hpp>

namespace croco {

/// `c x (1 + erf(x / sqrt 2))` becomes `2 c gelu(x)`: older exporters have no GELU.
[[nodiscard]] PlaneProgram with_gelu(PlaneProgram program);

}  // namespace croco
