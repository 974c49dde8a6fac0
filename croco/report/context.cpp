// SPDX-License-Identifier: Apache-2.0
#include <croco/report/context.hpp>

#include <utility>

#include <fmt/format.h>

#include <croco/base/sha256.hpp>

namespace croco {

ReportContext report_context(const LoadedModel& model, Noise noise, const Goal& goal,
                             std::string method, std::optional<double> target) {
  return {.codec = model.codec,
          .method = std::move(method),
          .target = target,
          .noise = std::move(noise),
          .goal = goal,
          .model_name = model.name.empty() ? model.source : model.name,
          .model_fingerprint = model.fingerprint,
          .schema_fingerprint = sha256(model.codec.json())};
}

ReportContext report_context(const Explainer& explainer) {
  const ExplainOptions& options = explainer.options();
  const LoadedModel& model = explainer.model();
  // Limits are worded as the request has them; what certificates name is the model's own schema.
  ReportContext out{.codec = explainer.codec(),
                    .method = std::string(name_of(options.method)),
                    .target = target_of(options.method),
                    .noise = explainer.noise(),
                    .goal = options.goal,
                    .model_name = model.name.empty() ? model.source : model.name,
                    .model_fingerprint = model.fingerprint,
                    .schema_fingerprint = sha256(model.codec.json())};
  out.proofs = options.prove.has_value();
  out.queries = options.query_budget.has_value();
  out.alternatives = options.alternatives;
  out.reason_codes = options.reason_codes;
  out.plausibility = options.plausibility;
  out.models = options.models;
  out.noise_assumed = explainer.noise_source() == NoiseSource::assumed;
  return out;
}

bool reports_costs(const ReportContext& context) {
  return context.codec.cost_kind() != CostKind::l1 || has_touch_prices(context.codec.space());
}

std::string class_name(const ReportContext& context, int number) {
  const LabelColumn& label = context.codec.schema().label;
  const std::string& display = number == 1 ? label.favourable_display : label.unfavourable_display;
  if (!display.empty()) return display;
  const std::string& text = number == 1 ? label.favourable : label.unfavourable;
  if (text.empty() || text == "0" || text == "1") return fmt::format("class {}", number);
  return fmt::format("'{}'", text);
}

}  // namespace croco
