// SPDX-License-Identifier: Apache-2.0
// What the model is, what its features mean, and what a question gets that states little.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <croco/base/json_text.hpp>
#include <croco/base/version.hpp>
#include <croco/explain/feature_noise.hpp>
#include <croco/report/context.hpp>
#include <croco/report/noise_words.hpp>
#include <croco/service/service_impl.hpp>
#include <croco/space/movement_names.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The noise of a feature in its own units, or null when it is exact.
Json noise_json(const std::vector<NoiseOf>& noise, const std::string& feature) {
  const auto found = std::ranges::find(noise, feature, &NoiseOf::feature);
  if (found == noise.end()) return nullptr;
  return {
      {"kind", found->kind}, {"value", found->value}, {"unit", found->unit}, {"text", found->text}};
}

Json feature_json(const Feature& feature, const FeatureScale& scale,
                  const std::vector<NoiseOf>& noise) {
  const bool numeric = feature.type == FeatureType::numeric;
  Json out{{"name", feature.name},
           {"label", feature.display_name()},
           {"type", numeric ? "numeric" : "categorical"},
           {"unit", feature.unit},
           {"movement", name_of(feature.movement)},
           {"changeable_by", feature.changeable_by == ChangeableBy::nobody ? "nobody" : "person"},
           {"minimum", number_or_null(feature.minimum)},
           {"maximum", number_or_null(feature.maximum)},
           {"step", feature.step},
           {"observed_minimum", nullptr},
           {"observed_maximum", nullptr},
           {"typical", nullptr},
           {"levels", feature.levels},
           {"noise", noise_json(noise, feature.name)}};
  if (numeric) {
    out["observed_minimum"] = scale.minimum;
    out["observed_maximum"] = scale.maximum;
  }
  if (!scale.typical.empty()) out["typical"] = scale.typical;
  return out;
}

Json method_json(const char* name, const Model& model) {
  const bool available = std::string_view(name) == "certified" || model.gradient() != nullptr;
  return {{"name", name},
          {"available", available},
          {"reason", available ? "" : "the model has no gradient, which this method needs"}};
}

}  // namespace

std::string Service::Impl::model() const {
  const ReportContext context = plain_context();
  const auto count = [&](std::string_view which) {
    std::size_t number = 0;
    for (std::size_t row = 0; row < people_.size(); ++row) number += decision(row) == which;
    return number;
  };
  Json methods = Json::array();
  for (const char* name : {"certified", "croco", "probe", "wachter"}) {
    methods.push_back(method_json(name, *loaded_.model));
  }
  Json notes = Json::array();
  if (!loaded_.caution.empty()) notes.push_back(loaded_.caution);
  if (context.noise_assumed) {
    notes.push_back(
        "Nobody has stated how people miss the advice; the noise is assumed. State what you know.");
  }
  const Json out{{"program", fmt::format("croco {}", version())},
                 {"name", loaded_.name},
                 {"fingerprint", loaded_.fingerprint},
                 {"schema_fingerprint", context.schema_fingerprint},
                 {"demo", options_.demo},
                 {"people", people_.size()},
                 {"accepted", count("accepted")},
                 {"rejected", count("rejected")},
                 {"unreadable", count("unreadable")},
                 {"threshold", context.goal.threshold()},
                 {"wanted", context.goal.wanted()},
                 {"wanted_name", class_name(context, context.goal.wanted())},
                 {"other_name", class_name(context, 1 - context.goal.wanted())},
                 {"noise", noise_phrase(context)},
                 {"noise_assumed", context.noise_assumed},
                 {"methods", std::move(methods)},
                 {"defaults",
                  {{"method", "certified"},
                   {"target", options_.target},
                   {"confidence", options_.confidence},
                   {"max_samples", CertifyOptions{}.samples},
                   {"seed", 0},
                   {"alternatives", 1}}},
                 {"notes", std::move(notes)},
                 {"limits",
                  {{"seconds", options_.seconds},
                   {"body_bytes", options_.body_bytes},
                   {"cloud", 5000},
                   {"alternatives", 16},
                   {"targets", 24}}}};
  return dumped(out);
}

std::string Service::Impl::schema() const {
  const ReportContext context = plain_context();
  const std::vector<NoiseOf> noise = noise_by_feature(context);
  const Schema& schema = loaded_.codec.schema();
  Json features = Json::array();
  for (std::size_t f = 0; f < schema.features.size(); ++f) {
    const FeatureScale scale =
        f < loaded_.codec.scales().size() ? loaded_.codec.scales()[f] : FeatureScale{};
    features.push_back(feature_json(schema.features[f], scale, noise));
  }
  const LabelColumn& label = schema.label;
  Json out{{"label",
            {{"name", label.name},
             {"favourable", label.favourable},
             {"unfavourable", label.unfavourable}}},
           {"features", std::move(features)},
           {"max_changes", nullptr},
           {"schema", parse_json(schema_json(schema))}};
  if (schema.max_changes) out["max_changes"] = *schema.max_changes;
  return dumped(out);
}

}  // namespace croco
