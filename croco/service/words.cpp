// SPDX-License-Identifier: Apache-2.0
#include <croco/service/words.hpp>

#include <utility>

#include <fmt/format.h>

#include <croco/base/json_text.hpp>
#include <croco/report/advice_plan.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/noise_words.hpp>
#include <croco/report/obstacle_text.hpp>
#include <croco/report/writer.hpp>
#include <croco/service/service_impl.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

Json value_or_null(const Explanation& answer, const Record& record, std::size_t feature) {
  if (std::ranges::binary_search(answer.missing_features, feature)) return nullptr;
  return record[feature];
}

Json step_json(const ReportContext& context, const Explanation& answer, const PlanStep& step) {
  const Feature& feature = context.codec.schema().features[step.feature];
  Json out{{"feature", feature.name},
           {"label", step.name},
           {"type", step.category ? "categorical" : "numeric"},
           {"unit", feature.unit},
           {"from", step.from},
           {"to", step.to},
           {"from_value", value_or_null(answer, answer.before, step.feature)},
           {"to_value", value_or_null(answer, answer.after, step.feature)},
           {"phrase", step.phrase},
           {"price", step.price},
           {"missed_by", nullptr}};
  if (step.noise) out["missed_by"] = step.noise->text;
  return out;
}

}  // namespace

std::string dumped(const Json& json) { return json_text(json, -1, BrokenText::replace); }

std::vector<const Explanation*> all_of(const Explanation& answer) {
  std::vector<const Explanation*> out{&answer};
  for (const Explanation& other : answer.alternatives) out.push_back(&other);
  return out;
}

Json steps_json(const ReportContext& context, const Explanation& answer) {
  Json out = Json::array();
  if (const std::optional<AdvicePlan> plan = advice_plan(context, answer)) {
    for (const PlanStep& step : plan->steps) out.push_back(step_json(context, answer, step));
  }
  return out;
}

Json words_json(const ReportContext& context, const Explanation& answer) {
  const std::optional<AdvicePlan> plan = advice_plan(context, answer);
  Json out{{"headline", headline(context, answer)},
           {"outcome", outcome(context, answer)},
           {"action", plan ? plan->action : std::string()},
           {"promise", plan && plan->promise ? plan->outlook : std::string()},
           {"evidence", evidence_sentence(context, answer)},
           {"cost", cost_sentence(context, answer)},
           {"steps", steps_json(context, answer)},
           {"cases_of_hundred", nullptr},
           {"target_met", nullptr},
           {"obstacle", obstacle_sentences(context, answer)}};
  if (plan && plan->promise) out["cases_of_hundred"] = plan->promise->cases;
  if (answer.target_met) out["target_met"] = *answer.target_met;
  return out;
}

Json settings_json(const ReportContext& context, const Question& question) {
  Json out{{"method", context.method},
           {"target", nullptr},
           {"confidence", question.confidence},
           {"noise", noise_phrase(context)},
           {"noise_assumed", context.noise_assumed},
           {"seed", question.seed},
           {"threshold", context.goal.threshold()},
           {"wanted", context.goal.wanted()},
           {"alternatives", question.alternatives},
           {"command", nullptr}};
  if (context.target) out["target"] = *context.target;
  if (const std::optional<std::string> command = question.command()) out["command"] = *command;
  return out;
}

std::string row_text(const ReportContext& context, const Explanation& answer) {
  std::string line = json_line(context, answer);
  line.pop_back();
  return line;
}

std::string answer_json(const AnswerParts& parts) {
  std::string rows;
  Json words = Json::array();
  for (const Explanation* one : all_of(parts.answer)) {
    rows += (rows.empty() ? "" : ",") + row_text(parts.context, *one);
    words.push_back(words_json(parts.context, *one));
  }
  return fmt::format(
      R"({{"rows":[{}],"words":{},"settings":{},"warnings":{},"milliseconds":{:.3f},)"
      R"("reasons_pending":{}}})",
      rows, dumped(words), dumped(settings_json(parts.context, parts.question)),
      dumped(Json(parts.warnings)), parts.milliseconds, parts.reasons_pending);
}

}  // namespace croco
