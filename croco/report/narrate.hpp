// SPDX-License-Identifier: Apache-2.0
/// Answers in sentences; text and HTML say the same ones.
#pragma once

#include <cstddef>
#include <string>

#include <croco/explain/explanation.hpp>
#include <croco/report/context.hpp>
#include <croco/report/noise_words.hpp>

namespace croco {

/// A number with thousands separators, "102,400".
[[nodiscard]] std::string with_thousands(std::size_t number);

/// "Row 12 (customer A-17): the answer is 'bad' (score 0.310)" and the like.
[[nodiscard]] std::string headline(const ReportContext& context, const Explanation& explanation);
/// The kept columns that the headline does not have: "branch: North; officer: Lee".
[[nodiscard]] std::string kept_text(const ReportContext& context, const Explanation& explanation);
/// What becomes of the answer: "With this the answer is good (score 0.64)." or the reason why
/// there is no advice.
[[nodiscard]] std::string outcome(const ReportContext& context, const Explanation& explanation);
/// "Carried out with gaussian noise (sd 0.1), the answer stays good in at least 94.1 of 100 cases
/// (99.9 % confidence; 5,700 of 100,000 fresh samples failed); the target ... is met."
/// Empty without a certificate. It stands alone, in certificates.
[[nodiscard]] std::string certificate_sentence(const ReportContext& context,
                                               const Explanation& explanation);
/// What the promise of a plan rests on: "Certificate: under gaussian noise (sd 0.1) on all columns
/// at most 4.6 % fail (99.9 % confidence; 4,321 of 100,000 fresh samples failed); the target ..."
/// Empty without a certificate. `noise`: whether it names the noise.
[[nodiscard]] std::string evidence_sentence(const ReportContext& context,
                                            const Explanation& explanation, bool noise = true);
/// "It costs 0.722 (percentile): 0.022 for numbers, 0.1 for touching them and 0.6 for categories."
/// Parts that the schema has no prices for are left out. Empty without advice.
[[nodiscard]] std::string cost_sentence(const ReportContext& context,
                                        const Explanation& explanation);
/// Of 100 cases, those that a bound on the failure rate promises; rounded down.
[[nodiscard]] double cases_of_hundred(double upper);
/// Such a number in text, with all the digits that it was rounded to.
[[nodiscard]] std::string cases_text(double cases);
/// "99.9 %", with more digits than a confidence has: there is no certainty to round to.
[[nodiscard]] std::string confidence_text(double confidence);
/// "99.9 % confidence", "99.9 % confidence for all 1,200 answers together" or "exact".
[[nodiscard]] std::string confidence_phrase(const Certificate& certificate);
/// Broken at blanks so that lines have at most 96 characters, indented by two.
[[nodiscard]] std::string wrapped(const std::string& text);
/// "No change that costs less than 0.241 can meet the target (99.9 % confidence); this one costs
/// 0.248, at most 2.9 % more." Empty without a proof.
[[nodiscard]] std::string proof_sentence(const Explanation& explanation);

/// "Reason codes: R03 time in employment (accepted people's values would gain 0.12 of score), ...".
/// Empty without any.
[[nodiscard]] std::string reason_codes_sentence(const ReportContext& context,
                                                const Explanation& explanation);
/// The codes alone in one field: "R03 time in employment; R07 debt".
[[nodiscard]] std::string reason_codes_field(const ReportContext& context,
                                             const Explanation& explanation);

/// "Of other accepted people, 12 % are at least as unusual as this." Empty where it is not known.
[[nodiscard]] std::string plausibility_sentence(const Explanation& explanation);

}  // namespace croco
