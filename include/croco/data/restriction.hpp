// SPDX-License-Identifier: Apache-2.0
/// Limits of one request on top of the schema's: what a person does not want to change, or only
/// within a range or in one direction. They narrow the search and nothing else. Certificates name
/// the model's own schema, so they are verified without knowing of any restriction.
///
///     options.restrictions = {{.feature = schema.index_of("credit_amount"), .maximum = 5000},
///                             {.feature = schema.index_of("housing"), .fixed = true}};
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/data/codec.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// What one feature may not do in this request.
struct Restriction {
  std::size_t feature = 0;  ///< index into the schema
  bool fixed = false;       ///< stays as it is
  /// Of a number, in its own units; the schema's range holds too.
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  Movement movement = Movement::both;  ///< of a category along the order of its levels
  std::vector<std::string> levels{};   ///< of a category, where it may go; empty: anywhere

  bool operator==(const Restriction&) const = default;
};

/// The codec whose space keeps its schema's limits and these. Throws InvalidArgument naming the
/// feature, the value and the rule: no such feature, a range of a category, levels of a number, a
/// range that leaves nothing.
[[nodiscard]] CROCO_EXPORT Codec restricted(const Codec& codec,
                                            std::span<const Restriction> restrictions);

}  // namespace croco
