// SPDX-License-Identifier: Apache-2.0
/// Which rules of the schema a change breaks: advice of other tools does not know them.
#pragma once

#include <vector>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>
#include <croco/explain/obstacle.hpp>

namespace croco {

struct BrokenRules {
  std::vector<Limit> limits = {};  ///< by feature in the schema's order, then relations
  bool too_many_changes = false;   ///< more features change than `max_changes` of the schema

  [[nodiscard]] bool any() const noexcept { return !limits.empty() || too_many_changes; }
  bool operator==(const BrokenRules&) const = default;
};

/// None where `is_admissible`: a present value breaks no rule, whatever it is, and
/// differences below 1e-9 of a unit or step count for nothing.
[[nodiscard]] BrokenRules broken_rules(const Codec& codec, View origin, View point);

}  // namespace croco
