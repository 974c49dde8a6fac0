// SPDX-License-Identifier: Apache-2.0
/// A model fitted on a table, and the file that holds it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include <croco/data/codec.hpp>
#include <croco/data/csv.hpp>
#include <croco/data/schema.hpp>
#include <croco/models/training/train.hpp>

namespace croco {

struct FittedModel {
  Codec codec;
  TrainResult result;
  std::size_t dropped = 0;  ///< rows left out for missing values, under MissingPolicy::drop
  std::string file;         ///< the text of the model file
};

/// Fits the codec on all rows and the model on its share of them. `name` is what the file calls
/// itself. Throws DataError for rows that cannot be read and when only one class is there. When
/// `stop` is requested, what was best so far is returned.
[[nodiscard]] FittedModel fit_model(const CsvTable& table, Schema schema, MissingPolicy missing,
                                    const TrainOptions& options, std::string name,
                                    const std::function<void(const TrainProgress&)>& progress = {},
                                    const std::stop_token& stop = {});

/// The text of the model file of a network on the points of a codec.
[[nodiscard]] std::string model_file_text(std::string name, std::shared_ptr<const Mlp> model,
                                          const Codec& codec);

}  // namespace croco
