// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/data/csv.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/noise_words.hpp>
#include <croco/report/obstacle_text.hpp>
#include <croco/report/spreadsheet.hpp>
#include <croco/report/writer.hpp>

namespace croco {
namespace {

constexpr std::array<std::string_view, 17> kColumns{"row",         "status",
                                                    "valid",       "score",
                                                    "distance_l1", "features_changed",
                                                    "rate",        "rate_upper",
                                                    "confidence",  "samples",
                                                    "target_met",  "obstacle",
                                                    "lowest_rate", "lowest_rate_upper",
                                                    "relaxations", "cost",
                                                    "level_price"};

/// Where costs are reported, behind the others.
constexpr std::array<std::string_view, 2> kCostColumns{"cost_kind", "touch_price"};

/// With proofs only, behind these.
constexpr std::array<std::string_view, 4> kProofColumns{"cost_lower", "cost_gap",
                                                        "proof_confidence", "proof"};

/// With retrained models only, behind these: the joint rate and its bound, the share of models
/// above the limit, the worst of the list, the confidence of each, and how many models certify.
constexpr std::array<std::string_view, 6> kModelColumns{"models_rate",        "models_rate_upper",
                                                        "models_share_upper", "models_worst",
                                                        "models_confidence",  "models_certifying"};

std::string flag(bool value) { return value ? "1" : "0"; }

/// What the rates are about: "duration sd 1 months; housing wrong in 2 % of cases".
std::string noise_field(const ReportContext& context) {
  std::string out;
  for (const NoiseOf& one : noise_by_feature(context)) {
    out += fmt::format("{}{} {}", out.empty() ? "" : "; ", one.feature, one.text);
  }
  return out;
}

/// The whole cost, and the part of it that is for categories.
void add_cost(const Explanation& explanation, std::vector<std::string>& fields) {
  if (!explanation.has_advice()) {
    fields.insert(fields.end(), 2, explanation.status == Status::already ? "0" : "");
    return;
  }
  fields.push_back(format_number(explanation.distance.cost));
  fields.push_back(format_number(explanation.distance.level_price));
}

/// How it is counted, and the part of it that is for touching numbers.
void add_cost_kind(const ReportContext& context, const Explanation& explanation,
                   std::vector<std::string>& fields) {
  fields.emplace_back(name_of(context.codec.cost_kind()));
  fields.push_back(explanation.has_advice() ? format_number(explanation.distance.touch_price) : "");
}

void add_proof(const Explanation& explanation, std::vector<std::string>& fields) {
  const std::optional<Proof>& proof = explanation.proof;
  if (!proof || proof->basis == ProofBasis::none) {
    fields.insert(fields.end(), 3, "");
    fields.push_back(proof ? std::string(name_of(proof->basis)) : "");
    return;
  }
  const std::optional<double> gap = explanation.proven_gap();
  fields.push_back(proof->infeasible ? "" : format_number(proof->lower));
  fields.push_back(gap ? format_number(*gap) : "");
  fields.push_back(format_number(proof->confidence));
  fields.push_back(proof->infeasible ? "infeasible" : std::string(name_of(proof->basis)));
}

void add_models(const Explanation& explanation, std::vector<std::string>& fields) {
  if (!explanation.model_change) {
    fields.insert(fields.end(), kModelColumns.size(), "");
    return;
  }
  const ModelChange& change = *explanation.model_change;
  for (const double number :
       {change.rate, change.upper, change.share_upper, change.worst_upper, change.confidence}) {
    fields.push_back(format_number(number));
  }
  fields.push_back(std::to_string(change.invalid.size()));
}

std::vector<std::string> header_fields(const ReportContext& context) {
  std::vector<std::string> header(kColumns.begin(), kColumns.end());
  if (reports_costs(context)) {
    header.insert(header.end(), kCostColumns.begin(), kCostColumns.end());
  }
  if (context.proofs) header.insert(header.end(), kProofColumns.begin(), kProofColumns.end());
  if (context.models) header.insert(header.end(), kModelColumns.begin(), kModelColumns.end());
  if (context.queries) header.emplace_back("queries");
  if (context.alternatives > 1) header.emplace_back("alternative");
  if (context.judged) header.emplace_back("broken_rules");
  if (context.reason_codes > 0) header.emplace_back("reason_codes");
  if (context.plausibility) {
    header.emplace_back("plausibility");
    header.emplace_back("nearest_accepted");
  }
  if (is_by_feature(context.noise)) header.emplace_back("noise");
  const auto own = header;
  const auto renamed = [&](const std::string& name, std::string_view prefix) {
    const bool taken = name.empty() || std::ranges::find(own, name) != own.end();
    return taken ? fmt::format("{}:{}", prefix, name) : name;
  };
  for (const Feature& feature : context.codec.schema().features) {
    header.push_back(renamed(feature.name, "feature"));
  }
  std::vector<std::string> kept;
  for (const std::string& name : context.kept) kept.push_back(renamed(name, "kept"));
  header.insert(header.begin() + 1, kept.begin(), kept.end());
  return header;
}

std::vector<std::string> line_fields(const ReportContext& context, const Explanation& explanation) {
  std::vector<std::string> fields{std::to_string(explanation.row)};
  for (const auto& [name, value] : explanation.kept) fields.push_back(value);
  fields.resize(1 + context.kept.size());
  fields.emplace_back(name_of(explanation.status));
  if (explanation.has_advice()) {
    fields.push_back(flag(explanation.valid));
    fields.push_back(format_number(explanation.score));
    fields.push_back(format_number(explanation.distance.l1));
    fields.push_back(std::to_string(explanation.features_changed));
  } else {
    const bool known = explanation.status != Status::error;
    fields.push_back(known ? flag(explanation.status == Status::already) : "");
    fields.push_back(known ? format_number(explanation.score_before) : "");
    fields.insert(fields.end(), 2, explanation.status == Status::already ? "0" : "");
  }
  if (explanation.certificate) {
    fields.push_back(format_number(explanation.certificate->rate));
    fields.push_back(format_number(explanation.certificate->upper));
    fields.push_back(format_number(explanation.certificate->confidence));
    fields.push_back(std::to_string(explanation.certificate->samples));
  } else {
    fields.insert(fields.end(), 4, "");
  }
  fields.push_back(explanation.target_met ? flag(*explanation.target_met) : "");
  if (explanation.obstacle) {
    const Obstacle& obstacle = *explanation.obstacle;
    fields.emplace_back(name_of(obstacle.kind));
    fields.push_back(obstacle.lowest ? format_number(obstacle.lowest->rate) : "");
    fields.push_back(obstacle.lowest ? format_number(obstacle.lowest->upper) : "");
    fields.push_back(relaxations_field(context, explanation));
  } else {
    fields.insert(fields.end(), 4, "");
  }
  add_cost(explanation, fields);
  if (reports_costs(context)) add_cost_kind(context, explanation, fields);
  if (context.proofs) add_proof(explanation, fields);
  if (context.models) add_models(explanation, fields);
  if (context.queries) {
    fields.push_back(explanation.queries ? std::to_string(*explanation.queries) : "");
  }
  if (context.alternatives > 1) {
    fields.push_back(explanation.alternative > 0 ? std::to_string(explanation.alternative) : "");
  }
  if (context.judged) fields.push_back(broken_field(context, explanation));
  if (context.reason_codes > 0) fields.push_back(reason_codes_field(context, explanation));
  if (context.plausibility) {
    const std::optional<Plausibility>& known = explanation.plausibility;
    fields.push_back(known ? format_number(known->share) : "");
    fields.push_back(known ? std::to_string(known->nearest) : "");
  }
  if (is_by_feature(context.noise)) fields.push_back(noise_field(context));
  Record values = explanation.has_advice() ? explanation.after : explanation.before;
  values.resize(context.codec.schema().features.size());
  fields.insert(fields.end(), values.begin(), values.end());
  return fields;
}

std::string safe_record(std::vector<std::string> fields) {
  for (std::string& field : fields) field = spreadsheet_cell(field);
  return csv_record(fields);
}

}  // namespace

std::string csv_header(const ReportContext& context) { return csv_record(header_fields(context)); }

std::string csv_line(const ReportContext& context, const Explanation& explanation) {
  return csv_record(line_fields(context, explanation));
}

std::string spreadsheet_cell(std::string_view text) {
  constexpr std::string_view kFormula = "=+-@\t\r";
  const bool formula = !text.empty() && kFormula.find(text.front()) != std::string_view::npos;
  return formula && !parse_number(text) ? fmt::format("'{}", text) : std::string(text);
}

std::string spreadsheet_header(const ReportContext& context) {
  return safe_record(header_fields(context));
}

std::string spreadsheet_line(const ReportContext& context, const Explanation& explanation) {
  return safe_record(line_fields(context, explanation));
}

}  // namespace croco
