// SPDX-License-Identifier: Apache-2.0
#include <croco/report/report_lines.hpp>

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/json_text.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/first_version.hpp>
#include <croco/report/record_json.hpp>
#include <croco/report/report.hpp>
#include <croco/verify/stated_noise.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

std::optional<std::size_t> count_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::size_t>();
}

/// Only certified answers have alternatives, so that their certificate says the version.
int version_of(const ReportLine& line) {
  return line.stated ? line.stated->version : kCertificateVersion;
}

ReportLine read_line(std::string_view text, const std::string& source) {
  ReportLine out{.text = text, .source = source, .stated = read_certificate(text, source)};
  const Json json = parse_json(text);
  out.answer = json.is_object() && !json.contains("croco_certificate");
  out.row = count_of(json, "row");
  out.alternative = count_of(json, alternative_key(version_of(out)).c_str());
  if (out.answer) out.kept = stated_kept(text);
  return out;
}

/// What the check of the alternatives needs of one.
struct AlternativeOf {
  double cost = 0;
  std::set<std::string> features;
};

std::optional<AlternativeOf> alternative_of(std::string_view text) {
  try {
    const Json json = parse_json(text);
    AlternativeOf out{.cost = json.at("distance").at("cost").get<double>(), .features = {}};
    for (const Json& change : json.at("changes")) out.features.insert(change.at("feature"));
    return out;
  } catch (const Json::exception&) {
    return std::nullopt;  // the check of its row says what is missing
  }
}

bool clashes(const AlternativeOf& earlier, const AlternativeOf& later, bool disjoint) {
  if (!disjoint) return std::ranges::includes(later.features, earlier.features);
  return std::ranges::any_of(later.features, [&](const std::string& feature) {
    return earlier.features.contains(feature);
  });
}

}  // namespace

std::vector<ReportLine> read_report(std::string_view bytes, const std::string& source) {
  const std::string_view head = bytes.substr(0, bytes.find_first_of("\r\n"));
  const std::size_t last = head.find_last_not_of(" \t");
  if (last == std::string_view::npos || head[last] != '}') return {read_line(bytes, source)};
  std::vector<ReportLine> out;
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < bytes.size(); ++line) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    const std::string_view text = bytes.substr(begin, end - begin);
    if (text.find_first_not_of(" \t\r") != std::string_view::npos) {
      out.push_back(read_line(text, fmt::format("{}, line {}", source, line)));
    }
    begin = end + 1;
  }
  return out;
}

KeptColumns stated_kept(std::string_view line, const std::vector<std::string>* names) {
  const Json json = parse_json(line);
  const Json kept = json.value("kept", Json::object());
  const auto text_of = [&](const std::string& name) {
    const Json value = kept.is_object() ? kept.value(name, Json()) : Json();
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  KeptColumns out;
  if (names != nullptr) {
    for (const std::string& name : *names) out.emplace_back(name, text_of(name));
  } else if (kept.is_object()) {
    for (const auto& entry : kept.items()) out.emplace_back(entry.key(), text_of(entry.key()));
  }
  return out;
}

std::optional<Person> stated_person(const ReportLine& line, const Schema& schema) {
  const Json json = parse_json(line.text);
  if (!line.row || !json.contains("before") || !json.at("before").is_object() ||
      json.value("status", Json()) == name_of(Status::error)) {
    return std::nullopt;
  }
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [name, value] : json.at("before").items()) {
    const std::optional<std::string> text = record_text(value);
    if (!text) return std::nullopt;
    texts.emplace_back(name, *text);
  }
  std::vector<std::string> features;
  for (const Feature& feature : schema.features) features.push_back(feature.name);
  std::optional<Record> record = in_order(texts, features);
  if (!record) return std::nullopt;
  Person out{.row = *line.row, .where = line.source, .record = std::move(*record), .problem = {}};
  out.kept = line.kept;
  return out;
}

std::vector<std::string> alternative_faults(std::span<const ReportLine> lines, bool disjoint) {
  std::vector<std::string> faults;
  std::vector<AlternativeOf> earlier;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].alternative) continue;
    const bool first = i == 0 || !lines[i - 1].alternative || lines[i - 1].row != lines[i].row;
    if (first) earlier.clear();
    const auto fault = [&](std::string_view what) {
      faults.push_back(fmt::format("{}: {}", lines[i].source, what));
    };
    if (*lines[i].alternative != earlier.size() + 1) {
      fault(fmt::format("'{}' is {}; after {} alternatives of its row it must be {}",
                        alternative_key(version_of(lines[i])), *lines[i].alternative,
                        earlier.size(), earlier.size() + 1));
    }
    const AlternativeOf own = alternative_of(lines[i].text).value_or(AlternativeOf{});
    if (!earlier.empty() && own.cost < earlier.back().cost) {
      fault("'distance.cost' is below that of the alternative before; the cheapest comes first");
    }
    const bool apart = std::ranges::none_of(
        earlier, [&](const AlternativeOf& one) { return clashes(one, own, disjoint); });
    if (!apart) {
      fault(disjoint ? "'changes' has a feature of an alternative before"
                     : "'changes' has all the features of an alternative before");
    }
    earlier.push_back(own);
  }
  return faults;
}

std::vector<StatedCertificate> read_certificates(const std::filesystem::path& path) {
  const std::string bytes = read_file(path, kMaxReportBytes);
  std::vector<StatedCertificate> out;
  for (ReportLine& line : read_report(bytes, path.string())) {
    if (line.stated) out.push_back(std::move(*line.stated));
  }
  return out;
}

}  // namespace croco
