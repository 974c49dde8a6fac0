// SPDX-License-Identifier: Apache-2.0
/// A data set of an experiment made ready: the model is trained or loaded, the people are chosen.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <croco/data/csv.hpp>
#include <croco/experiment/experiment.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/loading/loaded_model.hpp>

namespace croco {

struct PreparedDataset {
  LoadedModel loaded;
  CsvTable table;              ///< the people's rows
  std::vector<Person> people;  ///< the same, read
  std::string people_fingerprint;
  std::vector<std::string> failures = {};  ///< why rows cannot be read, with their places
  bool trained = false;
  std::optional<double> test_accuracy = {};  ///< of a model that was trained here
  std::optional<double> test_auc = {};
};

struct PrepareOptions {
  /// What is made is written here: `models/NAME.json` with `models/NAME.training.json`, and
  /// `people/NAME.csv`. A model that is there already and was trained on the same data with the
  /// same options is used again.
  std::filesystem::path folder;
  std::optional<std::filesystem::path> data_dir = {};  ///< where files of the catalogue are
  std::size_t people = 500;
  std::function<void(const TrainProgress&)> progress = {};
};

/// Nothing when `stop` was requested while a model was trained. Throws IoError, DataError or
/// ModelError.
[[nodiscard]] std::optional<PreparedDataset> prepare(const ExperimentDataset& dataset,
                                                     const PrepareOptions& options,
                                                     const std::stop_token& stop = {});

}  // namespace croco
