// SPDX-License-Identifier: Apache-2.0
#include <croco/report/row_check.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/report/json_difference.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

void check_fields(std::string_view line, const RowSources& sources, RowCheck& out) {
  const auto add = [&](bool holds, std::string text) {
    out.findings.push_back({Check::row, holds, std::move(text)});
  };
  if (sources.certificate != nullptr && !sources.certificate->answer) {
    add(false, "cannot be made again from this certificate");
    return;
  }
  if (sources.run == nullptr && sources.stated == nullptr) {
    out.unchecked.emplace_back(
        "all of it: without a certificate and a manifest nothing says which "
        "model, threshold and method it is about");
    return;
  }
  try {
    const std::optional<std::string> difference =
        first_difference(line, make_row(line, sources, out.unchecked));
    add(!difference, difference.value_or("made again, the row says the same"));
  } catch (const Error& fault) {
    add(false, fault.what());
  }
}

void check_person(const Json& given, const RowSources& sources, RowCheck& out) {
  if (sources.person == nullptr) return;
  Json record = Json::object();
  const std::vector<Feature>& features = sources.loaded.codec.schema().features;
  for (std::size_t f = 0; f < std::min(features.size(), sources.person->record.size()); ++f) {
    record[features[f].name] = sources.person->record[f];
  }
  Json kept = Json::object();
  for (const auto& [name, value] : sources.person->kept) kept[name] = value;
  // A value that stays missing is null in a report, however the data spell it.
  const Json before = given.value("before", Json());
  for (const std::size_t f : sources.loaded.codec.missing_features(sources.person->record)) {
    const Json& stated = before.is_object() ? before.value(features[f].name, Json("")) : before;
    if (stated.is_null()) record[features[f].name] = nullptr;
  }
  const std::string dumped =
      Json{{"before", record}, {"kept", kept}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  const Json stated{{"before", given.value("before", Json())},
                    {"kept", given.value("kept", Json::object())}};
  const std::optional<std::string> difference = first_difference(stated.dump(), dumped);
  out.findings.push_back(
      {Check::data, !difference,
       difference ? fmt::format("{} by the data ('row' {}: {})", *difference, sources.person->row,
                                sources.person->where)
                  : fmt::format("'before' is the record of {}", sources.person->where)});
}

}  // namespace

RowCheck check_row(std::string_view line, const RowSources& sources) {
  RowCheck out;
  const Json given = Json::parse(line);
  check_fields(line, sources, out);
  check_person(given, sources, out);
  if (sources.again) {
    const std::optional<std::string> difference = first_difference(line, *sources.again);
    out.findings.push_back(
        {Check::again, !difference, difference.value_or("the same run gives the same answer")});
    out.unchecked.clear();
  }
  return out;
}

}  // namespace croco
