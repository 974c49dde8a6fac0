// SPDX-License-Identifier: Apache-2.0
/// Which rules of the schema a change breaks: advice of other tools does not know them.
#pragma once

#include <vector>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>
#include <croco/explain/explanation.hpp>

namespace croco {

/// None where `is_admissible`: a present value breaks no rule, whatever it is, and
/// differences below 1e-9 of a unit or step count for nothing.
[[nodiscard]] BrokenRules broken_rules(const Codec& codec, View origin, View point);

}  // namespace croco
