// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/loaded_model.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/sha256.hpp>
#include <croco/data/record_reader.hpp>
#include <croco/loading/bundle.hpp>
#include <croco/loading/column_matching.hpp>
#include <croco/loading/encoded_examples.hpp>
#include <croco/loading/foreign_model.hpp>
#include <croco/models/files/model_file.hpp>
#include <croco/models/files/model_format.hpp>
#include <croco/models/files/unknown_file.hpp>
#include <croco/models/model_budget.hpp>

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

/// Encoded data are matched by name. A file without names leaves them to the schema, or else to the
/// data's own order where these have exactly the columns that the model takes.
std::vector<std::string> encoded_names(const ForeignModel& foreign, const LoadModelOptions& options,
                                       const std::string& source) {
  const std::size_t width = foreign.columns.width;
  if (!foreign.columns.names.empty()) return foreign.columns.names;
  std::vector<std::string> names;
  if (options.schema) {
    for (const Feature& feature : options.schema->features) names.push_back(feature.name);
    if (width != 0 && names.size() != width) {
      throw ModelError(fmt::format("{}: the model takes {} columns; the schema names {}", source,
                                   width, names.size()));
    }
    return names;
  }
  if (options.columns && width != 0) names = options.columns();
  if (!names.empty() && names.size() == width) return names;
  throw ModelError(fmt::format(
      "{}: {} saved no names of its columns{}; for encoded data a schema must name them, in order",
      source, foreign.program,
      names.empty()
          ? ""
          : fmt::format(", of which it takes {}, and the data have {}", width, names.size())));
}

/// How a foreign model is bound to a codec, and the rows that it learns from.
struct Binding {
  const Codec& codec;
  std::function<InputColumns(const Codec&)> columns;
  std::shared_ptr<const Matrix> examples;
};

LoadedModel bound(const ForeignModel& foreign, const LoadModelOptions& options,
                  const std::string& source, const std::string& fingerprint, Binding binding) {
  const Codec& codec = binding.codec;
  const std::shared_ptr<const Matrix>& examples = binding.examples;
  const bool exchanged = classes_exchanged(foreign, codec.schema().label.favourable, source);
  LoadedModel out{.name = {},
                  .source = source,
                  .fingerprint = fingerprint,
                  .model = {},
                  .codec = codec,
                  .unfrozen = {},
                  .examples = examples,
                  .label_decides = options.score.decided_by == DecidedBy::label,
                  .program = foreign.program,
                  .caution = foreign.caution};
  out.own_threshold = foreign.threshold;
  if (exchanged && foreign.threshold) out.own_threshold = 1 - *foreign.threshold;
  if (!foreign.on_records) {
    out.models = [on = exchanged ? foreign.on_exchanged : foreign.on,
                  columns = std::move(binding.columns)](const Codec& partial) {
      return on(columns(partial));
    };
    out.model = out.models(codec);
  } else {
    const ForeignModel::Made made = foreign.on_records(codec, options.score, examples);
    out.model = made.model;
    // What the output is does not depend on who is asked about.
    ScoreChoice choice = options.score;
    choice.kind = made.kind;
    out.models = [on = foreign.on_records, choice, examples](const Codec& partial) {
      return on(partial, choice, examples).model;
    };
  }
  require_small_draws(out.model->evaluator_bytes_per_draw(), source);
  return out;
}

}  // namespace

LoadedModel load_foreign_on(const ForeignModel& foreign, const LoadModelOptions& options,
                            const std::string& source, const std::string& fingerprint,
                            const Codec& codec, std::shared_ptr<const Matrix> examples) {
  const auto columns = [columns = foreign.columns, source,
                        orders = options.category_orders](const Codec& partial) {
    return match_columns(partial, columns, source, orders);
  };
  return bound(foreign, options, source, fingerprint, {codec, columns, std::move(examples)});
}

LoadedModel load_foreign(const ForeignModel& foreign, const LoadModelOptions& options,
                         const std::string& source, const std::string& fingerprint) {
  if (options.encoded) {
    if (const auto column = text_column(foreign.columns)) {
      throw ModelError(fmt::format(
          "{}: the model's column {} is a category of texts, which encoded data cannot hold; give "
          "records instead",
          source,
          foreign.columns.names.empty() ? fmt::format("{}", *column)
                                        : fmt::format("'{}'", foreign.columns.names[*column])));
    }
    if (!options.category_orders.empty()) {
      throw InvalidArgument(
          "category-order is for records; encoded data hold the codes of levels already");
    }
    const Codec codec =
        priced(encoded_codec({.names = encoded_names(foreign, options, source)}, options, source),
               options, source);
    LoadedModel out = bound(foreign, options, source, fingerprint, {codec, encoded_columns, {}});
    out.columns_by_order = foreign.columns.names.empty() && !options.schema;
    return out;
  }
  require_no_encoded_options(options);
  if (!options.training) {
    throw ModelError(
        fmt::format("{}: {} does not save what its columns mean to people; a schema and the data "
                    "that the model was trained on are needed",
                    source, foreign.program));
  }
  const TrainingData training = options.training();
  const Codec codec = priced(std::visit(
                                 [&](const auto& rows) {
                                   return Codec::fit(options.schema.value_or(training.schema), rows,
                                                     NumberEncoding::exact);
                                 },
                                 training.rows),
                             options, source);
  return load_foreign_on(foreign, options, source, fingerprint, codec,
                         std::make_shared<const Matrix>(encoded_examples(codec, training.rows)));
}

void require_threshold(const LoadedModel& loaded, double threshold) {
  constexpr double kSame = 1e-12;
  if (loaded.own_threshold && !(std::abs(threshold - *loaded.own_threshold) <= kSame)) {
    throw InvalidArgument(fmt::format(
        "threshold is {}; {} says that {} predicts at {} (set_probability_threshold): pass "
        "--threshold {}, or save the model with another one",
        threshold, loaded.source, loaded.program, *loaded.own_threshold, *loaded.own_threshold));
  }
  if (!loaded.label_decides || threshold == 0.5) return;
  throw InvalidArgument(fmt::format(
      "threshold is {}; the model's label decides, which knows no other threshold than 0.5",
      threshold));
}

namespace {

LoadedModel load_bytes(std::string_view bytes, const std::string& source,
                       const LoadModelOptions& options, const ModelFolder& folder) {
  if (bytes.empty()) {
    throw ModelError(fmt::format(
        "{}: the file is empty; it must be a model of croco, ONNX, XGBoost, LightGBM or CatBoost",
        source));
  }
  require_known_content(bytes, source);
  if (format_of(bytes) == ModelFormat::bundle) return load_bundle(bytes, source, options);
  if (const auto foreign = read_foreign_model(bytes, source, options, folder)) {
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
  require_small_draws(file.model->evaluator_bytes_per_draw(), source);
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

}  // namespace

LoadedModel load_model(const std::filesystem::path& path, const LoadModelOptions& options) {
  require_known_file(path);
  return load_bytes(read_file(path, kMaxModelBytes), path.string(), options, path.parent_path());
}

LoadedModel load_model_bytes(std::string_view bytes, const std::string& source,
                             const LoadModelOptions& options) {
  return load_bytes(bytes, source, options, {});
}

}  // namespace croco
