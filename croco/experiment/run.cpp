// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/run.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/sha256.hpp>
#include <croco/base/version.hpp>
#include <croco/experiment/advice_files.hpp>
#include <croco/experiment/prepared_dataset.hpp>
#include <croco/experiment/run_configuration.hpp>
#include <croco/models/network/mlp.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;
/// Per method; null for methods of croco.
using Advices = std::vector<std::unique_ptr<AdviceFiles>>;

Advices read_advices(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const ExperimentDataset& dataset : experiment.datasets) names.push_back(dataset.name);
  Advices out;
  for (const ExperimentMethod& method : experiment.methods) {
    out.push_back(method.is_advice() ? std::make_unique<AdviceFiles>(method.counterfactuals, names)
                                     : nullptr);
  }
  return out;
}

std::vector<bool> with_targets(const Experiment& experiment, const Advices& advices) {
  std::vector<bool> out;
  for (std::size_t m = 0; m < experiment.methods.size(); ++m) {
    const ExperimentMethod& method = experiment.methods[m];
    out.push_back(method.is_advice()
                      ? advices[m]->has_targets()
                      : target_of(make_method(method.method, method.settings,
                                              experiment.targets.front(), experiment.confidence))
                            .has_value());
  }
  return out;
}

/// The grid without the cells that another tool's files say nothing about.
std::vector<Configuration> cells_of(const Experiment& experiment, const Advices& advices,
                                    const std::vector<bool>& has_target) {
  std::vector<Configuration> grid = grid_of(experiment, has_target);
  std::erase_if(grid, [&](const Configuration& cell) {
    const AdviceFiles* advice = advices[cell.method].get();
    return advice != nullptr && advice
                                    ->rows_for(experiment.datasets[cell.dataset].name,
                                               experiment.noises[cell.noise].name, cell.target)
                                    .empty();
  });
  for (std::size_t m = 0; m < advices.size(); ++m) {
    const bool used =
        std::ranges::any_of(grid, [&](const Configuration& cell) { return cell.method == m; });
    if (!used) {
      throw DataError(fmt::format(
          "method '{}': no row of its counterfactuals is for a data set, noise and target of this "
          "experiment",
          experiment.methods[m].name));
    }
  }
  return grid;
}

Json settings_json(const ExperimentMethod& method, const AdviceFiles* advice) {
  const auto set = [](Json& json, const char* key, const auto& value) {
    if (value) json[key] = *value;
  };
  if (advice != nullptr) return {{"counterfactuals_sha256", advice->fingerprints()}};
  const MethodSettings& settings = method.settings;
  Json json{{"method", method.method}};
  if (settings.as_published) json["as_published"] = true;
  if (settings.search != SearchKind::automatic) json["search"] = name_of(settings.search);
  set(json, "margin", settings.margin);
  set(json, "draws", settings.draws);
  set(json, "step_draws", settings.step_draws);
  set(json, "learning_rate", settings.learning_rate);
  set(json, "lambda", settings.lambda);
  set(json, "block_steps", settings.block_steps);
  set(json, "max_blocks", settings.max_blocks);
  return json;
}

Manifest manifest_of(const Experiment& experiment, const std::vector<PreparedDataset>& datasets,
                     const Advices& advices) {
  Manifest out;
  const auto add = [&](std::string kind, std::string name, const Json& value) {
    out.entries.push_back({std::move(kind), std::move(name), json_text(value)});
  };
  add("", "croco", std::string(version()));
  add("", "seed", experiment.seed);
  add("", "people", experiment.people);
  add("", "rate_samples", experiment.rate_samples);
  add("", "certificate_samples", experiment.certificate_samples);
  add("", "confidence", experiment.confidence);
  add("", "prove_people", experiment.prove_people);
  for (std::size_t d = 0; d < datasets.size(); ++d) {
    const ExperimentDataset& dataset = experiment.datasets[d];
    add("dataset", dataset.name,
        {{"model_sha256", datasets[d].loaded.fingerprint},
         {"people_sha256", datasets[d].people_fingerprint},
         {"limits", dataset.limits == Limits::none ? "none" : "schema"},
         {"codec_sha256", sha256(datasets[d].loaded.codec.json())}});
  }
  for (const ExperimentNoise& noise : experiment.noises) {
    add("noise", noise.name,
        {{"noise", noise_text(noise.noise)}, {"on", name_of(noise.noise.scope)}});
  }
  for (std::size_t m = 0; m < experiment.methods.size(); ++m) {
    add("method", experiment.methods[m].name,
        settings_json(experiment.methods[m], advices[m].get()));
  }
  return out;
}

DatasetFacts facts_of(const PreparedDataset& dataset) {
  const Space& space = dataset.loaded.codec.space();
  DatasetFacts out{.model = dataset.loaded.source,
                   .people = dataset.people.size(),
                   .columns = space.width(),
                   .continuous = static_cast<std::size_t>(
                       std::ranges::count_if(space.columns, &Column::continuous)),
                   .trained = dataset.trained,
                   .test_accuracy = dataset.test_accuracy,
                   .test_auc = dataset.test_auc};
  if (const Mlp* network = dataset.loaded.model->network()) {
    out.parameters = network->parameter_count();
  }
  return out;
}

/// How long the rest will take: by the pace of each method so far, or of all where it has none yet.
class Forecast {
 public:
  void add(std::size_t method, double seconds) {
    Pace& pace = paces_[method];
    ++pace.count;
    pace.seconds += seconds;
  }
  [[nodiscard]] std::optional<double> left(std::span<const Configuration> rest) const {
    if (paces_.empty()) return std::nullopt;
    Pace all;
    for (const auto& [method, pace] : paces_) {
      all.count += pace.count;
      all.seconds += pace.seconds;
    }
    double sum = 0;
    for (const Configuration& cell : rest) {
      const auto found = paces_.find(cell.method);
      const Pace& pace = found == paces_.end() ? all : found->second;
      sum += pace.seconds / static_cast<double>(pace.count);
    }
    return sum;
  }

 private:
  struct Pace {
    std::size_t count = 0;
    double seconds = 0.0;
  };
  std::map<std::size_t, Pace> paces_;
};

/// What the certified method's proofs say of everybody's answers to the same question.
void add_ratios(const Experiment& experiment, std::vector<ConfigurationResult>& results) {
  for (ConfigurationResult& result : results) {
    const Configuration& cell = result.configuration;
    result.over_lower.resize(result.people.size());
    const ExperimentMethod& method = experiment.methods[cell.method];
    // What ignores the limits may be below a bound on what respects them.
    const bool comparable = experiment.datasets[cell.dataset].limits == Limits::none ||
                            (!method.is_advice() && !method.settings.as_published);
    if (!comparable || !cell.target) continue;
    for (const ConfigurationResult& other : results) {
      if (other.configuration.dataset != cell.dataset || other.configuration.noise != cell.noise ||
          other.configuration.target != cell.target ||
          experiment.methods[other.configuration.method].method != "certified") {
        continue;
      }
      for (std::size_t i = 0; i < result.people.size() && i < other.people.size(); ++i) {
        const std::optional<double>& lower = other.people[i].lower;
        if (result.people[i].has_advice() && lower && *lower > 0) {
          result.over_lower[i] = result.people[i].cost / *lower;
        }
      }
      break;
    }
  }
}

}  // namespace

std::optional<ExperimentResult> run(const Experiment& experiment, const ResultStore& store,
                                    const RunOptions& options, const std::stop_token& stop) {
  validate(experiment);
  const Advices advices = read_advices(experiment);
  ExperimentResult out{.experiment = experiment};
  out.has_target = with_targets(experiment, advices);
  const std::vector<Configuration> cells = cells_of(experiment, advices, out.has_target);

  std::vector<PreparedDataset> datasets;
  for (const ExperimentDataset& dataset : experiment.datasets) {
    PrepareOptions prepare_options{
        .folder = store.folder(), .data_dir = options.data_dir, .people = experiment.people};
    if (options.training) {
      prepare_options.progress = [&](const TrainProgress& progress) {
        options.training(dataset, progress);
      };
    }
    std::optional<PreparedDataset> prepared = prepare(dataset, prepare_options, stop);
    if (!prepared) return std::nullopt;
    out.datasets.push_back(facts_of(*prepared));
    std::ranges::copy(prepared->failures, std::back_inserter(out.failures));
    datasets.push_back(std::move(*prepared));
  }
  if (options.prepare_only) return out;
  store.join(manifest_of(experiment, datasets, advices));

  Forecast forecast;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Configuration& cell = cells[i];
    const std::filesystem::path path = path_of(experiment, cell);
    if (options.progress) {
      options.progress(
          {i, cells.size(), path.string(), forecast.left(std::span(cells).subspan(i))});
    }
    if (stop.stop_requested()) return std::nullopt;
    std::optional<std::vector<PersonResult>> people = store.read(path);
    if (people) {
      ++out.resumed;
    } else {
      const Stopwatch watch;
      const auto made = run_configuration(experiment, cell, datasets[cell.dataset],
                                          advices[cell.method].get(), options.threads, stop);
      if (!made) return std::nullopt;
      store.write(path, made->results, options.times ? made->time : std::nullopt);
      // What is reported is what was stored, so that an earlier run's results are no different.
      people = store.read(path);
      forecast.add(cell.method, watch.read().elapsed);
    }
    out.configurations.push_back({.configuration = cell,
                                  .people = std::move(*people),
                                  .time = options.times ? store.read_time(path) : std::nullopt});
  }
  if (options.progress) options.progress({cells.size(), cells.size(), "", std::nullopt});
  add_ratios(experiment, out.configurations);
  for (const ConfigurationResult& result : out.configurations) {
    out.aggregates.push_back(aggregate(result));
  }
  return out;
}

}  // namespace croco
