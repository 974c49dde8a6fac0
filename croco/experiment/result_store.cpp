// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/result_store.hpp>

#include <cstdlib>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/json_check.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/temporary_file.hpp>

namespace croco {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kShared = "experiment";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw IoError(fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
  }
}

const std::string& group_of(const Manifest::Entry& entry) {
  static const std::string shared = kShared;
  return entry.kind.empty() ? shared : entry.kind;
}

}  // namespace

ResultStore::ResultStore(fs::path folder) : folder_(std::move(folder)) {
  make_folder(folder_);
  lock_.emplace(folder_);
  remove_unfinished_files(folder_);
}

void ResultStore::join(const Manifest& manifest) const {
  const fs::path path = folder_ / "manifest.json";
  Json known = Json::object();
  if (is_there(path)) {
    const std::string text = read_file(path);
    check_json(text, path.string());
    known = parse_json(text);
    if (!known.is_object()) {
      throw DataError(fmt::format("{}: this is not the manifest of an experiment", path.string()));
    }
  }
  for (const Manifest::Entry& entry : manifest.entries) {
    Json& group = known[group_of(entry)];
    if (group.is_null()) group = Json::object();
    if (!group.is_object()) {
      throw DataError(fmt::format("{}: '{}' is not an object", path.string(), group_of(entry)));
    }
    const Json value = parse_json(entry.value);
    const auto found = group.find(entry.name);
    if (found == group.end()) {
      group[entry.name] = value;
    } else if (*found != value) {
      throw InvalidArgument(fmt::format(
          "{} holds results of another experiment: {} '{}' was {} there and is {} now; choose "
          "another --output, or remove that folder",
          folder_.string(), entry.kind.empty() ? "the setting" : entry.kind, entry.name,
          json_text(*found), json_text(value)));
    }
  }
  const std::string text = json_text(known, 2) + '\n';
  if (!is_there(path) || read_file(path) != text) write_file(path, text);
}

fs::path ResultStore::file(const char* kind, const fs::path& configuration) const {
  fs::path out = folder_ / kind / configuration;
  out += ".csv";
  return out;
}

std::optional<std::vector<PersonResult>> ResultStore::read(const fs::path& configuration) const {
  const fs::path path = file("results", configuration);
  if (!is_there(path)) return std::nullopt;
  return parse_results(read_csv(path));
}

std::optional<Duration> ResultStore::read_time(const fs::path& configuration) const {
  const fs::path path = file("times", configuration);
  if (!is_there(path)) return std::nullopt;
  const CsvTable table = read_csv(path);
  const std::size_t elapsed = table.column("elapsed_seconds");
  const std::size_t processor = table.column("processor_seconds");
  if (table.rows.size() == 1 && table.rows[0].fields.size() == table.header.size()) {
    const auto first = parse_number(table.rows[0].fields[elapsed]);
    const auto second = parse_number(table.rows[0].fields[processor]);
    if (first && second) return Duration{*first, *second};
  }
  throw DataError(fmt::format("{}: this is not a time that croco reproduce wrote", path.string()));
}

void ResultStore::write(const fs::path& configuration, const std::vector<PersonResult>& results,
                        const std::optional<Duration>& time) const {
  if (time) {
    const fs::path path = file("times", configuration);
    make_folder(path.parent_path());
    write_file(path,
               csv_record({"elapsed_seconds", "processor_seconds"}) +
                   csv_record({format_fixed(time->elapsed, 6), format_fixed(time->processor, 6)}));
  }
  const fs::path path = file("results", configuration);
  make_folder(path.parent_path());
  write_file(path, result_csv(results));
}

}  // namespace croco
