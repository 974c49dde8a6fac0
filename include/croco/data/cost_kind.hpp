// SPDX-License-Identifier: Apache-2.0
/// The cost metric of numeric changes; docs/concepts/costs.md says when to take which.
///
///     const auto model = croco::load_model("model.json", {.cost = croco::CostKind::mad});
#pragma once

#include <cstdint>
#include <string_view>

#include <croco/base/export.hpp>

namespace croco {

/// Each is multiplied by the feature's cost; prices of categories and of touching a value are added
/// as they are, whatever the kind.
enum class CostKind : std::uint8_t {
  l1,          ///< encoded units: shares of the range of the training data
  mad,         ///< median absolute deviations of the training data
  percentile,  ///< the share of the training data that is passed on the way
};

/// "l1", "mad", "percentile".
[[nodiscard]] CROCO_EXPORT std::string_view name_of(CostKind kind) noexcept;
/// Throws InvalidArgument.
[[nodiscard]] CROCO_EXPORT CostKind parse_cost_kind(std::string_view text);

}  // namespace croco
