// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/foreign_model.hpp>

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/sha256.hpp>
#include <croco/models/files/catboost_file.hpp>
#include <croco/models/files/lightgbm_file.hpp>
#include <croco/models/files/model_format.hpp>
#include <croco/models/files/xgboost_file.hpp>
#include <croco/models/onnx/export_caution.hpp>
#include <croco/models/onnx/model.hpp>
#include <croco/models/trees/tree_model.hpp>

namespace croco {
namespace {

/// What `make` makes; its complaints begin with the file.
template <typename Make>
auto with_source(const std::string& source, Make make) {
  try {
    return make();
  } catch (const ModelError& error) {
    throw ModelError(fmt::format("{}: {}", source, error.what()));
  }
}

ForeignModel of_trees(std::string program, TreeEnsemble ensemble, const std::string& source) {
  ForeignModel out{.program = std::move(program),
                   .columns = {ensemble.width, ensemble.names, ensemble.levels,
                               ensemble.unexplained_codes, ensemble.hashed_levels},
                   .on = {},
                   .rounds = ensemble.rounds,
                   .classes = ensemble.classes,
                   .threshold = ensemble.threshold};
  auto shared = std::make_shared<const TreeEnsemble>(std::move(ensemble));
  const auto make = [source](const TreeEnsemble& trees, const InputColumns& inputs) {
    return with_source(source, [&] { return std::make_shared<const TreeModel>(trees, inputs); });
  };
  out.on = [shared, make](const InputColumns& inputs) { return make(*shared, inputs); };
  if (!out.classes.empty()) {
    out.on_exchanged = [shared, make](const InputColumns& inputs) {
      return make(mirrored(*shared), inputs);
    };
  }
  return out;
}

bool same_class(const std::string& name, const std::string& label) {
  if (name == label) return true;
  const std::optional<double> number = parse_number(name);
  return number && number == parse_number(label);  // 1 and 1.0
}

ForeignModel of_graph(std::string_view bytes, const std::string& source,
                      const ModelFolder& folder) {
  auto file = std::make_shared<const onnx::File>(onnx::parse_onnx(bytes, source, folder));
  ForeignColumns columns;
  columns.width = with_source(source, [&] { return onnx::total_width(*file); });
  // Inputs of one column each have the names of the columns.
  for (const onnx::ValueInfo& input : onnx::model_inputs(*file)) {
    if (onnx::input_width(input) == 1) columns.names.push_back(input.name);
  }
  if (columns.names.size() != columns.width) columns.names.clear();
  return {
      .program = "ONNX",
      .columns = std::move(columns),
      .on = {},
      .on_records = [file, source](const Codec& codec, const ScoreChoice& choice,
                                   std::shared_ptr<const Matrix> examples) -> ForeignModel::Made {
        onnx::SourceColumns given = source_columns(codec);
        given.choice = choice;
        given.examples = std::move(examples);
        onnx::CompiledModel bound = onnx::make_model(*file, given, source);
        return {std::move(bound.model), bound.kind};
      },
      .rounds = {},
      .fingerprint = onnx::fingerprint(bytes, *file),
      .caution = onnx::export_caution(*file),
      .graph = std::move(file)};
}

}  // namespace

bool classes_exchanged(const ForeignModel& foreign, const std::string& favourable,
                       const std::string& source) {
  if (foreign.classes.size() != 2) return false;
  const std::string& first = foreign.classes[0];
  const std::string& second = foreign.classes[1];
  const std::string wanted = favourable.empty() ? "1" : favourable;
  if (same_class(second, wanted)) return false;
  if (same_class(first, wanted)) return true;
  const bool plain = (first == "0" && second == "1") || (first == "False" && second == "True");
  if (plain || favourable.empty()) return false;
  throw ModelError(
      fmt::format("{}: the model's classes are '{}' and '{}'; the schema's favourable label is "
                  "'{}'",
                  source, first, second, favourable));
}

onnx::SourceColumns source_columns(const Codec& codec) {
  onnx::SourceColumns out{.width = codec.width(), .favourable = codec.schema().label.favourable};
  const std::vector<Feature>& features = codec.schema().features;
  for (std::size_t f = 0; f < features.size(); ++f) {
    out.columns.push_back({.name = features[f].name,
                           .column = codec.column_of(f),
                           .minimum = codec.decode_number(f, 0),
                           .unit = codec.unit_of(f),
                           .levels = features[f].levels,
                           .missing = codec.stays_missing(f)});
  }
  return out;
}

std::optional<ForeignModel> read_foreign_model(std::string_view bytes, const std::string& source,
                                               const LoadModelOptions& options,
                                               const ModelFolder& folder) {
  const ModelFormat format = format_of(bytes);
  if (format == ModelFormat::croco || format == ModelFormat::onnx) {
    require_no_tree_options(options, source);
  }
  if (format != ModelFormat::onnx) require_no_score_choice(options, source);
  const RoundChoice& rounds = options.rounds;
  switch (format) {
    case ModelFormat::croco:
      break;
    case ModelFormat::xgboost_json:
      return of_trees("XGBoost", parse_xgboost(bytes, source, rounds), source);
    case ModelFormat::xgboost_ubjson:
      return of_trees("XGBoost", parse_xgboost_ubjson(bytes, source, rounds), source);
    case ModelFormat::onnx:
      return of_graph(bytes, source, folder);
    case ModelFormat::lightgbm:
      return of_trees("LightGBM", parse_lightgbm(bytes, source, rounds), source);
    case ModelFormat::catboost:
      return of_trees("CatBoost", parse_catboost(bytes, source, rounds), source);
    case ModelFormat::bundle:
      throw ModelError(fmt::format("{}: a bundle holds a model, and no further bundle", source));
  }
  return std::nullopt;
}

void require_no_tree_options(const LoadModelOptions& options, const std::string& source) {
  const bool rounds = options.rounds.kind != RoundChoice::Kind::unstated;
  if (!rounds && options.category_orders.empty()) return;
  throw InvalidArgument(fmt::format("{} is for files of XGBoost, LightGBM and CatBoost; {} is none",
                                    rounds ? "rounds" : "category-order", source));
}

void require_no_score_choice(const LoadModelOptions& options, const std::string& source) {
  if (options.score == ScoreChoice{}) return;
  const bool kind = options.score.kind != ScoreKind::proven;
  throw InvalidArgument(
      fmt::format("{} is for ONNX files; {} is none", kind ? "score" : "decision", source));
}

std::string fingerprint_of(std::string_view bytes, const ForeignModel& foreign,
                           const LoadModelOptions& options) {
  std::string file = foreign.fingerprint.empty() ? sha256(bytes) : foreign.fingerprint;
  if (options.score != ScoreChoice{}) {
    return sha256(fmt::format("{} score {} decision {}", file, static_cast<int>(options.score.kind),
                              static_cast<int>(options.score.decided_by)));
  }
  const bool all = foreign.rounds.used == foreign.rounds.saved;
  if (all && options.category_orders.empty()) return file;
  return sha256(fmt::format("{} rounds {} codes {}", file, foreign.rounds.used,
                            text_of(options.category_orders)));
}

}  // namespace croco
