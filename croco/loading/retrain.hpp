// SPDX-License-Identifier: Apache-2.0
/// Trains a population of models like a given one: what the model in use might be replaced by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include <croco/data/csv.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/models/training/train.hpp>

namespace croco {

/// `seed`, `bootstrap`, `half`.
[[nodiscard]] std::string_view name_of(Resample resample) noexcept;
/// Throws InvalidArgument naming the text and what there is.
[[nodiscard]] Resample parse_resample(std::string_view text);

struct RetrainOptions {
  std::size_t count = 150;  ///< models, 1 .. 100,000
  /// Of training; layers and activation are those of the model. `seed` is that of the
  /// models' own seeds. Where rows are resampled, each model splits them with its own; otherwise
  /// all of them have the split of `croco train`.
  TrainOptions train = {};
  MissingPolicy missing = MissingPolicy::error;
  unsigned threads = 0;  ///< 0: all that the machine has; models do not depend on it
};

struct Retrained {
  std::size_t trained = 0;  ///< now
  std::size_t kept = 0;     ///< that were there already
  bool finished = false;    ///< false when `stop` ended it
};

/// Writes model-0000.json ... and a manifest into the folder, which is made if need be. Model i is
/// a function of the recipe and i alone, files appear whole, and those that are there are not
/// trained again: a run that was killed goes on where it was, and more models may be added later.
/// `progress` hears how many are there. Throws ModelError when the model is no network of croco's
/// own format with an encoding, DataError when the folder holds models of another recipe, and what
/// reading and training throw.
Retrained retrain(const CsvTable& table, const LoadedModel& like,
                  const std::filesystem::path& folder, const RetrainOptions& options,
                  const std::function<void(std::size_t)>& progress = {},
                  const std::stop_token& stop = {});

}  // namespace croco
