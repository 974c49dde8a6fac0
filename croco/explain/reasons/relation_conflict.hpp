// SPDX-License-Identifier: Apache-2.0
/// Why nothing that a person may change keeps the relations.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>
#include <croco/explain/reasons/obstacle.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// Relations that contradict each other and what the person may change; none of them can be left
/// out of the proof of it.
struct RelationConflict {
  std::vector<std::size_t> relations;  ///< indices into the schema, at least one
  std::vector<Limit> limits;           ///< of features, where the proof meets them
};

/// None when some change keeps all relations, between steps. Ratios must have a value at `origin`.
[[nodiscard]] std::optional<RelationConflict> relation_conflict(const Codec& codec, View origin);

/// "people.csv, line 7: relation 'monthly rate': ...", when a ratio has no value today; else empty.
[[nodiscard]] std::string ratio_fault(const Codec& codec, View origin, const std::string& where);

/// "relation 'a'", "relations 'a', 'b'".
[[nodiscard]] std::string relation_names(const Schema& schema,
                                         const std::vector<std::size_t>& relations);

/// The relations that a point breaks.
[[nodiscard]] std::vector<std::size_t> broken_relations(const Space& space, View origin,
                                                        View point);

/// Which of a column's limits ends what a person may change, up or down.
[[nodiscard]] LimitKind limit_at_end(const Column& column, double origin, bool up) noexcept;

}  // namespace croco
