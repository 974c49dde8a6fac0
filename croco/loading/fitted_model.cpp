// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/fitted_model.hpp>

#include <utility>

#include <croco/data/dataset.hpp>
#include <croco/models/files/model_file.hpp>

namespace croco {
namespace {

/// What the model file says of its columns, for those who use it with encoded data.
ModelInputs inputs_of(const Codec& codec) {
  ModelInputs inputs;
  inputs.names = codec.column_names();
  const std::vector<Feature>& features = codec.schema().features;
  for (std::size_t f = 0; f < features.size(); ++f) {
    const std::size_t first = codec.column_of(f);
    if (features[f].type == FeatureType::numeric) {
      inputs.continuous.push_back(inputs.names[first]);
    } else {
      const auto begin = inputs.names.begin() + std::ptrdiff_t(first);
      inputs.groups.emplace_back(begin, begin + std::ptrdiff_t(features[f].levels.size()));
    }
    if (features[f].movement == Movement::fixed) inputs.immutable.push_back(features[f].name);
  }
  return inputs;
}

}  // namespace

std::string model_file_text(std::string name, std::shared_ptr<const Mlp> model,
                            const Codec& codec) {
  return model_json({.name = std::move(name),
                     .model = std::move(model),
                     .inputs = inputs_of(codec),
                     .target = codec.schema().label.name,
                     .encoding = codec.json()});
}

FittedModel fit_model(const CsvTable& table, Schema schema, MissingPolicy missing,
                      const TrainOptions& options, std::string name,
                      const std::function<void(const TrainProgress&)>& progress,
                      const std::stop_token& stop) {
  validate(options);
  Codec codec = Codec::fit(std::move(schema), table);
  const Dataset dataset = encode_dataset(table, codec, missing);
  TrainResult result = train(dataset.points.rows(), dataset.labels, options, progress, stop);
  std::string file = model_file_text(std::move(name), result.model, codec);
  return {.codec = std::move(codec),
          .result = std::move(result),
          .dropped = dataset.dropped,
          .file = std::move(file)};
}

}  // namespace croco
