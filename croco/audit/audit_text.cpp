// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/audit_text.hpp>

#include <cmath>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <croco/base/json_text.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/version.hpp>
#include <croco/data/csv.hpp>
#include <croco/report/noise_words.hpp>

namespace croco {
namespace {

using AuditJson = nlohmann::ordered_json;

constexpr int kAuditVersion = 1;

std::string field_of(const std::optional<double>& number) {
  return number ? format_number(*number) : std::string();
}

AuditJson value_json(double number) {
  if (std::isfinite(number)) return number;
  return std::isnan(number) ? AuditJson() : AuditJson(number > 0 ? "inf" : "-inf");
}

AuditJson interval_json(const std::optional<ConfidenceInterval>& interval) {
  if (!interval) return nullptr;
  return {value_json(interval->lower), value_json(interval->upper)};
}

AuditJson row_json(const AuditRow& row) {
  AuditJson out{{"section", name_of(row.section)}};
  const auto add_text = [&](const char* key, std::string_view text) {
    if (!text.empty()) out[key] = text;
  };
  add_text("attribute", row.attribute);
  add_text("group", row.group);
  add_text("reference", row.reference);
  add_text("view", row.view);
  add_text("measure", row.measure);
  add_text("item", row.item);
  out["people"] = row.people;
  if (!row.reference.empty()) out["reference_people"] = row.reference_people;
  out["value"] = value_json(row.value);
  if (row.group_value) out["group_value"] = value_json(*row.group_value);
  if (row.reference_value) out["reference_value"] = value_json(*row.reference_value);
  if (row.interval) out["interval"] = interval_json(row.interval);
  if (row.joint) out["joint_interval"] = interval_json(row.joint);
  if (row.small) out["small"] = true;
  return out;
}

AuditJson attribute_json(const AuditAttribute& attribute) {
  return {{"column", attribute.column},
          {"cuts", attribute.cuts},
          {"groups", attribute.groups},
          {"reference", attribute.groups[attribute.reference]},
          {"model_reads_it", attribute.feature.has_value()},
          {"swapped", attribute.swappable}};
}

}  // namespace

std::string audit_csv(const AuditTable& table) {
  std::string out =
      csv_record({"section", "attribute", "group", "reference", "view", "measure", "item", "people",
                  "reference_people", "value", "group_value", "reference_value", "lower", "upper",
                  "joint_lower", "joint_upper", "small"});
  for (const AuditRow& row : table.rows) {
    const auto ends = [](const std::optional<ConfidenceInterval>& interval) {
      return interval ? std::pair(format_number(interval->lower), format_number(interval->upper))
                      : std::pair<std::string, std::string>();
    };
    const auto [lower, upper] = ends(row.interval);
    const auto [joint_lower, joint_upper] = ends(row.joint);
    out += csv_record({std::string(name_of(row.section)), row.attribute, row.group, row.reference,
                       std::string(row.view), row.measure, row.item, std::to_string(row.people),
                       row.reference.empty() ? std::string() : std::to_string(row.reference_people),
                       std::isnan(row.value) ? std::string() : format_number(row.value),
                       field_of(row.group_value), field_of(row.reference_value), lower, upper,
                       joint_lower, joint_upper, row.small ? "1" : "0"});
  }
  return out;
}

std::string audit_json(const AuditTable& table, const ReportContext& context,
                       const AuditSources& sources) {
  AuditJson attributes = AuditJson::array();
  for (const AuditAttribute& one : table.attributes) attributes.push_back(attribute_json(one));
  AuditJson options = AuditJson::array();
  for (const auto& [name, value] : context.run.options) options.push_back({name, value});
  AuditJson rows = AuditJson::array();
  for (const AuditRow& row : table.rows) rows.push_back(row_json(row));
  const AuditJson out{
      {"croco_audit", kAuditVersion},
      {"program", "croco " + std::string(version())},
      {"model", {{"name", context.model_name}, {"sha256", context.model_fingerprint}}},
      {"schema", {{"sha256", context.schema_fingerprint}}},
      {"data", {{"name", sources.data_name}, {"sha256", sources.data_fingerprint}}},
      {"method", context.method},
      {"noise", noise_phrase(context)},
      {"wanted", context.goal.wanted()},
      {"options", std::move(options)},
      {"attributes", std::move(attributes)},
      {"rows", std::move(rows)}};
  return json_text(out, 1, BrokenText::replace) + "\n";
}

}  // namespace croco
