// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/retrain.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/parallel.hpp>
#include <croco/base/random.hpp>
#include <croco/base/sha256.hpp>
#include <croco/base/temporary_file.hpp>
#include <croco/data/dataset.hpp>
#include <croco/loading/fitted_model.hpp>
#include <croco/loading/population_manifest.hpp>

namespace croco {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> kResamples{"seed", "bootstrap", "half"};
constexpr std::size_t kMostModels = 100'000;

std::string file_name(std::size_t model) { return fmt::format("model-{:04}.json", model); }

/// Whole in every reader of JSON: 53 bits.
std::uint64_t seed_of(std::uint64_t seed, std::size_t model) {
  const auto words = random_words({seed, Purpose::train, 4}, model, 0);
  return (std::uint64_t{words[0]} << 21U) ^ (words[1] >> 11U);
}

const Mlp& network_of(const LoadedModel& like) {
  const Mlp* network = like.model->network();
  if (network != nullptr && like.program.empty() && !like.remote) return *network;
  throw ModelError(fmt::format(
      "{}: croco trains networks of its own format alone; models of other programs are retrained "
      "by the program that made them",
      like.source));
}

TrainOptions training_of(const LoadedModel& like, const TrainOptions& given) {
  const Mlp& network = network_of(like);
  TrainOptions out = given;
  out.hidden.clear();
  for (std::size_t i = 0; i + 1 < network.layers().size(); ++i) {
    out.hidden.push_back(network.layers()[i].outputs);
  }
  out.activation = network.hidden_activation();
  // Where rows are resampled, each model splits them anew: with one split for all, models would be
  // alike for the few rows that stop their training, and those of another seed would not be models
  // of the same recipe. Where the seed alone differs, rows stay where `croco train` has them.
  if (given.resample == Resample::none) out.split_seed = 0;
  return out;
}

/// The data as they were encoded: the same rows from another file are the same data.
std::string data_fingerprint(const Dataset& data) {
  Sha256 hash;
  const auto bytes = [](const auto& values) {
    return std::string_view(reinterpret_cast<const char*>(values.data()),  // NOLINT
                            values.size() * sizeof(values[0]));
  };
  hash.update(bytes(data.points.data));
  hash.update(bytes(data.labels));
  return hash.finish();
}

std::string recipe_json(const LoadedModel& like, const Dataset& data, const TrainOptions& train,
                        MissingPolicy missing) {
  Json out;
  out["trained_by"] = "croco retrain";
  out["like_sha256"] = like.fingerprint;
  out["rows"] = data.labels.size();
  out["encoded_data_sha256"] = data_fingerprint(data);
  out["resample"] = name_of(train.resample);
  out["split"] = train.split_seed ? "shared" : "own";
  out["seed"] = train.seed;
  out["missing"] = missing == MissingPolicy::drop     ? "drop"
                   : missing == MissingPolicy::impute ? "impute"
                                                      : "error";
  out["hidden"] = train.hidden;
  out["activation"] = name_of(train.activation);
  out["epochs"] = train.epochs;
  out["batch"] = train.batch;
  out["learning_rate"] = train.learning_rate;
  out["weight_decay"] = train.weight_decay;
  out["test_share"] = train.test_share;
  out["validation_share"] = train.validation_share;
  out["patience"] = train.patience;
  out["class_weights"] = train.class_weights == ClassWeights::balanced ? "balanced" : "equal";
  return json_text(out);
}

/// What is in the folder already: nothing, or models of this very recipe.
PopulationManifest begun(const fs::path& folder, const std::string& recipe) {
  const fs::path path = folder / kPopulationManifest;
  if (!fs::exists(path)) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      throw DataError(fmt::format(
          "{}: the folder holds '{}' and no manifest; retrained models need a folder of their own",
          folder.string(), entry.path().filename().string()));
    }
    PopulationManifest fresh{.source = path.string(), .recipe = recipe};
    write_file(path, population_manifest_json(fresh));
    return fresh;
  }
  PopulationManifest manifest = read_population_manifest(path);
  const Json ours = parse_json(recipe);
  const Json theirs = parse_json(manifest.recipe);
  for (const auto& [key, value] : ours.items()) {
    const auto found = theirs.find(key);
    if (found != theirs.end() && *found == value) continue;
    throw DataError(fmt::format(
        "{}: the models there have '{}' {}, and it is {} now; another recipe needs another folder",
        folder.string(), key, found == theirs.end() ? "none" : json_text(*found),
        json_text(value)));
  }
  return manifest;
}

}  // namespace

std::string_view name_of(Resample resample) noexcept {
  return kResamples[static_cast<std::size_t>(resample)];
}

Resample parse_resample(std::string_view text) {
  const auto* const found = std::ranges::find(kResamples, text);
  if (found == kResamples.end()) {
    throw InvalidArgument(
        fmt::format("resample is '{}'; it must be seed, bootstrap or half", text));
  }
  return static_cast<Resample>(found - kResamples.begin());
}

Retrained retrain(const CsvTable& table, const LoadedModel& like, const fs::path& folder,
                  const RetrainOptions& options, const std::function<void(std::size_t)>& progress,
                  const std::stop_token& stop) {
  if (options.count < 1 || options.count > kMostModels) {
    throw InvalidArgument(
        fmt::format("count is {}; it must be between 1 and {}", options.count, kMostModels));
  }
  const TrainOptions train_options = training_of(like, options.train);
  validate(train_options);
  const Dataset data = encode_dataset(table, like.codec, options.missing);
  fs::create_directories(folder);
  remove_unfinished_files(folder);
  PopulationManifest manifest =
      begun(folder, recipe_json(like, data, train_options, options.missing));
  const std::size_t count = std::max(options.count, manifest.models.size());
  std::vector<PopulationManifest::Entry> entries(count);
  std::atomic<std::size_t> there = 0;
  std::atomic<std::size_t> trained = 0;
  std::mutex reporting;
  parallel_for(count, options.threads, [&](std::size_t i) {
    if (stop.stop_requested()) return;
    PopulationManifest::Entry& entry = entries[i];
    entry.file = file_name(i);
    entry.seed = seed_of(options.train.seed, i);
    const fs::path path = folder / entry.file;
    const bool stated = i < manifest.models.size();
    if (fs::exists(path)) {
      entry.sha256 = sha256(read_file(path));
    } else {
      TrainOptions own = train_options;
      own.seed = *entry.seed;
      const TrainResult result = train(data.points.rows(), data.labels, own, {}, stop);
      if (stop.stop_requested()) return;
      const std::string file =
          model_file_text(fmt::format("{} {}", like.name, i), result.model, like.codec);
      entry.sha256 = sha256(file);
      write_file(path, file);
      ++trained;
    }
    if (stated && manifest.models[i].sha256 != entry.sha256) {
      throw DataError(fmt::format("{}: SHA-256 {}..., and {} names {}...", path.string(),
                                  entry.sha256.substr(0, 16), manifest.source,
                                  manifest.models[i].sha256.substr(0, 16)));
    }
    const std::scoped_lock lock(reporting);
    ++there;
    if (progress) progress(there);
  });
  Retrained out{.trained = trained, .kept = there - trained, .finished = !stop.stop_requested()};
  if (!out.finished) return out;
  manifest.models = std::move(entries);
  write_file(folder / kPopulationManifest, population_manifest_json(manifest));
  return out;
}

}  // namespace croco
