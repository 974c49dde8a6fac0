// SPDX-License-Identifier: Apache-2.0
/// Limits of one request on top of the schema's. They narrow the search and nothing else.
/// Certificates name the model's own schema, so they are verified without knowing of any
/// restriction.
#pragma once

#include <span>

#include <croco/data/codec.hpp>
#include <croco/explain/explain_options.hpp>

namespace croco {

/// The codec whose space keeps its schema's limits and these. Throws InvalidArgument naming the
/// feature, the value and the rule: no such feature, a range of a category, levels of a number, a
/// range that leaves nothing.
[[nodiscard]] Codec restricted(const Codec& codec, std::span<const Restriction> restrictions);

}  // namespace croco
