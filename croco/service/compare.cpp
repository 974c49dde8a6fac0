// SPDX-License-Identifier: Apache-2.0
// One person under several targets or methods.
#include <optional>
#include <utility>

#include <croco/base/error.hpp>
#include <croco/base/stopped.hpp>
#include <croco/report/advice_plan.hpp>
#include <croco/service/elapsed.hpp>
#include <croco/service/service_impl.hpp>
#include <croco/service/words.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

Json point_json(double target, const ReportContext& context, const Explanation& answer) {
  Json out{{"target", target},
           {"status", name_of(answer.status)},
           {"met", answer.target_met.value_or(false)},
           {"cost", nullptr},
           {"upper", nullptr},
           {"features_changed", nullptr},
           {"action", ""}};
  if (const std::optional<AdvicePlan> plan = advice_plan(context, answer)) {
    out["cost"] = plan->cost;
    out["features_changed"] = answer.features_changed;
    out["action"] = plan->action;
  }
  if (answer.certificate) out["upper"] = answer.certificate->upper;
  return out;
}

/// `Compared` of the OpenAPI document, with the row put in as text.
std::string compared_json(const std::string& method, const std::string& problem,
                          const ReportContext* context, const Explanation* answer,
                          double milliseconds) {
  Json out{{"method", method},
           {"problem", nullptr},
           {"words", nullptr},
           {"rate", nullptr},
           {"upper", nullptr},
           {"cost", nullptr},
           {"milliseconds", milliseconds}};
  std::string row = "null";
  if (!problem.empty()) out["problem"] = problem;
  if (context != nullptr) {
    row = row_text(*context, *answer);
    out["words"] = words_json(*context, *answer);
    if (answer->has_advice()) out["cost"] = answer->distance.cost;
    if (answer->certificate) {
      out["rate"] = answer->certificate->rate;
      out["upper"] = answer->certificate->upper;
    }
  }
  std::string text = dumped(out);
  text.pop_back();
  return text + ",\"row\":" + row + "}";
}

}  // namespace

void Service::Impl::tradeoff_events(std::string_view json, const Events& events,
                                    const std::stop_token& stop) const {
  const Elapsed elapsed;
  Question question = read(json, QuestionKind::tradeoff);
  question.reasons = false;
  question.alternatives = 1;
  question.disjoint = false;
  for (const double target : question.targets) {
    question.target = target;
    const Prepared ready = prepared(question);
    const Explanation answer = explain_one(*ready, question.person, stop);
    events("point", dumped(point_json(target, ready->context, answer)));
  }
  events("done", dumped(Json{{"milliseconds", elapsed.milliseconds()}}));
}

std::string Service::Impl::tradeoff(std::string_view json, const std::stop_token& stop) const {
  const Elapsed elapsed;
  std::string points;
  tradeoff_events(
      json,
      [&](std::string_view event, const std::string& text) {
        if (event == "point") points += (points.empty() ? "" : ",") + text;
      },
      stop);
  return "{\"points\":[" + points + "],\"milliseconds\":" + dumped(Json(elapsed.milliseconds())) +
         "}";
}

std::string Service::Impl::compare(std::string_view json, const std::stop_token& stop) const {
  const Elapsed elapsed;
  Question question = read(json, QuestionKind::compare);
  question.alternatives = 1;
  question.disjoint = false;
  question.reasons = false;
  std::string methods;
  for (const std::string& method : question.methods) {
    const Elapsed own;
    question.method = method;
    methods += methods.empty() ? "" : ",";
    try {
      const Prepared ready = prepared(question);
      const Explanation answer = explain_one(*ready, question.person, stop);
      methods += compared_json(method, {}, &ready->context, &answer, own.milliseconds());
    } catch (const Stopped&) {
      throw;
    } catch (const InvalidArgument& error) {  // such as noise that the method does not know
      methods += compared_json(method, error.what(), nullptr, nullptr, own.milliseconds());
    } catch (const ModelError& error) {
      methods += compared_json(method, error.what(), nullptr, nullptr, own.milliseconds());
    }
  }
  return "{\"methods\":[" + methods + "],\"target\":" + dumped(Json(question.target)) +
         ",\"milliseconds\":" + dumped(Json(elapsed.milliseconds())) + "}";
}

}  // namespace croco
