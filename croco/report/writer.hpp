// SPDX-License-Identifier: Apache-2.0
/// Answers as text, in each format.
#pragma once

#include <span>
#include <string>

#include <croco/explain/explanation.hpp>
#include <croco/report/context.hpp>
#include <croco/report/report.hpp>

namespace croco {

/// The CSV header: row, what is kept (`kept:` before an empty name or one of the others), status,
/// valid, score, distance_l1, features_changed, rate, rate_upper, confidence, samples, target_met,
/// the reasons (obstacle, lowest_rate, lowest_rate_upper, relaxations), cost and level_price (the
/// part of it that is for categories), where costs are reported cost_kind and touch_price, with
/// proofs cost_lower, cost_gap, proof_confidence and proof, with several alternatives alternative,
/// of other tools' advice broken_rules, with reason codes reason_codes, with
/// plausibility plausibility and nearest_accepted, with noise by feature
/// noise, then every feature by its name (`feature:` before a name that is one of these).
[[nodiscard]] std::string csv_header(const ReportContext& context);
/// One CSV record; the features are those of the advice, or the person's own without advice.
[[nodiscard]] std::string csv_line(const ReportContext& context, const Explanation& explanation);
/// One JSON object in one line, with the certificate.
[[nodiscard]] std::string json_line(const ReportContext& context, const Explanation& explanation);
/// For a terminal: headline, changes as a table, the plan in words, what it costs and rests on.
[[nodiscard]] std::string text_block(const ReportContext& context, const Explanation& explanation);
/// The same without the noise, for blocks below a table that states it once.
[[nodiscard]] std::string brief_text_block(const ReportContext& context,
                                           const Explanation& explanation);
/// A page that stands alone: no scripts, no outside resources.
[[nodiscard]] std::string html_page(const ReportContext& context,
                                    std::span<const Explanation> explanations);

}  // namespace croco
