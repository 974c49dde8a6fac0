// SPDX-License-Identifier: Apache-2.0
// Reads the models of one recipe, and splits them into those that a search may see and those that
// certify.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/parallel.hpp>
#include <croco/base/sha256.hpp>
#include <croco/loading/foreign_model.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/loading/population_manifest.hpp>
#include <croco/models/files/model_format.hpp>
#include <croco/models/files/sibling_file.hpp>
#include <croco/models/model_budget.hpp>

namespace croco {
namespace {

namespace fs = std::filesystem;

/// A file of the population as it was read.
struct Member {
  RetrainedModel model;
  std::string sha256;  ///< of the bytes
};

/// The model in the space of `like`. Files of other programs take its codec: what their columns
/// mean does not change by retraining.
LoadedModel load_like(std::string_view bytes, const fs::path& path, const LoadedModel& like,
                      const std::string& encoding, const LoadModelOptions& options) {
  const std::string source = path.string();
  if (!options.encoded && format_of(bytes) != ModelFormat::bundle) {
    if (const auto foreign = read_foreign_model(bytes, source, options, path.parent_path())) {
      return load_foreign_on(*foreign, options, source, fingerprint_of(bytes, *foreign, options),
                             like.codec, like.examples);
    }
  }
  LoadedModel loaded = load_model(path, options);
  if (loaded.codec.json() != encoding) {
    throw ModelError(fmt::format(
        "{}: its encoding is not that of {}; retrained models must share the schema and "
        "the scales of the model in use",
        source, like.source));
  }
  return loaded;
}

/// Reads members. What networks of croco's own format say beside their weights is mostly the same
/// text in all of them, and is read once.
class MemberReader {
 public:
  MemberReader(const LoadedModel& like, const LoadModelOptions& options)
      : like_(like), options_(options), encoding_(like.codec.json()) {}

  /// Reads a member in full; what has the same text beside its weights follows with less.
  [[nodiscard]] Member read_first(const fs::path& path) {
    const std::string bytes = read_file(path, kMaxModelBytes);
    Member member = in_full(bytes, path);
    if (format_of(bytes) != ModelFormat::croco) return member;
    if (auto network = std::dynamic_pointer_cast<const Mlp>(member.model.model)) {
      siblings_.emplace(bytes, std::move(network));
    }
    return member;
  }

  [[nodiscard]] Member read(const fs::path& path) const {
    const std::string bytes = read_file(path, kMaxModelBytes);
    std::shared_ptr<const Mlp> network = siblings_ ? siblings_->read(bytes) : nullptr;
    if (!network) return in_full(bytes, path);
    std::string digest = sha256(bytes);
    require_other(digest, path);
    return {{path.filename().string(), digest, std::move(network)}, digest};
  }

 private:
  [[nodiscard]] Member in_full(std::string_view bytes, const fs::path& path) const {
    LoadedModel loaded = load_like(bytes, path, like_, encoding_, options_);
    if (loaded.label_decides != like_.label_decides ||
        loaded.own_threshold != like_.own_threshold) {
      throw ModelError(fmt::format("{}: it does not decide at the threshold that {} decides at",
                                   path.string(), like_.source));
    }
    require_other(loaded.fingerprint, path);
    return {{path.filename().string(), std::move(loaded.fingerprint), std::move(loaded.model)},
            sha256(bytes)};
  }

  void require_other(const std::string& fingerprint, const fs::path& path) const {
    if (fingerprint != like_.fingerprint) return;
    throw ModelError(
        fmt::format("{}: it is the model in use, {}; statements about retrained models rest on "
                    "others",
                    path.string(), like_.source));
  }

  const LoadedModel& like_;
  const LoadModelOptions& options_;
  std::string encoding_;
  std::optional<SiblingFiles> siblings_;
};

void require_no_doubles(const std::vector<Member>& members) {
  std::map<std::string_view, std::string_view> by_fingerprint;
  std::set<std::string_view> names;
  for (const Member& member : members) {
    const auto [place, added] = by_fingerprint.emplace(member.model.fingerprint, member.model.file);
    if (!added) {
      throw ModelError(
          fmt::format("{} and {} are the same model; models must be drawn independently",
                      place->second, member.model.file));
    }
    if (!names.insert(member.model.file).second) {
      throw ModelError(fmt::format("two models are named {}; certificates name them by their files",
                                   member.model.file));
    }
  }
}

/// Exactly the models of the manifest: a set that somebody picked from is no sample of the recipe.
void require_manifest(const PopulationManifest& manifest, const std::vector<Member>& members) {
  std::map<std::string, std::string> stated;
  for (const PopulationManifest::Entry& entry : manifest.models) {
    stated.emplace(entry.file, entry.sha256);
  }
  for (const Member& member : members) {
    const auto found = stated.find(member.model.file);
    if (found == stated.end()) {
      throw ModelError(fmt::format("{} does not name {}; the models must be exactly those it names",
                                   manifest.source, member.model.file));
    }
    if (found->second != member.sha256) {
      throw ModelError(fmt::format("{}: SHA-256 {}..., and {} names {}...", member.model.file,
                                   member.sha256.substr(0, 16), manifest.source,
                                   found->second.substr(0, 16)));
    }
    stated.erase(found);
  }
  if (stated.empty()) return;
  throw ModelError(fmt::format("{} of the {} models that {} names {} missing, {} among them",
                               stated.size(), manifest.models.size(), manifest.source,
                               stated.size() == 1 ? "is" : "are", stated.begin()->first));
}

}  // namespace

ModelPopulation load_population(const std::vector<fs::path>& files, const LoadedModel& like,
                                const LoadModelOptions& options,
                                const PopulationOptions& population) {
  if (like.remote) {
    throw InvalidArgument(
        "models are given with a remote model; retrained models are compared with a model file");
  }
  std::vector<fs::path> paths;
  std::set<fs::path> folders;
  for (const fs::path& path : files) {
    folders.insert(path.parent_path());
    if (path.filename() != kPopulationManifest) paths.push_back(path);
  }
  if (paths.empty()) throw InvalidArgument("models names no model file; it must name at least 1");
  std::vector<Member> members(paths.size());
  MemberReader reader(like, options);
  members[0] = reader.read_first(paths[0]);
  parallel_for(paths.size() - 1, population.threads,
               [&](std::size_t i) { members[i + 1] = reader.read(paths[i + 1]); });
  require_no_doubles(members);

  ModelPopulation out;
  if (folders.size() == 1) {
    const fs::path path = *folders.begin() / kPopulationManifest;
    if (fs::exists(path)) {
      const PopulationManifest manifest = read_population_manifest(path);
      require_manifest(manifest, members);
      out.recipe = manifest.recipe;
    }
  }
  std::ranges::sort(members, {}, [](const Member& one) { return one.model.fingerprint; });
  const std::size_t searching = population.search_models.value_or(members.size() / 3);
  if (searching >= members.size()) {
    throw InvalidArgument(
        fmt::format("search-models is {}; of {} models at least 1 must be left to certify",
                    searching, members.size()));
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    (i < searching ? out.search : out.certify).push_back(std::move(members[i].model));
  }
  return out;
}

}  // namespace croco
