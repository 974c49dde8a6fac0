// SPDX-License-Identifier: Apache-2.0
/// Answers as pages and other programs read them: the rows of reports, and what they say in words.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <croco/explain/explanation.hpp>
#include <croco/report/context.hpp>
#include <croco/service/question.hpp>

namespace croco {

/// The answer and its alternatives, the cheapest first.
[[nodiscard]] std::vector<const Explanation*> all_of(const Explanation& answer);

/// `Step` of the OpenAPI document, for every feature that changes.
[[nodiscard]] nlohmann::ordered_json steps_json(const ReportContext& context,
                                                const Explanation& answer);
/// `Words` of the OpenAPI document.
[[nodiscard]] nlohmann::ordered_json words_json(const ReportContext& context,
                                                const Explanation& answer);
/// `Settings` of the OpenAPI document.
[[nodiscard]] nlohmann::ordered_json settings_json(const ReportContext& context,
                                                   const Question& question);

/// A line of a report without its end.
[[nodiscard]] std::string row_text(const ReportContext& context, const Explanation& answer);

/// `Answer` of the OpenAPI document. The rows are put in as text, so that they keep their bytes.
struct AnswerParts {
  const ReportContext& context;
  const Question& question;
  const Explanation& answer;
  std::vector<std::string> warnings = {};
  double milliseconds = 0;
  bool reasons_pending = false;
};
[[nodiscard]] std::string answer_json(const AnswerParts& parts);

}  // namespace croco
