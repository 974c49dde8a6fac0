// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include <croco/base/json_text.hpp>
#include <croco/report/advice_plan.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/obstacle_text.hpp>
#include <croco/report/record_json.hpp>
#include <croco/report/writer.hpp>
#include <croco/space/distance.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

Json feature_noise_json(const ReportContext& context) {
  Json out = Json::array();
  for (const NoiseOf& one : noise_by_feature(context)) {
    Json entry{{"feature", one.feature}, {one.kind, one.value}};
    if (one.kind != "flip") entry["unit"] = one.unit;
    out.push_back(std::move(entry));
  }
  return out;
}

Json step_json(const ReportContext& context, const Explanation& explanation, const PlanStep& step) {
  const Feature& feature = context.codec.schema().features[step.feature];
  Json out{{"feature", feature.name},
           {"label", step.name},
           {"type", step.category ? "categorical" : "numeric"},
           {"unit", feature.unit},
           {"from", explanation.before[step.feature]},
           {"to", explanation.after[step.feature]},
           {"phrase", step.phrase},
           {"price", step.price}};
  // A step without noise is one that the promise takes as done exactly.
  if (step.noise) {
    out["noise"] = {{step.noise->kind, step.noise->value}, {"text", step.noise->text}};
  }
  return out;
}

Json plan_json(const ReportContext& context, const Explanation& explanation,
               const AdvicePlan& plan) {
  Json steps = Json::array();
  for (const PlanStep& step : plan.steps) steps.push_back(step_json(context, explanation, step));
  Json out{{"steps", std::move(steps)}, {"cost", plan.cost}, {"level_price", plan.level_price}};
  if (!plan.other_noise.empty()) out["other_noise"] = plan.other_noise;
  if (plan.promise) {
    Json promise{{"cases_of_hundred", plan.promise->cases},
                 {"confidence", plan.promise->confidence},
                 {"exact", plan.promise->exact}};
    if (plan.promise->target_met) promise["target_met"] = *plan.promise->target_met;
    out["promise"] = std::move(promise);
  }
  out["sentences"] = {plan.action, plan.outlook};
  return out;
}

Json rate_json(const Certificate& certificate) {
  return {{"rate", certificate.rate},
          {"upper", certificate.upper},
          {"confidence", certificate.confidence},
          {"bound", name_of(certificate.bound)},
          {"samples", certificate.samples},
          {"seed", certificate.seed}};
}

Json relaxation_json(const ReportContext& context, const Explanation& explanation,
                     const Relaxation& relaxation) {
  Json out{{"kind", name_of(relaxation.kind)}};
  if (relaxation.kind == RelaxationKind::feature) {
    out["feature"] = context.codec.schema().features[relaxation.limit.feature].name;
    out["limit"] = name_of(relaxation.limit.kind);
  } else if (relaxation.kind == RelaxationKind::relation) {
    out["relation"] = context.codec.schema().relations[relaxation.limit.feature].name;
  } else {
    out["value"] = relaxation.value;
  }
  out["cost"] = relaxation.distance.cost;
  out["l1"] = relaxation.distance.l1;
  out["after"] = record_json(context.codec, relaxation.after, explanation.missing_features);
  out["certified"] = rate_json(relaxation.certificate);
  return out;
}

Json obstacle_json(const ReportContext& context, const Explanation& explanation,
                   const Obstacle& obstacle) {
  Json best{{"score", obstacle.score},
            {"valid", obstacle.valid},
            {"cost", obstacle.distance.cost},
            {"record", record_json(context.codec, obstacle.record, explanation.missing_features)}};
  if (obstacle.lowest) best["lowest"] = rate_json(*obstacle.lowest);
  Json limits = Json::array();
  const Schema& schema = context.codec.schema();
  for (const Limit& limit : obstacle.limits) {
    if (limit.kind == LimitKind::relation) {
      limits.push_back(
          {{"relation", schema.relations[limit.feature].name}, {"limit", name_of(limit.kind)}});
      continue;
    }
    const Feature& feature = schema.features[limit.feature];
    Json entry{{"feature", feature.name}, {"limit", name_of(limit.kind)}};
    if (feature.changeable_by == ChangeableBy::nobody) entry["changeable_by"] = "nobody";
    limits.push_back(std::move(entry));
  }
  Json relaxations = Json::array();
  for (const Relaxation& relaxation : obstacle.relaxations) {
    relaxations.push_back(relaxation_json(context, explanation, relaxation));
  }
  Json out{{"kind", name_of(obstacle.kind)}, {"proved", obstacle.proved}};
  if (obstacle.out_of_reach > 0) out["out_of_reach_confidence"] = obstacle.out_of_reach;
  if (obstacle.cut_short) out["cut_short"] = true;
  if (obstacle.samples_needed) out["samples_needed"] = *obstacle.samples_needed;
  out["best"] = std::move(best);
  out["limits"] = std::move(limits);
  out["relaxations"] = std::move(relaxations);
  out["sentences"] = obstacle_sentences(context, explanation);
  return out;
}

Json broken_json(const ReportContext& context, const BrokenRules& broken) {
  const Schema& schema = context.codec.schema();
  Json out = Json::array();
  for (const Limit& limit : broken.limits) {
    const bool relation = limit.kind == LimitKind::relation;
    out.push_back(
        {{relation ? "relation" : "feature",
          relation ? schema.relations[limit.feature].name : schema.features[limit.feature].name},
         {"rule", name_of(limit.kind)},
         {"text", limit_phrase(context, limit)}});
  }
  if (broken.too_many_changes) {
    out.push_back({{"rule", "max_changes"}, {"text", most_changes_phrase(context)}});
  }
  return out;
}

Json proof_json(const Explanation& explanation) {
  const Proof& proof = *explanation.proof;
  Json out;
  out["statement"] = proof_sentence(explanation);
  out["basis"] = name_of(proof.basis);
  out["confidence"] = proof.confidence;
  out["infeasible"] = proof.infeasible;
  if (!proof.infeasible) out["cost_lower"] = proof.lower;
  if (const std::optional<double> gap = explanation.proven_gap()) out["gap"] = *gap;
  if (proof.samples > 0) {
    Json sampled{{"samples", proof.samples}, {"allowed", proof.allowed}};
    if (proof.sampled_cost) sampled["cost"] = *proof.sampled_cost;
    sampled["solved"] = proof.solved;
    sampled["boxes"] = proof.boxes;
    out["sampled"] = std::move(sampled);
  }
  return out;
}

}  // namespace

std::string json_line(const ReportContext& context, const Explanation& explanation) {
  Json out;
  out["row"] = explanation.row;
  if (explanation.alternative > 0) out["alternative"] = explanation.alternative;
  for (const auto& [name, value] : explanation.kept) out["kept"][name] = value;
  out["status"] = name_of(explanation.status);
  if (!explanation.reason.empty()) out["reason"] = explanation.reason;
  out["method"] = context.method;
  out["cost_kind"] = name_of(context.codec.cost_kind());
  if (explanation.status != Status::error) out["score_before"] = explanation.score_before;
  out["before"] = record_json(context.codec, explanation.before, explanation.missing_features);
  if (const std::optional<AdvicePlan> plan = advice_plan(context, explanation)) {
    out["valid"] = explanation.valid;
    out["score"] = explanation.score;
    out["features_changed"] = explanation.features_changed;
    out["distance"] = {
        {"l0", explanation.distance.l0},     {"l1", explanation.distance.l1},
        {"l2", explanation.distance.l2},     {"linf", explanation.distance.linf},
        {"cost", explanation.distance.cost}, {"level_price", explanation.distance.level_price}};
    if (has_touch_prices(context.codec.space())) {
      out["distance"]["touch_price"] = explanation.distance.touch_price;
    }
    Json list = Json::array();
    const std::vector<Feature>& features = context.codec.schema().features;
    for (const PlanStep& step : plan->steps) {
      const Feature& feature = features[step.feature];
      list.push_back({{"feature", feature.name},
                      {"label", feature.display_name()},
                      {"unit", feature.unit},
                      {"from", explanation.before[step.feature]},
                      {"to", explanation.after[step.feature]}});
    }
    out["changes"] = std::move(list);
    out["plan"] = plan_json(context, explanation, *plan);
    out["after"] = record_json(context.codec, explanation.after, explanation.missing_features);
    Json search{{"steps", explanation.steps}};
    if (explanation.method_rate) search["rate"] = *explanation.method_rate;
    if (explanation.method_bound) search["bound"] = *explanation.method_bound;
    out["search"] = std::move(search);
  }
  if (explanation.queries) out["queries"] = *explanation.queries;
  if (explanation.broken) out["broken_rules"] = broken_json(context, *explanation.broken);
  if (is_by_feature(context.noise)) out["noise"] = feature_noise_json(context);
  if (explanation.certificate) {
    // Put together as text: a certificate reads the same here and in a file of its own.
    out["certificate"] = parse_json(certificate_json(context, explanation));
  }
  if (explanation.obstacle) {
    out["obstacle"] = obstacle_json(context, explanation, *explanation.obstacle);
  }
  if (explanation.proof) out["proof"] = proof_json(explanation);
  if (const std::optional<Plausibility>& known = explanation.plausibility) {
    out["plausibility"] = {
        {"distance", known->distance}, {"share", known->share}, {"nearest", known->nearest}};
  }
  for (const ReasonCode& one : explanation.reason_codes) {
    const Feature& feature = context.codec.schema().features[one.feature];
    out["reason_codes"].push_back(
        {{"code", feature.reason_code}, {"feature", feature.name}, {"gain", one.gain}});
  }
  // Records may hold bytes that are not UTF-8; they are shown as replacement characters.
  return json_text(out, -1, BrokenText::replace) + "\n";
}

}  // namespace croco
