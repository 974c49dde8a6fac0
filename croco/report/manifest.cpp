// SPDX-License-Identifier: Apache-2.0
#include <croco/report/manifest.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_check.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/version.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/first_version.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kManifestKey = "croco_manifest";
constexpr const char* kAlternative = "alternative";

Json options_json(const ReportRun& run) {
  Json out = Json::object();
  for (const auto& [name, value] : run.options) out[name].push_back(value);
  return out;
}

/// The value of a key that must be there and be of a kind.
const Json& require(const Json& object, const char* key, bool (Json::*is)() const noexcept,
                    std::string_view rule, const std::string& source) {
  const auto found = object.find(key);
  if (found == object.end()) {
    throw DataError(fmt::format("{}: the key '{}' is missing; a manifest has it", source, key));
  }
  if (!((*found).*is)()) {
    throw DataError(fmt::format("{}: '{}' is {}; it must be {}", source, key,
                                json_text(*found).substr(0, 60), rule));
  }
  return *found;
}

constexpr auto kText = &Json::is_string;
constexpr auto kCount = &Json::is_number_unsigned;

std::string text_of(const Json& object, const char* key, const std::string& source) {
  return require(object, key, kText, "a text", source).get<std::string>();
}

void require_known_keys(const Json& object, const std::string& source) {
  static const std::set<std::string> known{
      "croco_manifest", "program",       "command",  "asked",     "options", "method",
      "target",         "cost_kind",     "noise",    "threshold", "wanted",  "rows",
      "model_sha256",   "schema_sha256", "statuses", "lines",     "sha256",  "kept"};
  for (const auto& [key, value] : object.items()) {
    if (known.contains(key)) continue;
    throw DataError(
        fmt::format("{}: the key '{}' is unknown; a manifest does not have it", source, key));
  }
}

ReportRun read_run(const Json& json, const std::string& source) {
  ReportRun out;
  out.command = text_of(json, "command", source);
  if (out.command != "explain" && out.command != "certify" && !out.command.empty()) {
    throw DataError(fmt::format("{}: 'command' is '{}'; it must be explain, certify or empty",
                                source, out.command.substr(0, 40)));
  }
  out.asked = require(json, "asked", kCount, "a whole number", source).get<std::size_t>();
  for (const auto& [name, values] :
       require(json, "options", &Json::is_object, "an object", source).items()) {
    const bool texts = values.is_array() && std::ranges::all_of(values, kText);
    if (!texts) {
      throw DataError(fmt::format("{}: 'options.{}' must be an array of texts", source, name));
    }
    for (const Json& value : values) out.options.emplace_back(name, value.get<std::string>());
  }
  return out;
}

/// The lines of a report with their ends.
std::vector<std::string_view> lines_of(std::string_view bytes) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = bytes.find('\n', begin);
    const std::size_t next = end == std::string_view::npos ? bytes.size() : end + 1;
    out.push_back(bytes.substr(begin, next - begin));
    begin = next;
  }
  return out;
}

std::string name_of_line(const Json& line, const std::string& alternative) {
  std::string out = fmt::format("row {}", json_text(line.at("row")));
  if (line.contains(alternative)) {
    out += fmt::format(", {} {}", alternative, json_text(line.at(alternative)));
  }
  return out;
}

Json statuses_json(const std::map<std::string, std::size_t>& statuses) {
  Json out = Json::object();
  for (const auto& [status, count] : statuses) out[status] = count;
  return out;
}

void add_count_faults(const Json& manifest, std::vector<std::string>& faults) {
  ManifestTotals totals;
  const std::string alternative = alternative_key(manifest.at(kManifestKey));
  for (const Json& line : manifest.at("lines")) {
    totals.add(line.at("row").get<std::size_t>(), line.value(alternative, std::size_t{1}),
               line.at("status").get<std::string>());
  }
  const auto check = [&](const char* key, const Json& made) {
    if (manifest.at(key) == made) return;
    faults.push_back(fmt::format("'{}' is {}; by the lines that the manifest lists it is {}", key,
                                 json_text(manifest.at(key)), json_text(made)));
  };
  check("rows", totals.rows());
  check("statuses", statuses_json(totals.statuses()));
  if (manifest.at("asked") < totals.rows()) {
    faults.push_back(fmt::format("'asked' is {}; the manifest lists {} rows",
                                 json_text(manifest.at("asked")), totals.rows()));
  }
}

/// Which line of the run each line of a report is; none for those that the run did not write.
std::vector<std::optional<std::size_t>> places_of(const std::vector<std::string_view>& lines,
                                                  const Json& stated) {
  std::vector<std::optional<std::size_t>> out(lines.size());
  std::multimap<std::string, std::size_t> moved;
  for (std::size_t i = 0; i < stated.size(); ++i) {
    const std::string fingerprint = stated[i].at("sha256");
    if (i < lines.size() && sha256(lines[i]) == fingerprint) {
      out[i] = i;
    } else {
      moved.emplace(fingerprint, i);
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (out[i]) continue;
    const auto found = moved.find(sha256(lines[i]));
    if (found == moved.end()) continue;
    out[i] = found->second;
    moved.erase(found);
  }
  return out;
}

}  // namespace

std::filesystem::path manifest_path(const std::filesystem::path& report) {
  std::filesystem::path out = report;
  out += ".manifest.json";
  return out;
}

std::string manifest_entry(std::size_t row, std::size_t alternative, std::string_view status,
                           std::string_view line) {
  return fmt::format(
      "  {{\n   \"row\": {},\n{}   \"status\": \"{}\",\n   \"sha256\": \"{}\"\n  }},\n", row,
      alternative > 0 ? fmt::format("   \"{}\": {},\n", kAlternative, alternative) : "", status,
      sha256(line));
}

void ManifestTotals::add(std::size_t row, std::size_t alternative, const std::string& status) {
  add_row(row);
  if (alternative <= 1) ++statuses_[status];
}

void ManifestTotals::add_row(std::size_t row) {
  const auto after = seen_.upper_bound(row);
  const auto before = after == seen_.begin() ? seen_.end() : std::prev(after);
  if (before != seen_.end() && row < before->second) return;
  ++rows_;
  const bool follows = before != seen_.end() && before->second == row;
  const bool precedes = after != seen_.end() && after->first == row + 1;
  const std::size_t end = precedes ? after->second : row + 1;
  if (precedes) seen_.erase(after);
  if (follows) {
    before->second = end;
  } else {
    seen_.emplace(row, end);
  }
}

void ManifestBuilder::take_lines(std::string_view text) { all_.update(text); }

void ManifestBuilder::take_entries(std::string_view text) {
  // Texts may end anywhere.
  half_line_ += text;
  std::size_t begin = 0;
  for (std::size_t end = half_line_.find('\n'); end != std::string::npos;
       end = half_line_.find('\n', begin)) {
    take_entry_line(std::string_view(half_line_).substr(begin, end - begin));
    begin = end + 1;
  }
  half_line_.erase(0, begin);
}

void ManifestBuilder::take_entry_line(std::string_view line) {
  const auto value_of = [&](std::string_view key) -> std::optional<std::string_view> {
    const std::string start = fmt::format("   \"{}\": ", key);
    if (!line.starts_with(start)) return std::nullopt;
    return line.substr(start.size(), line.size() - start.size() - 1);  // without the comma
  };
  const auto number_of = [](std::string_view value) {
    std::size_t number = 0;
    std::from_chars(value.data(), value.data() + value.size(), number);
    return number;
  };
  if (const auto row = value_of("row")) {
    row_ = number_of(*row);
    alternative_ = 0;
  } else if (const auto alternative = value_of(kAlternative)) {
    alternative_ = number_of(*alternative);
  } else if (const auto status = value_of("status")) {
    totals_.add(row_, alternative_, std::string(status->substr(1, status->size() - 2)));
  }
}

void ManifestBuilder::finish(const ReportContext& context, ByteSource& entries,
                             const std::function<void(std::string_view)>& write) {
  Json out;
  out["croco_manifest"] = kManifestVersion;
  out["program"] = "croco " + std::string(version());
  out["command"] = context.run.command;
  out["asked"] = context.run.command.empty() ? totals_.rows() : context.run.asked;
  out["options"] = options_json(context.run);
  out["method"] = context.method;
  if (context.target) out["target"] = *context.target;
  out["cost_kind"] = name_of(context.codec.cost_kind());
  out["noise"] = parse_json(certificate_noise_json(context));
  if (!context.kept.empty()) out["kept"] = context.kept;
  out["threshold"] = context.goal.threshold();
  out["wanted"] = context.goal.wanted();
  out["model_sha256"] = context.model_fingerprint;
  out["schema_sha256"] = context.schema_fingerprint;
  out["rows"] = totals_.rows();
  out["statuses"] = statuses_json(totals_.statuses());
  // The list of lines is as long as the report, and is copied.
  const std::string head = json_text(out, 1, BrokenText::replace);
  write(std::string_view(head).substr(0, head.rfind('\n')));
  write(",\n \"lines\": [");
  bool any = false;
  constexpr std::string_view kBetween = ",\n";
  std::string held;  // what stands between entries is not behind the last one
  std::array<char, std::size_t{1} << 16U> block{};
  while (const std::size_t got = entries.read(block)) {
    if (!any) write("\n");
    any = true;
    held.append(block.data(), got);
    if (held.size() <= kBetween.size()) continue;
    const std::size_t ready = held.size() - kBetween.size();
    write(std::string_view(held).substr(0, ready));
    held.erase(0, ready);
  }
  write(any ? "\n ],\n" : "],\n");
  write(fmt::format(" \"sha256\": \"{}\"\n}}\n", all_.finish()));
}

StatedRun read_manifest(std::string_view text, const std::string& source) {
  check_json(text, source);
  const Json json = parse_json(text);
  if (!json.is_object() || !json.contains(kManifestKey)) {
    throw DataError(fmt::format("{}: is no manifest of croco", source));
  }
  if (json.at(kManifestKey) != kManifestVersion && json.at(kManifestKey) != kFirstVersion) {
    throw DataError(fmt::format("{}: '{}' is {}; this program reads versions {} and {}", source,
                                kManifestKey, json_text(json.at(kManifestKey)).substr(0, 60),
                                kFirstVersion, kManifestVersion));
  }
  require_known_keys(json, source);
  StatedRun out;
  out.source = source;
  out.version = json.at(kManifestKey).get<int>();
  out.program = text_of(json, "program", source);
  out.run = read_run(json, source);
  out.method = text_of(json, "method", source);
  if (json.contains("target")) {
    out.target = require(json, "target", &Json::is_number, "a number", source).get<double>();
  }
  try {
    out.cost = parse_cost_kind(text_of(json, "cost_kind", source));
    out.goal =
        Goal(require(json, "threshold", &Json::is_number, "a number", source).get<double>(),
             static_cast<int>(std::min<std::uint64_t>(
                 require(json, "wanted", kCount, "0 or 1", source).get<std::uint64_t>(), 2)));
  } catch (const InvalidArgument& error) {
    throw DataError(fmt::format("{}: {}", source, error.what()));
  }
  out.noise = read_certificate_noise(
      json_text(require(json, "noise", &Json::is_object, "an object", source)), source);
  if (json.contains("kept")) {
    for (const Json& name : require(json, "kept", &Json::is_array, "an array", source)) {
      if (!name.is_string()) throw DataError(fmt::format("{}: 'kept' must be texts", source));
      out.kept.push_back(name.get<std::string>());
    }
  }
  out.model_fingerprint = text_of(json, "model_sha256", source);
  out.schema_fingerprint = text_of(json, "schema_sha256", source);
  out.rows = require(json, "rows", kCount, "a whole number", source).get<std::size_t>();
  (void)require(json, "statuses", &Json::is_object, "an object", source);
  (void)text_of(json, "sha256", source);
  for (const Json& line : require(json, "lines", &Json::is_array, "an array", source)) {
    if (!line.is_object()) throw DataError(fmt::format("{}: 'lines' must be objects", source));
    (void)require(line, "row", kCount, "a whole number", source);
    (void)text_of(line, "status", source);
    (void)text_of(line, "sha256", source);
    const std::string alternative = alternative_key(out.version);
    const bool several = line.contains(alternative);
    if (several) (void)require(line, alternative.c_str(), kCount, "a whole number", source);
    if (line.size() != (several ? 4U : 3U)) {
      throw DataError(fmt::format("{}: a line of the manifest has an unknown key", source));
    }
  }
  return out;
}

std::vector<std::string> manifest_faults(std::string_view json, std::string_view report) {
  const Json manifest = parse_json(json);
  const Json& stated = manifest.at("lines");
  const std::string alternative = alternative_key(manifest.at(kManifestKey));
  const std::vector<std::string_view> lines = lines_of(report);
  std::vector<std::string> faults;
  add_count_faults(manifest, faults);
  const auto places = places_of(lines, stated);
  std::vector<bool> there(stated.size(), false);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (places[i]) there[*places[i]] = true;
    if (places[i] == i) continue;
    const bool whole = lines[i].ends_with('\n');
    faults.push_back(
        places[i] ? fmt::format("line {} is {}, which the run wrote in line {}", i + 1,
                                name_of_line(stated[*places[i]], alternative), *places[i] + 1)
                  : fmt::format("line {} is not one that the run wrote: it was {}", i + 1,
                                whole ? "edited, added or repeated" : "cut off or edited"));
  }
  for (std::size_t i = 0; i < stated.size(); ++i) {
    if (there[i]) continue;
    faults.push_back(fmt::format("{}, line {} of the run, is missing or was edited",
                                 name_of_line(stated[i], alternative), i + 1));
  }
  if (faults.empty() && manifest.at("sha256") != sha256(report)) {
    faults.emplace_back("'sha256' is not that of the whole report");
  }
  // Lines that agree with the manifest also have to be what it says of them.
  for (std::size_t i = 0; faults.empty() && i < lines.size(); ++i) {
    const Json line = try_parse_json(lines[i]);
    for (const std::string& key : {std::string("row"), alternative, std::string("status")}) {
      const bool given = line.is_object() && line.contains(key);
      const bool listed = stated[i].contains(key);
      if (given == listed && (!given || line.at(key) == stated[i].at(key))) continue;
      faults.push_back(
          fmt::format("line {}: '{}' is not what the manifest says of it", i + 1, key));
    }
  }
  return faults;
}

}  // namespace croco
