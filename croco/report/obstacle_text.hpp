// SPDX-License-Identifier: Apache-2.0
/// Why somebody has no certified advice, in sentences; text and HTML say the same ones.
#pragma once

#include <string>
#include <vector>

#include <croco/explain/explanation.hpp>
#include <croco/report/context.hpp>

namespace croco {

/// The obstacle, the limits that bind, and the relaxations; none without an obstacle.
[[nodiscard]] std::vector<std::string> obstacle_sentences(const ReportContext& context,
                                                          const Explanation& explanation);

/// "age cannot change", "duration of the credit ends at 4 months".
[[nodiscard]] std::string limit_phrase(const ReportContext& context, const Limit& limit);

/// "It breaks rules of the schema: age cannot change; debt may only fall." Empty when it breaks
/// none, or none were looked for.
[[nodiscard]] std::string broken_sentence(const ReportContext& context,
                                          const Explanation& explanation);
/// The same in one field: "fixed:age relation:rate max_changes".
[[nodiscard]] std::string broken_field(const ReportContext& context,
                                       const Explanation& explanation);
/// What `max_changes` of the schema says.
[[nodiscard]] std::string most_changes_phrase(const ReportContext& context);

/// The relaxations in one field: "target=0.13 noise=0.55 fixed:age".
[[nodiscard]] std::string relaxations_field(const ReportContext& context,
                                            const Explanation& explanation);

}  // namespace croco
