// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/loaded_model.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/sha256.hpp>
#include <croco/explain/column_matching.hpp>
#include <croco/explain/foreign_model.hpp>
#include <croco/models/model_budget.hpp>
#include <croco/models/model_file.hpp>
#include <croco/models/unknown_file.hpp>

namespace croco {
namespace {

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

Codec encoded_codec(const ModelInputs& inputs, const LoadModelOptions& options,
                    const std::string& source) {
  if (inputs.names.empty()) {
    throw ModelError(fmt::format(
        "{}: 'feature_names' is missing; encoded data are matched by column name", source));
  }
  Space space = space_of(inputs, options.freeze_immutable);
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
  if (options.schema) apply_schema(*options.schema, inputs.names, space);
  Codec codec = Codec::identity(inputs.names, std::move(space));
  if (!options.schema) return codec;
  Schema schema = codec.schema();
  schema.relations = options.schema->relations;
  schema.max_changes = options.schema->max_changes;
  return codec.with_schema(std::move(schema));
}

void require_no_encoded_options(const LoadModelOptions& options) {
  if (options.box || options.freeze_immutable) {
    throw InvalidArgument(
        "a box or frozen immutables are for encoded data; otherwise the schema says them");
  }
}

Codec record_codec(const ModelFile& file, const LoadModelOptions& options,
                   const std::string& source) {
  require_no_encoded_options(options);
  if (file.encoding.empty()) {
    throw ModelError(fmt::format(
        "{}: 'encoding' is missing, so this model takes encoded columns; give encoded data, or "
        "train a model from records",
        source));
  }
  const Codec codec = Codec::from_json(file.encoding, source);
  return options.schema ? codec.with_schema(*options.schema) : codec;
}

/// The codec with the cost that is asked for.
Codec priced(const Codec& codec, const LoadModelOptions& options, const std::string& source) {
  try {
    return codec.with_cost(options.cost);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", source, error.what()));
  }
}

/// Rows from all over the table, without those that miss values.
Matrix examples_of(const Codec& codec, const CsvTable& table) {
  constexpr std::size_t kMost = 8192;
  const RecordReader reader(codec.schema(), table);
  const std::size_t rows = table.rows.size();
  const std::size_t taken = std::min(kMost, rows);
  Matrix points(0, codec.width());
  for (std::size_t i = 0; i < taken; ++i) {
    const CsvRow& row = table.rows[i * rows / taken];
    try {
      points.append(codec.encode(reader.read(row), reader.where(row)));
    } catch (const MissingValue&) {
      continue;
    }
  }
  return points;
}

/// Encoded data are matched by name; a file without names leaves them to the schema.
void require_names(const ForeignModel& foreign, std::size_t names, const std::string& source) {
  if (names == 0) {
    throw ModelError(fmt::format(
        "{}: {} saved no names of its columns; for encoded data a schema must name them, in order",
        source, foreign.program));
  }
  if (foreign.columns.width != 0 && names != foreign.columns.width) {
    throw ModelError(fmt::format("{}: the model takes {} columns; the schema names {}", source,
                                 foreign.columns.width, names));
  }
}

}  // namespace

LoadedModel load_foreign(const ForeignModel& foreign, const LoadModelOptions& options,
                         const std::string& source, const std::string& fingerprint) {
  const auto together = [&](const Codec& codec, const auto& columns,
                            std::shared_ptr<const Matrix> examples) -> LoadedModel {
    std::shared_ptr<const Model> model = foreign.on_records
                                             ? foreign.on_records(codec, options.score, examples)
                                             : foreign.on(columns());
    require_small_draws(model->bound_bytes_per_draw(), source);
    return {.name = {},
            .source = source,
            .fingerprint = fingerprint,
            .model = std::move(model),
            .codec = codec,
            .unfrozen = {},
            .examples = std::move(examples),
            .label_decides = options.score.decided_by == DecidedBy::label,
            .program = foreign.program};
  };
  if (options.encoded) {
    if (!options.category_orders.empty()) {
      throw InvalidArgument(
          "category-order is for records; encoded data hold the codes of levels already");
    }
    std::vector<std::string> names = foreign.columns.names;
    // A matrix has no names; a schema has.
    for (std::size_t f = 0;
         foreign.columns.names.empty() && options.schema && f < options.schema->features.size();
         ++f) {
      names.push_back(options.schema->features[f].name);
    }
    require_names(foreign, names.size(), source);
    const Codec codec =
        priced(encoded_codec({.names = std::move(names)}, options, source), options, source);
    return together(codec, [&] { return InputColumns::identity(foreign.columns.width); }, {});
  }
  require_no_encoded_options(options);
  if (!options.training) {
    throw ModelError(
        fmt::format("{}: {} does not save what its columns mean to people; a schema and the data "
                    "that the model was trained on are needed",
                    source, foreign.program));
  }
  const TrainingData training = options.training();
  const Codec codec = priced(
      Codec::fit(options.schema.value_or(training.schema), training.table, NumberEncoding::exact),
      options, source);
  return together(
      codec, [&] { return match_columns(codec, foreign.columns, source, options.category_orders); },
      std::make_shared<const Matrix>(examples_of(codec, training.table)));
}

void require_threshold(const LoadedModel& loaded, double threshold) {
  if (!loaded.label_decides || threshold == 0.5) return;
  throw InvalidArgument(fmt::format(
      "threshold is {}; the model's label decides, which knows no other threshold than 0.5",
      threshold));
}

LoadedModel load_model(const std::filesystem::path& path, const LoadModelOptions& options) {
  const std::string source = path.string();
  require_known_file(path);
  const std::string bytes = read_file(path, kMaxModelBytes);
  if (bytes.empty()) {
    throw ModelError(fmt::format(
        "{}: the file is empty; it must be a model of croco, ONNX, XGBoost or LightGBM", source));
  }
  require_known_content(bytes, source);
  if (const auto foreign = read_foreign_model(bytes, source, options)) {
    return load_foreign(*foreign, options, source, fingerprint_of(bytes, *foreign, options));
  }
  const ModelFile file = parse_model(bytes, source);
  Codec codec = priced(options.encoded ? encoded_codec(file.inputs, options, source)
                                       : record_codec(file, options, source),
                       options, source);
  if (codec.width() != file.model->width()) {
    throw ModelError(fmt::format("{}: the model takes {} columns; its encoding has {}", source,
                                 file.model->width(), codec.width()));
  }
  require_small_draws(file.model->bound_bytes_per_draw(), source);
  const std::set<std::string_view> immutable(file.inputs.immutable.begin(),
                                             file.inputs.immutable.end());
  std::vector<std::string> unfrozen;
  for (std::size_t j = 0; options.encoded && j < codec.width(); ++j) {
    if (codec.space().movable(j) && immutable.contains(codec.column_names()[j])) {
      unfrozen.push_back(codec.column_names()[j]);
    }
  }
  return {file.name, source, sha256(bytes), file.model, std::move(codec), std::move(unfrozen)};
}

}  // namespace croco
