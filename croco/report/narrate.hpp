// SPDX-License-Identifier: Apache-2.0
/// Answers in sentences; text and HTML say the same ones.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <croco/explain/explanation.hpp>
#include <croco/report/context.hpp>
#include <croco/report/noise_words.hpp>

namespace croco {

/// One feature that the advice changes, in the person's own units.
struct Change {
  std::size_t feature = 0;  ///< index into the schema
  std::string name;         ///< for people
  std::string from;         ///< "48 months"
  std::string to;
};

/// The changes, in the schema's order.
[[nodiscard]] std::vector<Change> changes(const ReportContext& context,
                                          const Explanation& explanation);

/// A number with thousands separators, "102,400".
[[nodiscard]] std::string with_thousands(std::size_t number);

/// "Row 12: now bad (score 0.31)" and the like.
[[nodiscard]] std::string headline(const ReportContext& context, const Explanation& explanation);
/// What becomes of the answer: "With this the answer is good (score 0.64)." or the reason why
/// there is no advice.
[[nodiscard]] std::string outcome(const ReportContext& context, const Explanation& explanation);
/// "Even if this is carried out with noise, the answer stays good in at least 94.1 of 100 cases
/// (99.9 % sure, from 100,000 fresh draws of which 5.7 % failed); that meets the target of 10 %."
/// Empty without a certificate.
[[nodiscard]] std::string certificate_sentence(const ReportContext& context,
                                               const Explanation& explanation);
/// "This costs 0.248 (percentile), 0.1 of it for touching values at all." Empty without advice, and
/// under l1 without prices of touching, where the changes speak for themselves.
[[nodiscard]] std::string cost_sentence(const ReportContext& context,
                                        const Explanation& explanation);
/// Broken at blanks so that lines have at most 96 characters, indented by two.
[[nodiscard]] std::string wrapped(const std::string& text);
/// "No change that costs less than 0.241 can meet the target (99.9 % sure); this one costs 0.248,
/// at most 2.9 % more." Empty without a proof.
[[nodiscard]] std::string proof_sentence(const Explanation& explanation);

}  // namespace croco
