// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/page.hpp>

#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/version.hpp>

namespace croco {

namespace embedded {
// NOLINTNEXTLINE(readability-identifier-naming): what cmake/pages.cmake makes of web/report
extern const std::string_view report_page;
}  // namespace embedded

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMarker = "/*croco-data*/";

/// Six significant digits are more than any figure shows, and keep the file small.
Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return parse_number(fmt::format("{:.6g}", value)).value_or(value);
}
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(); }

Json label_of(const std::string& label, const std::string& name) {
  return label.empty() ? name : label;
}

/// As people write it, without the digits of a square root.
std::string text_of(const Noise& noise) {
  const bool simple = noise.shape == NoiseShape::gaussian && noise.column_scales.empty();
  return fmt::format("{} on {} columns",
                     simple ? fmt::format("gaussian, variance {:.6g}", noise.scale * noise.scale)
                            : noise_text(noise),
                     name_of(noise.scope));
}

Json datasets_json(const ExperimentResult& result) {
  Json list = Json::array();
  for (std::size_t d = 0; d < result.datasets.size(); ++d) {
    const ExperimentDataset& dataset = result.experiment.datasets[d];
    const DatasetFacts& facts = result.datasets[d];
    std::size_t asked = 0;
    for (std::size_t i = 0; i < result.configurations.size(); ++i) {
      if (result.configurations[i].configuration.dataset == d) asked = result.aggregates[i].asked;
    }
    list.push_back({{"name", dataset.name},
                    {"label", label_of(dataset.label, dataset.name)},
                    {"people", facts.people},
                    {"asked", asked},
                    {"columns", facts.columns},
                    {"continuous", facts.continuous},
                    {"parameters", facts.parameters ? Json(*facts.parameters) : Json()},
                    {"trained", facts.trained},
                    {"test_accuracy", number(facts.test_accuracy)},
                    {"test_auc", number(facts.test_auc)}});
  }
  return list;
}

Json methods_json(const ExperimentResult& result) {
  Json list = Json::array();
  for (std::size_t m = 0; m < result.experiment.methods.size(); ++m) {
    const ExperimentMethod& method = result.experiment.methods[m];
    list.push_back({{"name", method.name},
                    {"label", label_of(method.label, method.name)},
                    {"kind", method.is_advice() ? "counterfactuals" : method.method},
                    {"as_published", method.settings.as_published},
                    {"has_target", bool(result.has_target[m])},
                    {"note", method.note}});
  }
  return list;
}

/// One entry per person with advice.
Json people_json(const ConfigurationResult& result) {
  Json rate = Json::array();
  Json l1 = Json::array();
  Json bound = Json::array();
  Json upper = Json::array();
  Json over = Json::array();
  bool any_over = false;
  for (std::size_t i = 0; i < result.people.size(); ++i) {
    const PersonResult& person = result.people[i];
    if (!person.has_advice()) continue;
    rate.push_back(person.invalid);
    l1.push_back(number(person.l1));
    bound.push_back(number(person.paper_bound));
    upper.push_back(number(person.upper));
    over.push_back(number(result.over_lower[i]));
    any_over = any_over || result.over_lower[i].has_value();
  }
  Json out{{"rate", std::move(rate)},
           {"l1", std::move(l1)},
           {"paper_bound", std::move(bound)},
           {"upper", std::move(upper)}};
  if (any_over) out["over_lower"] = std::move(over);
  return out;
}

Json configuration_json(const ConfigurationResult& result, const Aggregate& a) {
  const Configuration& cell = result.configuration;
  return {{"dataset", cell.dataset},
          {"noise", cell.noise},
          {"target", cell.target ? Json(*cell.target) : Json()},
          {"method", cell.method},
          {"asked", a.asked},
          {"advised", a.advised},
          {"validity", number(a.validity)},
          {"rule_met", number(a.rule_met)},
          {"l1_mean", number(a.l1_mean)},
          {"l1_sd", number(a.l1_sd)},
          {"l1_median", number(a.l1_median)},
          {"rate_mean", number(a.rate_mean)},
          {"rate_sd", number(a.rate_sd)},
          {"soft_rate_mean", number(a.soft_rate_mean)},
          {"paper_bound_mean", number(a.paper_bound_mean)},
          {"upper_mean", number(a.upper_mean)},
          {"rate_above_target", number(a.rate_above_target)},
          {"upper_above_target", number(a.upper_above_target)},
          {"over_lower_mean", number(a.over_lower_mean)},
          {"ms_per_person", number(a.ms_per_person)},
          {"cpu_ms_per_person", number(a.processor_ms_per_person)},
          {"people", people_json(result)}};
}

Json published_json(std::span<const PublishedPoint> points) {
  Json list = Json::array();
  for (const PublishedPoint& point : points) {
    list.push_back({{"dataset", point.dataset},
                    {"noise", point.noise},
                    {"target", point.target ? Json(*point.target) : Json()},
                    {"method_name", point.method},
                    {"n", number(point.people)},
                    {"validity", number(point.validity)},
                    {"l1_mean", number(point.l1_mean)},
                    {"l1_sd", number(point.l1_sd)},
                    {"rate_mean", number(point.rate_mean)},
                    {"rate_sd", number(point.rate_sd)},
                    {"rate_above_target", number(point.rate_above_target)}});
  }
  return list;
}

}  // namespace

std::string page_json(const ExperimentResult& result, std::span<const ClaimFinding> findings,
                      std::span<const PublishedPoint> published, unsigned threads) {
  const Experiment& experiment = result.experiment;
  Json noises = Json::array();
  for (const ExperimentNoise& noise : experiment.noises) {
    noises.push_back({{"name", noise.name},
                      {"label", label_of(noise.label, noise.name)},
                      {"text", text_of(noise.noise)}});
  }
  Json configurations = Json::array();
  for (std::size_t i = 0; i < result.configurations.size(); ++i) {
    configurations.push_back(configuration_json(result.configurations[i], result.aggregates[i]));
  }
  Json claims = Json::array();
  for (const ClaimFinding& finding : findings) {
    claims.push_back({{"claim", finding.claim},
                      {"source", finding.source},
                      {"verdict", name_of(finding.verdict)},
                      {"number", finding.number},
                      {"detail", finding.detail}});
  }
  const Json json{
      {"format", "croco-experiment"},
      {"version", 1},
      {"title", experiment.title},
      {"description", experiment.description},
      {"croco", version()},
      {"rate_samples", experiment.rate_samples},
      {"certificate",
       {{"samples", experiment.certificate_samples}, {"confidence", experiment.confidence}}},
      {"paper_bound", {{"m", kPaperMargin}, {"t", kPaperThreshold}}},
      {"threads", threads},
      {"datasets", datasets_json(result)},
      {"noises", std::move(noises)},
      {"targets", experiment.targets},
      {"methods", methods_json(result)},
      {"configurations", std::move(configurations)},
      {"published", published_json(published)},
      {"findings", std::move(claims)}};
  // Names come from files; what is not UTF-8 must not stop a report.
  return json_text(json, -1, BrokenText::replace);
}

bool has_page() noexcept { return !embedded::report_page.empty(); }

std::string page_html(const std::string& json) {
  const std::string_view page = embedded::report_page;
  const std::size_t marker = page.find(kMarker);
  if (marker == std::string_view::npos) {
    throw InvalidArgument("this build of croco has no report page (CROCO_BUILD_PAGES was off)");
  }
  std::string out(page.substr(0, marker));
  // Nothing in the data may end the element that holds them.
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  out += page.substr(marker + kMarker.size());
  return out;
}

}  // namespace croco
