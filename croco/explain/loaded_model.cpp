// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/loaded_model.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/sha256.hpp>
#include <croco/models/model_file.hpp>

namespace croco {
namespace {

constexpr std::uintmax_t kMaxModelBytes = std::uintmax_t{1} << 30;

void apply_schema(const Schema& schema, const std::vector<std::string>& names, Space& space) {
  for (const Feature& feature : schema.features) {
    const auto found = std::ranges::find(names, feature.name);
    if (found == names.end()) {
      throw DataError(fmt::format(
          "the schema has the feature '{}', which is no column of the model; for encoded data its "
          "features are encoded columns",
          feature.name));
    }
    Column& column = space.columns[static_cast<std::size_t>(found - names.begin())];
    if (feature.type != FeatureType::numeric) {
      throw DataError(fmt::format(
          "the schema's feature '{}' is categorical; for encoded data every column is a number",
          feature.name));
    }
    if (!column.continuous) continue;
    column.lower = feature.minimum.value_or(column.lower);
    column.upper = feature.maximum.value_or(column.upper);
    column.step = feature.step;
    column.movement = feature.movement;
    column.cost = feature.cost;
    column.touch_price = feature.touch_cost;
    column.max_change = feature.max_change.value_or(column.max_change);
  }
}

Codec encoded_codec(const ModelFile& file, const LoadModelOptions& options,
                    const std::string& source) {
  if (file.inputs.names.empty()) {
    throw ModelError(fmt::format(
        "{}: 'feature_names' is missing; encoded data are matched by column name", source));
  }
  Space space = space_of(file.inputs, options.freeze_immutable);
  if (options.box) {
    if (!(options.box->lower < options.box->upper)) {
      throw InvalidArgument(fmt::format("box is {}:{}; its lower end must be below its upper end",
                                        options.box->lower, options.box->upper));
    }
    for (Column& column : space.columns) {
      if (!column.continuous) continue;
      column.lower = options.box->lower;
      column.upper = options.box->upper;
    }
  }
  if (options.schema) apply_schema(*options.schema, file.inputs.names, space);
  Codec codec = Codec::identity(file.inputs.names, std::move(space));
  if (!options.schema) return codec;
  Schema schema = codec.schema();
  schema.relations = options.schema->relations;
  schema.max_changes = options.schema->max_changes;
  return codec.with_schema(std::move(schema));
}

Codec record_codec(const ModelFile& file, const LoadModelOptions& options,
                   const std::string& source) {
  if (options.box || options.freeze_immutable) {
    throw InvalidArgument(
        "a box or frozen immutables are for encoded data; otherwise the schema says them");
  }
  if (file.encoding.empty()) {
    throw ModelError(fmt::format(
        "{}: 'encoding' is missing, so this model takes encoded columns; give encoded data, or "
        "train a model from records",
        source));
  }
  const Codec codec = Codec::from_json(file.encoding, source);
  return options.schema ? codec.with_schema(*options.schema) : codec;
}

}  // namespace

LoadedModel load_model(const std::filesystem::path& path, const LoadModelOptions& options) {
  const std::string source = path.string();
  const std::string bytes = read_file(path, kMaxModelBytes);
  const ModelFile file = parse_model(bytes, source);
  Codec codec =
      options.encoded ? encoded_codec(file, options, source) : record_codec(file, options, source);
  try {
    codec = codec.with_cost(options.cost);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", source, error.what()));
  }
  if (codec.width() != file.model->width()) {
    throw ModelError(fmt::format("{}: the model takes {} columns; its encoding has {}", source,
                                 file.model->width(), codec.width()));
  }
  std::vector<std::string> unfrozen;
  for (std::size_t j = 0; options.encoded && j < codec.width(); ++j) {
    if (codec.space().movable(j) &&
        std::ranges::find(file.inputs.immutable, codec.column_names()[j]) !=
            file.inputs.immutable.end()) {
      unfrozen.push_back(codec.column_names()[j]);
    }
  }
  return {file.name, source, sha256(bytes), file.model, std::move(codec), std::move(unfrozen)};
}

}  // namespace croco
