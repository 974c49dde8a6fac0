// SPDX-License-Identifier: Apache-2.0
#include <croco/report/row_check.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_text.hpp>
#include <croco/report/first_version.hpp>
#include <croco/report/json_difference.hpp>
#include <croco/report/manifest.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

int version_of(const RowSources& sources) {
  if (sources.stated != nullptr) return sources.stated->version;
  if (sources.run != nullptr && sources.run->version == kFirstVersion) return kFirstVersion;
  return kCertificateVersion;
}

/// The first difference, where the words of the version that `given` is in are no difference.
std::optional<std::string> difference_of(std::string_view given, std::string_view made,
                                         const RowSources& sources) {
  if (version_of(sources) != kFirstVersion) return first_difference(given, made);
  Json expected = parse_json(row_in_current_words(made));
  // Which program wrote a certificate is for the certificate to say; its words are known.
  if (sources.stated != nullptr && expected.contains("certificate")) {
    expected["certificate"]["program"] = sources.stated->program;
  }
  return first_difference(row_in_current_words(given), json_text(expected));
}

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
        difference_of(line, make_row(line, sources, out.unchecked), sources);
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
      json_text(Json{{"before", record}, {"kept", kept}}, -1, BrokenText::replace);
  const Json stated{{"before", given.value("before", Json())},
                    {"kept", given.value("kept", Json::object())}};
  const std::optional<std::string> difference = first_difference(json_text(stated), dumped);
  out.findings.push_back(
      {Check::data, !difference,
       difference ? fmt::format("{} by the data ('row' {}: {})", *difference, sources.person->row,
                                sources.person->where)
                  : fmt::format("'before' is the record of {}", sources.person->where)});
}

}  // namespace

RowCheck check_row(std::string_view line, const RowSources& sources) {
  RowCheck out;
  const Json given = parse_json(line);
  std::string current(line);
  try {
    if (version_of(sources) == kFirstVersion) current = with_current_keys(line);
  } catch (const DataError& fault) {
    out.findings.push_back({Check::row, false, fault.what()});
    return out;
  }
  check_fields(current, sources, out);
  check_person(given, sources, out);
  if (sources.again) {
    const std::optional<std::string> difference = difference_of(current, *sources.again, sources);
    out.findings.push_back(
        {Check::again, !difference, difference.value_or("the same run gives the same answer")});
    out.unchecked.clear();
  }
  return out;
}

}  // namespace croco
