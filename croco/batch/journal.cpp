// SPDX-License-Identifier: Apache-2.0
#include <croco/batch/journal.hpp>

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/base64.hpp>
#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/json_check.hpp>
#include <croco/base/json_text.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;
using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr int kVersion = 1;
constexpr const char* kKey = "croco_journal";
constexpr std::uintmax_t kMaxBytes = std::uintmax_t{64} << 20U;

Json json_of(const Pairs& pairs) {
  Json out = Json::array();
  for (const auto& [name, value] : pairs) out.push_back({name, value});
  return out;
}

Pairs pairs_of(const Json& json) {
  Pairs out;
  for (const Json& pair : json) {
    out.emplace_back(pair.at(0).get<std::string>(), pair.at(1).get<std::string>());
  }
  return out;
}

Journal journal_of(const Json& json) {
  Journal out;
  out.identity.things = pairs_of(json.at("things"));
  out.identity.options = pairs_of(json.at("options"));
  for (const Json& file : json.at("files")) {
    auto pending = from_base64(file.at("pending").get<std::string>());
    if (!pending) throw Json::other_error::create(0, "pending", nullptr);
    out.files.push_back({file.at("path").get<std::string>(),
                         {file.at("bytes").get<std::uintmax_t>(), std::move(*pending)}});
  }
  out.rows = json.at("rows").get<std::size_t>();
  out.complete = json.at("complete").get<bool>();
  out.state = json_text(json.at("state"));
  return out;
}

}  // namespace

std::filesystem::path journal_path(const std::filesystem::path& file) {
  std::filesystem::path out = file;
  out += ".journal";
  return out;
}

std::optional<Journal> read_journal(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  const std::string text = read_file(path, kMaxBytes);
  try {
    check_json(text, path.string());
    const Json json = parse_json(text);
    if (json.at(kKey) != kVersion) {
      throw DataError(fmt::format("{}: '{}' is {}; this program reads version {}", path.string(),
                                  kKey, json_text(json.at(kKey)).substr(0, 40), kVersion));
    }
    return journal_of(json);
  } catch (const Json::exception&) {
    throw DataError(fmt::format("{}: is no journal of an unfinished run", path.string()));
  }
}

void write_journal(const std::filesystem::path& path, const Journal& journal) {
  Json files = Json::array();
  for (const Journal::File& file : journal.files) {
    files.push_back({{"path", file.path},
                     {"bytes", file.extent.bytes},
                     {"pending", base64(file.extent.pending)}});
  }
  const Json out{{kKey, kVersion},
                 {"about", "an unfinished run of croco; the same command with --resume goes on"},
                 {"rows", journal.rows},
                 {"complete", journal.complete},
                 {"files", std::move(files)},
                 {"state", parse_json(journal.state)},
                 {"things", json_of(journal.identity.things)},
                 {"options", json_of(journal.identity.options)}};
  write_file(path, json_text(out, 1, BrokenText::replace) + "\n");
}

}  // namespace croco
