// SPDX-License-Identifier: Apache-2.0
/// What is certified about retrained models, in sentences: one for each statement.
#pragma once

#include <string>
#include <vector>

#include <croco/explain/explanation.hpp>
#include <croco/report/context.hpp>

namespace croco {

/// The joint rate, the share and the list, in that order; empty when nothing is stated.
[[nodiscard]] std::vector<std::string> model_change_sentences(const ReportContext& context,
                                                              const Explanation& explanation);

/// JSON of the part of a certificate about retrained models.
[[nodiscard]] std::string model_change_json(const ReportContext& context,
                                            const Explanation& explanation);

}  // namespace croco
