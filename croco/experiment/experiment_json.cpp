// SPDX-License-Identifier: Apache-2.0
// The JSON format of experiments; docs/results/reproduction.md describes it.
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/json_check.hpp>
#include <croco/base/json_text.hpp>
#include <croco/data/catalog.hpp>
#include <croco/data/json_object.hpp>
#include <croco/experiment/experiment.hpp>

namespace croco {

namespace embedded {
// NOLINTNEXTLINE(readability-identifier-naming): named after the file
extern const std::string_view paper_experiment;
}  // namespace embedded

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kExperimentKey = "croco_experiment";
constexpr std::uintmax_t kMaxBytes = std::uintmax_t{16} << 20U;
constexpr std::array<std::pair<const char*, Limits>, 2> kLimits = {
    {{"none", Limits::none}, {"schema", Limits::schema}}};

/// Messages of the parts that know nothing of the file begin with the place in it.
template <typename Function>
auto at(const JsonObject& place, Function function) {
  try {
    return function();
  } catch (const InvalidArgument& error) {
    place.fail(error.what());
  }
}

std::string named(const Json& json, std::string_view kind, std::size_t position,
                  const std::string& source) {
  if (json.is_object() && json.contains("name") && json["name"].is_string()) {
    return fmt::format("{}: {} '{}'", source, kind, json["name"].get<std::string>());
  }
  return fmt::format("{}: {} {}", source, kind, position + 1);
}

fs::path path_at(const JsonObject& object, const char* key, const fs::path& folder) {
  const std::string text = object.text_or(key);
  return text.empty() ? fs::path() : folder / text;
}

TrainOptions parse_train(const Json& json, const std::string& where) {
  const JsonObject object(
      json, where + ": train",
      {"hidden", "activation", "epochs", "batch", "learning_rate", "weight_decay", "test_share",
       "validation_share", "patience", "class_weights", "seed"});
  TrainOptions train;
  if (const Json* hidden = object.find("hidden")) {
    if (!hidden->is_array()) object.fail("'hidden' must be an array of whole numbers");
    train.hidden.clear();
    for (const Json& units : *hidden) {
      if (!units.is_number_unsigned()) {
        object.fail(fmt::format("'hidden' holds {}; it must hold whole numbers", json_text(units)));
      }
      train.hidden.push_back(units.get<std::size_t>());
    }
  }
  train.activation =
      at(object, [&] { return parse_activation(object.text_or("activation", "relu")); });
  train.epochs = object.count("epochs").value_or(train.epochs);
  train.batch = object.count("batch").value_or(train.batch);
  train.learning_rate = object.number("learning_rate").value_or(train.learning_rate);
  train.weight_decay = object.number("weight_decay").value_or(train.weight_decay);
  train.test_share = object.number("test_share").value_or(train.test_share);
  train.validation_share = object.number("validation_share").value_or(train.validation_share);
  train.patience = object.count("patience").value_or(train.patience);
  constexpr std::array<std::pair<const char*, ClassWeights>, 2> kWeights = {
      {{"equal", ClassWeights::equal}, {"balanced", ClassWeights::balanced}}};
  if (object.find("class_weights") != nullptr) {
    train.class_weights = object.choice("class_weights", kWeights);
  }
  train.seed = object.count("seed").value_or(train.seed);
  return train;
}

ExperimentDataset parse_dataset(const Json& json, std::size_t position, const std::string& source,
                                const fs::path& folder) {
  const JsonObject object(
      json, named(json, "dataset", position, source),
      {"name", "label", "data", "schema", "model", "people", "limits", "train"});
  ExperimentDataset out{.name = object.text("name"), .label = object.text_or("label")};
  out.data = object.text_or("data");
  if (!out.data.empty() && find_entry(out.data) == nullptr) out.data = (folder / out.data).string();
  out.schema = path_at(object, "schema", folder);
  out.model = path_at(object, "model", folder);
  out.people = path_at(object, "people", folder);
  if (object.find("limits") != nullptr) out.limits = object.choice("limits", kLimits);
  if (const Json* train = object.find("train")) {
    if (!out.model.empty()) object.fail("'train' and 'model' exclude each other");
    out.train = parse_train(*train, object.where());
  }
  return out;
}

ExperimentNoise parse_noise_entry(const Json& json, std::size_t position,
                                  const std::string& source) {
  const JsonObject object(json, named(json, "noise", position, source),
                          {"name", "label", "noise", "on"});
  ExperimentNoise out{.name = object.text("name"), .label = object.text_or("label")};
  out.noise = at(object, [&] { return parse_noise(object.text("noise")); });
  out.noise.scope = at(object, [&] { return parse_scope(object.text_or("on", "all")); });
  return out;
}

/// A count under its key, or under the one that it had formerly.
std::optional<std::size_t> renamed_count(const JsonObject& object, const char* key,
                                         const char* former) {
  const std::optional<std::size_t> value = object.count(key);
  const std::optional<std::size_t> old = object.count(former);
  if (value && old) {
    object.fail(fmt::format("'{}' is the former name of '{}'; only one can be given", former, key));
  }
  return value ? value : old;
}

ExperimentMethod parse_method(const Json& json, std::size_t position, const std::string& source,
                              const fs::path& folder) {
  const JsonObject object(json, named(json, "method", position, source),
                          {"name", "label", "note", "method", "as_published", "search", "margin",
                           "bound_samples", "step_samples", "draws", "step_draws", "learning_rate",
                           "lambda", "block_steps", "max_blocks", "counterfactuals"});
  ExperimentMethod out{.name = object.text("name"),
                       .label = object.text_or("label"),
                       .note = object.text_or("note"),
                       .method = object.text_or("method")};
  MethodSettings& settings = out.settings;
  settings.as_published = object.truth("as_published").value_or(false);
  settings.search = at(object, [&] { return parse_search(object.text_or("search", "auto")); });
  settings.margin = object.number("margin");
  settings.draws = renamed_count(object, "bound_samples", "draws");
  settings.step_draws = renamed_count(object, "step_samples", "step_draws");
  settings.learning_rate = object.number("learning_rate");
  settings.lambda = object.number("lambda");
  settings.block_steps = object.count("block_steps");
  settings.max_blocks = object.count("max_blocks");
  for (const std::string& file : object.texts("counterfactuals", "file")) {
    out.counterfactuals.push_back(folder / file);
  }
  return out;
}

}  // namespace

Experiment parse_experiment(std::string_view json, const std::string& source,
                            const fs::path& folder) {
  check_json(json, source);
  const Json document = parse_json(json);
  if (document.is_object()) check_version(document, kExperimentKey, kExperimentVersion, source);
  const JsonObject object(
      document, source,
      {kExperimentKey, "title", "description", "seed", "people", "rate_samples", "certificate",
       "prove_people", "datasets", "noises", "targets", "methods"});
  Experiment out;
  out.title = object.text_or("title");
  out.description = object.text_or("description");
  out.seed = object.count("seed").value_or(out.seed);
  out.people = object.count("people").value_or(out.people);
  out.rate_samples = object.count("rate_samples").value_or(out.rate_samples);
  out.prove_people = object.count("prove_people").value_or(out.prove_people);
  if (const Json* certificate = object.find("certificate")) {
    const JsonObject keys(*certificate, source + ": certificate", {"samples", "confidence"});
    out.certificate_samples = keys.count("samples").value_or(out.certificate_samples);
    out.confidence = keys.number("confidence").value_or(out.confidence);
  }
  const Json& datasets = object.array("datasets");
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    out.datasets.push_back(parse_dataset(datasets[i], i, source, folder));
  }
  const Json& noises = object.array("noises");
  for (std::size_t i = 0; i < noises.size(); ++i) {
    out.noises.push_back(parse_noise_entry(noises[i], i, source));
  }
  for (const Json& target : object.array("targets")) {
    if (!target.is_number()) {
      object.fail(fmt::format("'targets' holds {}; each must be a number", json_text(target)));
    }
    out.targets.push_back(target.get<double>());
  }
  const Json& methods = object.array("methods");
  for (std::size_t i = 0; i < methods.size(); ++i) {
    out.methods.push_back(parse_method(methods[i], i, source, folder));
  }
  try {
    validate(out);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", source, error.what()));
  }
  return out;
}

Experiment read_experiment(const fs::path& path) {
  return parse_experiment(read_file(path, kMaxBytes), path.string(), path.parent_path());
}

std::string_view paper_experiment_text() noexcept { return embedded::paper_experiment; }

Experiment paper_experiment() {
  return parse_experiment(embedded::paper_experiment, "the paper's experiment", {});
}

}  // namespace croco
