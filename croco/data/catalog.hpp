// SPDX-License-Identifier: Apache-2.0
/// Data sets by name: German Credit is part of croco, the others are files that are found in a
/// folder or fetched once. A file counts only when its SHA-256 is the one on record.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/data/csv.hpp>
#include <croco/data/row_source.hpp>
#include <croco/data/schema.hpp>

namespace croco {

/// One data set that croco knows by name.
struct CatalogEntry {
  std::string name;               ///< "give-me-some-credit"
  std::string file;               ///< "give_me_some_credit.csv"
  std::size_t rows = 0;           ///< without the header
  std::string sha256;             ///< of the file, 64 lower-case hexadecimal digits
  std::vector<std::string> urls;  ///< tried in this order; empty for an embedded set
  std::string description;        ///< one line
  std::string licence;
  bool embedded = false;  ///< part of the library: no file is needed
};

/// Every data set, the embedded one first.
[[nodiscard]] const std::vector<CatalogEntry>& catalog();

/// The entry of that name, or null. Case, `_` and `-` do not matter; `gsc` is short for
/// give-me-some-credit and `german-credit` the same as german.
[[nodiscard]] const CatalogEntry* find_entry(std::string_view name);

/// The schema that ships with croco for a data set of the catalogue. Throws InvalidArgument for an
/// entry that is not from there.
[[nodiscard]] Schema catalog_schema(const CatalogEntry& entry);

/// Where data files are looked for, apart from the environment.
struct DataLocations {
  std::optional<std::filesystem::path> data_dir;  ///< comes first
};

/// The user's cache: `$XDG_CACHE_HOME/croco` when that is an absolute path, else
/// `$HOME/.cache/croco`. Throws IoError when neither variable helps.
[[nodiscard]] std::filesystem::path cache_folder();

/// The folders to search, in this order: `data_dir`, `$CROCO_DATA_DIR`, the user's cache. Unset
/// ones are left out, and so are repetitions.
[[nodiscard]] std::vector<std::filesystem::path> search_folders(const DataLocations& locations);

struct LoadOptions {
  DataLocations locations;
  bool allow_modified = false;  ///< accept a file whose SHA-256 is another
};

/// The rows of a data set: the embedded text, or the first file found in `search_folders`. Throws
/// IoError naming every folder tried when there is none, DataError naming both digests when the
/// file is another one.
[[nodiscard]] RowSource open_dataset(const CatalogEntry& entry, const LoadOptions& options = {});
/// The same, all at once.
[[nodiscard]] CsvTable load_dataset(const CatalogEntry& entry, const LoadOptions& options = {});

}  // namespace croco
