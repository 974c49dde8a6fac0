// SPDX-License-Identifier: Apache-2.0
/// Runs an experiment in a folder, goes on where an earlier run stopped, and returns what is there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <croco/experiment/aggregate.hpp>
#include <croco/experiment/experiment.hpp>
#include <croco/experiment/result_store.hpp>

namespace croco {

/// After each configuration, and before the first.
struct RunProgress {
  std::size_t done = 0;
  std::size_t total = 0;
  std::string configuration;           ///< the next one, `adult/0.005/0.05/croco`
  std::optional<double> seconds_left;  ///< once enough is known
};

struct RunOptions {
  std::optional<std::filesystem::path> data_dir = {};
  unsigned threads = 1;  ///< 0: all there are
  /// Keep what the answers took. Nothing else in the results differs from run to run.
  bool times = true;
  /// Train and choose people only.
  bool prepare_only = false;
  std::function<void(const RunProgress&)> progress = {};
  /// While the model of a data set is trained.
  std::function<void(const ExperimentDataset& dataset, const TrainProgress&)> training = {};
};

/// What a report says of a data set.
struct DatasetFacts {
  std::string model;  ///< path
  std::size_t people = 0;
  std::size_t columns = 0;
  std::size_t continuous = 0;
  bool trained = false;
  std::optional<std::size_t> parameters = {};
  std::optional<double> test_accuracy = {};
  std::optional<double> test_auc = {};
};

struct ExperimentResult {
  Experiment experiment;
  std::vector<DatasetFacts> datasets = {};               ///< as in the experiment
  std::vector<bool> has_target = {};                     ///< per method
  std::vector<ConfigurationResult> configurations = {};  ///< in the order of the grid
  std::vector<Aggregate> aggregates = {};                ///< of each of them
  std::vector<std::string> failures = {};  ///< rows that could not be read: their status is error
  std::size_t resumed = 0;                 ///< of them that were there already
};

/// Nothing when `stop` was requested: what was finished is in the store. The result is a function
/// of the experiment and its files, not of how often the run was stopped; times apart. Throws
/// IoError, DataError, ModelError, and InvalidArgument when the store holds another experiment.
[[nodiscard]] std::optional<ExperimentResult> run(const Experiment& experiment,
                                                  const ResultStore& store,
                                                  const RunOptions& options,
                                                  const std::stop_token& stop = {});

}  // namespace croco
