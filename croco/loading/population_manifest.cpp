// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/population_manifest.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/json_text.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

PopulationManifest read_population_manifest(const std::filesystem::path& path) {
  PopulationManifest out{.source = path.string(), .recipe = {}};
  const auto require = [&](bool holds, std::string_view rule) {
    if (!holds) throw DataError(fmt::format("{}: {}", out.source, rule));
  };
  const Json parsed = try_parse_json(read_file(path));
  require(parsed.is_object(), "the manifest of models must be a JSON object");
  require(parsed.value("croco_models", Json()) == Json(kPopulationVersion),
          fmt::format("'croco_models', the version of the format, must be {}", kPopulationVersion));
  require(parsed.contains("recipe") && parsed["recipe"].is_object(),
          "'recipe' must be an object that says how the models are trained");
  require(parsed.contains("models") && parsed["models"].is_array(),
          "'models' must be an array of objects with 'file' and 'sha256'");
  out.recipe = json_text(parsed["recipe"], -1, BrokenText::replace);
  for (const Json& entry : parsed["models"]) {
    require(entry.is_object() && entry.value("file", Json()).is_string() &&
                entry.value("sha256", Json()).is_string(),
            "'models' must be an array of objects with 'file' and 'sha256'");
    PopulationManifest::Entry& one = out.models.emplace_back();
    one.file = entry["file"].get<std::string>();
    one.sha256 = entry["sha256"].get<std::string>();
    if (entry.contains("seed") && entry["seed"].is_number_unsigned()) {
      one.seed = entry["seed"].get<std::uint64_t>();
    }
  }
  return out;
}

std::string population_manifest_json(const PopulationManifest& manifest) {
  Json out;
  out["croco_models"] = kPopulationVersion;
  out["recipe"] = parse_json(manifest.recipe);
  out["models"] = Json::array();
  for (const PopulationManifest::Entry& one : manifest.models) {
    Json entry{{"file", one.file}};
    if (one.seed) entry["seed"] = *one.seed;
    entry["sha256"] = one.sha256;
    out["models"].push_back(std::move(entry));
  }
  return json_text(out, 1) + "\n";
}

}  // namespace croco
