// SPDX-License-Identifier: Apache-2.0
/// The file beside retrained models that says how they came about and which they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace croco {

/// Its name in the folder of the models.
inline constexpr const char* kPopulationManifest = "manifest.json";
inline constexpr int kPopulationVersion = 1;

struct PopulationManifest {
  struct Entry {
    std::string file;
    std::optional<std::uint64_t> seed = {};
    std::string sha256;
  };
  std::string source;  ///< how messages name it
  std::string recipe;  ///< the JSON text of an object
  std::vector<Entry> models = {};
};

/// Throws IoError or DataError naming the file, the key and the rule.
[[nodiscard]] PopulationManifest read_population_manifest(const std::filesystem::path& path);
[[nodiscard]] std::string population_manifest_json(const PopulationManifest& manifest);

}  // namespace croco
