// SPDX-License-Identifier: Apache-2.0
// What one person can change: at once, or step by step as it becomes known.
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/report/advice_plan.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/writer.hpp>
#include <croco/service/elapsed.hpp>
#include <croco/service/service_impl.hpp>
#include <croco/service/words.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kLines = "application/x-ndjson";
constexpr std::string_view kTable = "text/csv";
constexpr std::string_view kCertificate = "application/vnd.croco.certificate+json";

/// Reasons are looked for when there is no certified advice.
bool lacks_reasons(const Explanation& answer, const Question& question) {
  return question.reasons && question.method == "certified" && answer.status != Status::found &&
         answer.status != Status::already && answer.status != Status::error;
}

Json certificate_event(const ReportContext& context, const Explanation& answer,
                       std::size_t number) {
  Json out{{"alternative", number},
           {"upper", answer.certificate->upper},
           {"confidence", answer.certificate->confidence},
           {"target_met", nullptr},
           {"sentence", certificate_sentence(context, answer)}};
  if (answer.target_met) out["target_met"] = *answer.target_met;
  return out;
}

/// The event with the certificate's own text in it, which keeps its bytes.
std::string certificate_event_json(const ReportContext& context, const Explanation& answer,
                                   std::size_t number) {
  std::string out = dumped(certificate_event(context, answer, number));
  out.pop_back();
  return out + ",\"certificate\":" + certificate_json(context, answer) + "}";
}

std::string certificate_file(const ReportContext& context, const Explanation& answer) {
  if (!answer.certificate) throw DataError("the answer has no certificate");
  return indented_certificate(certificate_json(context, answer));
}

}  // namespace

std::vector<std::string> Service::Impl::warnings(const Question& question,
                                                 const ReportContext& context) const {
  std::vector<std::string> out;
  if (context.noise_assumed) {
    out.emplace_back("The noise is assumed: neither the schema nor the request states any.");
  }
  if (question.method != "certified") {
    out.push_back(fmt::format("Method {} is for comparison; its advice need not meet the target.",
                              question.method));
  }
  return out;
}

Reply Service::Impl::explain(std::string_view json, std::string_view accept,
                             const std::stop_token& stop) const {
  const Elapsed elapsed;
  const Question question = read(json, QuestionKind::explain);
  const Prepared ready = prepared(question);
  const ReportContext& context = ready->context;
  const Explanation answer = explain_one(*ready, question.person, stop);
  std::string lines;
  if (accept == kLines) {
    for (const Explanation* one : all_of(answer)) lines += json_line(context, *one);
    return {std::string(kLines), std::move(lines)};
  }
  if (accept == kTable) {
    lines = csv_header(context);
    for (const Explanation* one : all_of(answer)) lines += csv_line(context, *one);
    return {std::string(kTable), std::move(lines)};
  }
  if (accept == kCertificate) {
    return {std::string(kCertificate), certificate_file(context, answer)};
  }
  return {"application/json", answer_json({.context = context,
                                           .question = question,
                                           .answer = answer,
                                           .warnings = warnings(question, context),
                                           .milliseconds = elapsed.milliseconds()})};
}

void Service::Impl::send_preview(const Question& question, const Events& events,
                                 const std::stop_token& stop) const {
  const Elapsed elapsed;
  const Prepared ready = prepared_quick(question);
  const Explanation answer = explain_one(*ready, question.person, stop);
  const std::optional<AdvicePlan> plan = advice_plan(ready->context, answer);
  Json out{{"row", answer.row},
           {"status", name_of(answer.status)},
           {"score_before", answer.score_before},
           {"headline", headline(ready->context, answer)},
           {"action", plan ? plan->action : std::string()},
           {"steps", steps_json(ready->context, answer)},
           {"cost", nullptr},
           {"milliseconds", elapsed.milliseconds()}};
  if (plan) out["cost"] = plan->cost;
  events("preview", dumped(out));
}

void Service::Impl::explain_events(std::string_view json, const Events& events,
                                   const std::stop_token& stop) const {
  const Elapsed elapsed;
  const Question question = read(json, QuestionKind::explain);
  send_preview(question, events, stop);
  // Advice first: reasons take dozens of searches, and most people do not need them.
  Question brief = question;
  brief.reasons = false;
  const Prepared ready = prepared(brief);
  const Explanation answer = explain_one(*ready, question.person, stop);
  const bool pending = lacks_reasons(answer, question);
  const auto send_answer = [&](const ReportContext& context, const Explanation& one, bool more) {
    events("answer", answer_json({.context = context,
                                  .question = question,
                                  .answer = one,
                                  .warnings = warnings(question, context),
                                  .milliseconds = elapsed.milliseconds(),
                                  .reasons_pending = more}));
  };
  send_answer(ready->context, answer, pending);
  std::size_t number = 0;
  for (const Explanation* one : all_of(answer)) {
    ++number;
    if (!one->certificate) continue;
    events("certificate", certificate_event_json(ready->context, *one, number));
  }
  if (pending) {
    const Prepared full = prepared(question);
    send_answer(full->context, explain_one(*full, question.person, stop), false);
  }
  events("done", dumped(Json{{"milliseconds", elapsed.milliseconds()}}));
}

std::string Service::Impl::letter(std::string_view json, const std::stop_token& stop) const {
  const Question question = read(json, QuestionKind::explain);
  const Prepared ready = prepared(question);
  const Explanation answer = explain_one(*ready, question.person, stop);
  return html_page(ready->context, {&answer, 1});
}

}  // namespace croco
