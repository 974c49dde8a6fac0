// SPDX-License-Identifier: Apache-2.0
#include <croco/report/model_change_text.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/json_text.hpp>
#include <croco/base/numbers.hpp>
#include <croco/report/narrate.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

/// A bound in per cent, rounded up.
std::string at_most(double upper) {
  return fmt::format("{} %", cases_text(100 - cases_of_hundred(upper)));
}

std::string model_confidence(const ModelChange& change) {
  return fmt::format(
      "{} confidence{}", confidence_text(change.confidence),
      change.family > 1 ? fmt::format(" for all {} answers together", with_thousands(change.family))
                        : "");
}

std::string worst_file(const ReportContext& context, const ModelChange& change) {
  if (!context.models || change.worst >= context.models->certify.size()) return {};
  return context.models->certify[change.worst].file;
}

std::string joint_sentence(const ReportContext& context, const Explanation& explanation,
                           const ModelChange& change) {
  std::string target = ".";
  if (context.target) {
    const bool met = explanation.valid && change.bound <= *context.target;
    target = fmt::format("; the target of at most {} failures is {}.", percent(*context.target),
                         met ? "met" : "not met");
  }
  return fmt::format(
      "Retraining: over models retrained by the stated recipe and noise together, at most {} of "
      "cases fail ({}; {} of the samples of {} models failed, {} samples each){}",
      at_most(change.upper), model_confidence(change), percent(change.rate),
      with_thousands(change.invalid.size()), with_thousands(change.samples), target);
}

std::string share_sentence(const ModelChange& change) {
  return fmt::format(
      "Share: at most {} of the models that the recipe trains fail in more than {} of cases ({}; "
      "{} "
      "of {} may do so).",
      at_most(change.share_upper), percent(change.limit), model_confidence(change),
      with_thousands(change.exceeding), with_thousands(change.invalid.size()));
}

std::string list_sentence(const ReportContext& context, const ModelChange& change) {
  const std::string worst = worst_file(context, change);
  if (change.worst_upper >= 1) {
    return fmt::format(
        "List: nothing is certified of the worst of the {} certifying models that the certificate "
        "names{}.",
        with_thousands(change.invalid.size()), worst.empty() ? "" : fmt::format(", {}", worst));
  }
  return fmt::format(
      "List: none of the {} certifying models that the certificate names fails in more than {} of "
      "cases ({}{}).",
      with_thousands(change.invalid.size()), at_most(change.worst_upper), model_confidence(change),
      worst.empty() ? "" : fmt::format("; {} fails most", worst));
}

Json files_json(const std::vector<RetrainedModel>& models) {
  Json out = Json::array();
  for (const RetrainedModel& one : models) {
    out.push_back({{"file", one.file}, {"sha256", one.fingerprint}});
  }
  return out;
}

}  // namespace

std::vector<std::string> model_change_sentences(const ReportContext& context,
                                                const Explanation& explanation) {
  if (!explanation.model_change) return {};
  const ModelChange& change = *explanation.model_change;
  return {joint_sentence(context, explanation, change), share_sentence(change),
          list_sentence(context, change)};
}

std::string model_change_json(const ReportContext& context, const Explanation& explanation) {
  if (!explanation.model_change) return "null";
  const ModelChange& change = *explanation.model_change;
  Json out;
  out["statements"] = model_change_sentences(context, explanation);
  out["confidence"] = change.confidence;
  out["family"] = change.family;
  out["candidates"] = change.candidates;
  out["joint"] = {{"upper", change.upper}, {"bound", change.bound}, {"rate", change.rate}};
  out["share"] = {{"upper", change.share_upper},
                  {"limit", change.limit},
                  {"most", change.most},
                  {"exceeding", change.exceeding}};
  out["list"] = {{"upper", change.worst_upper}, {"worst", worst_file(context, change)}};
  out["seed"] = change.seed;
  out["purpose"] = change.purpose == Purpose::models_audit ? "models_audit" : "models";
  out["samples_of"] = change.shared_draws ? Json("shared") : Json(explanation.row);
  out["samples"] = change.samples;
  out["invalid"] = change.invalid;
  out["rejecting"] = change.rejecting;
  out["certify"] =
      files_json(context.models ? context.models->certify : std::vector<RetrainedModel>());
  out["search"] =
      files_json(context.models ? context.models->search : std::vector<RetrainedModel>());
  out["recipe"] = context.models && !context.models->recipe.empty()
                      ? parse_json(context.models->recipe)
                      : Json();
  return json_text(out, -1, BrokenText::replace);
}

}  // namespace croco
