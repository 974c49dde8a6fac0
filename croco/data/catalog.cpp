// SPDX-License-Identifier: Apache-2.0
#include <croco/data/catalog.hpp>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/sha256.hpp>

namespace croco {

// Defined by sources that cmake/embed.cmake generates from data/.
namespace embedded {
// NOLINTBEGIN(readability-identifier-naming): named after the files
extern const std::string_view german_credit_csv;
extern const std::string_view german_schema;
extern const std::string_view adult_schema;
extern const std::string_view compas_schema;
extern const std::string_view give_me_some_credit_schema;
// NOLINTEND(readability-identifier-naming)
}  // namespace embedded

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCarlaLicence = "MIT (github.com/carla-recourse/cf-data)";

std::vector<std::string> carla_urls(std::string_view file) {
  constexpr std::string_view kBase = "https://raw.githubusercontent.com/carla-recourse/cf-data";
  return {fmt::format("{}/main/{}", kBase, file), fmt::format("{}/master/{}", kBase, file)};
}

CatalogEntry carla_entry(std::string name, std::string file, std::size_t rows, std::string digest,
                         std::string description) {
  std::vector<std::string> urls = carla_urls(file);
  return {.name = std::move(name),
          .file = std::move(file),
          .rows = rows,
          .sha256 = std::move(digest),
          .urls = std::move(urls),
          .description = std::move(description),
          .licence = std::string(kCarlaLicence),
          .embedded = false};
}

std::vector<CatalogEntry> make_catalog() {
  std::vector<CatalogEntry> entries;
  entries.push_back({.name = "german",
                     .file = "german_credit.csv",
                     .rows = 1'000,
                     .sha256 = "38b6dbf6fb4b0311a3ffc005730f42623128591fb36473ab3c22d270c0467632",
                     .urls = {},
                     .description = "Statlog German Credit: is an applicant a good credit risk?",
                     .licence = "CC BY 4.0, H. Hofmann 1994, doi:10.24432/C5NC77",
                     .embedded = true});
  entries.push_back(carla_entry("adult", "adult.csv", 48'832,
                                "e98ef37848b34919802d9e110718dd02ccbc8ec0369677f92bb1fd40b71eccdc",
                                "Adult census: does a person earn more than 50,000 USD a year?"));
  entries.push_back(carla_entry("compas", "compas.csv", 6'172,
                                "e99430e4bdeebc858ba22726be3c3924c8435e6c890e2ae7f52d0411a3cc0516",
                                "COMPAS: is a defendant scored below a high risk of reoffending?"));
  entries.push_back(
      carla_entry("give-me-some-credit", "give_me_some_credit.csv", 115'527,
                  "a79d610d1d3e1e8ee1906185cd958c671391fe4866a02f79c148ac6685a6dcb0",
                  "Give Me Some Credit: will a borrower stay free of serious delinquency?"));
  return entries;
}

std::string normalised(std::string_view name) {
  std::string result(name);
  std::ranges::transform(result, result.begin(), [](char c) {
    if (c == '_') return '-';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (result == "gsc") return "give-me-some-credit";
  if (result == "german-credit") return "german";
  return result;
}

/// An empty variable counts as unset, as the XDG base directory specification has it.
std::optional<fs::path> path_from_environment(const char* variable) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in the library changes the environment
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return fs::path(value);
}

std::optional<fs::path> find_cache_folder() {
  if (const auto cache = path_from_environment("XDG_CACHE_HOME"); cache && cache->is_absolute()) {
    return *cache / "croco";
  }
  if (const auto home = path_from_environment("HOME")) return *home / ".cache" / "croco";
  return std::nullopt;
}

std::string not_found_message(const CatalogEntry& entry, const std::vector<fs::path>& folders) {
  std::string message = fmt::format("data set '{}': {} was not found", entry.name, entry.file);
  if (folders.empty()) {
    message +=
        "; there is no folder to look in, because --data-dir, $CROCO_DATA_DIR, $XDG_CACHE_HOME and "
        "$HOME are all unset";
  }
  const char* separator = " in ";
  for (const fs::path& folder : folders) {
    message += fmt::format("{}{}", std::exchange(separator, ", "), folder.string());
  }
  message += fmt::format("; run `croco data fetch {}`, or put the file into ", entry.name);
  message += folders.empty() ? "a folder named by --data-dir" : "one of these folders by hand";
  if (!entry.urls.empty()) message += fmt::format(" (it comes from {})", entry.urls.front());
  return message;
}

std::string_view embedded_text(const CatalogEntry& entry) {
  if (entry.name == "german") return embedded::german_credit_csv;
  throw InvalidArgument(fmt::format("data set '{}': croco embeds no such set", entry.name));
}

std::string read_verified(const CatalogEntry& entry, const fs::path& path, bool allow_modified) {
  std::string text = read_file(path);
  if (allow_modified) return text;
  if (const std::string digest = sha256(text); digest != entry.sha256) {
    throw DataError(
        fmt::format("{}: this is not the file that '{}' stands for: its SHA-256 is {}, expected {}",
                    path.string(), entry.name, digest, entry.sha256));
  }
  return text;
}

}  // namespace

const std::vector<CatalogEntry>& catalog() {
  static const std::vector<CatalogEntry> entries = make_catalog();
  return entries;
}

const CatalogEntry* find_entry(std::string_view name) {
  const auto found = std::ranges::find(catalog(), normalised(name), &CatalogEntry::name);
  return found == catalog().end() ? nullptr : &*found;
}

Schema catalog_schema(const CatalogEntry& entry) {
  const std::pair<std::string_view, std::string_view> schemas[] = {
      {"german", embedded::german_schema},
      {"adult", embedded::adult_schema},
      {"compas", embedded::compas_schema},
      {"give-me-some-credit", embedded::give_me_some_credit_schema}};
  for (const auto& [name, text] : schemas) {
    if (name == entry.name) return parse_schema(text, fmt::format("schema of '{}'", name));
  }
  throw InvalidArgument(fmt::format("data set '{}': the catalogue has no such name", entry.name));
}

fs::path cache_folder() {
  if (const auto folder = find_cache_folder()) return *folder;
  throw IoError(
      "no cache folder: $XDG_CACHE_HOME is not an absolute path and $HOME is unset; one of them is "
      "needed");
}

std::vector<fs::path> search_folders(const DataLocations& locations) {
  std::vector<fs::path> folders;
  for (const auto& folder :
       {locations.data_dir, path_from_environment("CROCO_DATA_DIR"), find_cache_folder()}) {
    if (folder && !folder->empty() && std::ranges::find(folders, *folder) == folders.end()) {
      folders.push_back(*folder);
    }
  }
  return folders;
}

RowSource open_dataset(const CatalogEntry& entry, const LoadOptions& options) {
  if (entry.embedded) return RowSource::text(entry.file, std::string(embedded_text(entry)));
  const std::vector<fs::path> folders = search_folders(options.locations);
  for (const fs::path& folder : folders) {
    const fs::path path = folder / entry.file;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    return RowSource::text(path.string(), read_verified(entry, path, options.allow_modified));
  }
  throw IoError(not_found_message(entry, folders));
}

CsvTable load_dataset(const CatalogEntry& entry, const LoadOptions& options) {
  return open_dataset(entry, options).table();
}

}  // namespace croco
