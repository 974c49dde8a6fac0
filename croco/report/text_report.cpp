// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <croco/base/printable.hpp>
#include <croco/report/advice_plan.hpp>
#include <croco/report/model_change_text.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/obstacle_text.hpp>
#include <croco/report/writer.hpp>

namespace croco {

namespace {

std::string changes_table(const AdvicePlan& plan) {
  std::size_t name_width = 0;
  std::size_t from_width = 0;
  for (const PlanStep& step : plan.steps) {
    name_width = std::max(name_width, step.name.size());
    from_width = std::max(from_width, step.from.size());
  }
  std::string out;
  for (const PlanStep& step : plan.steps) {
    out += fmt::format("    {:<{}}   {:>{}}  ->  {}\n", step.name, name_width, step.from,
                       from_width, step.to);
  }
  return out;
}

std::string block(const ReportContext& context, const Explanation& explanation, bool noise) {
  std::string out = headline(context, explanation) + "\n";
  const std::string kept = kept_text(context, explanation);
  if (!kept.empty()) out += wrapped(kept);
  const std::optional<AdvicePlan> plan = advice_plan(context, explanation);
  if (!plan) {
    out += wrapped(outcome(context, explanation));
  } else {
    out += changes_table(*plan);
    out += wrapped(
        fmt::format("{} {}", plan->action, outcome_and_promise(context, explanation, *plan)));
    out += wrapped(cost_sentence(context, explanation));
    const std::string broken = broken_sentence(context, explanation);
    if (!broken.empty()) out += wrapped(broken);
  }
  const std::string sentence = evidence_sentence(context, explanation, noise);
  if (!sentence.empty()) out += wrapped(sentence);
  for (const std::string& text : model_change_sentences(context, explanation)) {
    out += wrapped(text);
  }
  for (const std::string& text : obstacle_sentences(context, explanation)) out += wrapped(text);
  const std::string proof = proof_sentence(explanation);
  if (!proof.empty()) out += wrapped(proof);
  const std::string plausible = plausibility_sentence(explanation);
  if (!plausible.empty()) out += wrapped(plausible);
  const std::string codes = reason_codes_sentence(context, explanation);
  if (!codes.empty()) out += wrapped(codes);
  for (const Explanation& other : explanation.alternatives) {
    out += "\n" + block(context, other, noise);
  }
  return out;
}

}  // namespace

std::string text_block(const ReportContext& context, const Explanation& explanation) {
  return printable(block(context, explanation, true));
}

std::string brief_text_block(const ReportContext& context, const Explanation& explanation) {
  return printable(block(context, explanation, false));
}

}  // namespace croco
