// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/foreign_model.hpp>

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/sha256.hpp>
#include <croco/models/lightgbm_file.hpp>
#include <croco/models/model_format.hpp>
#include <croco/models/onnx_model.hpp>
#include <croco/models/tree_model.hpp>
#include <croco/models/xgboost_file.hpp>

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
  ForeignColumns columns{ensemble.width, ensemble.names, ensemble.levels,
                         ensemble.unexplained_codes};
  const TreeEnsemble::Rounds rounds = ensemble.rounds;
  auto shared = std::make_shared<const TreeEnsemble>(std::move(ensemble));
  return {std::move(program),
          std::move(columns),
          [shared, source](const InputColumns& inputs) -> std::shared_ptr<const Model> {
            return with_source(source,
                               [&] { return std::make_shared<const TreeModel>(*shared, inputs); });
          },
          {},
          rounds,
          {}};
}

ForeignModel of_graph(std::string_view bytes, const std::string& source) {
  auto file = std::make_shared<const onnx::File>(
      onnx::parse_onnx(bytes, source, std::filesystem::path(source).parent_path()));
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
        onnx::BoundModel bound = onnx::make_model(*file, given, source);
        return {std::move(bound.model), bound.kind};
      },
      .rounds = {},
      .fingerprint = onnx::fingerprint(bytes, *file)};
}

}  // namespace

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
                                               const LoadModelOptions& options) {
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
      return of_graph(bytes, source);
    case ModelFormat::lightgbm:
      return of_trees("LightGBM", parse_lightgbm(bytes, source, rounds), source);
  }
  return std::nullopt;
}

void require_no_tree_options(const LoadModelOptions& options, const std::string& source) {
  const bool rounds = options.rounds.kind != RoundChoice::Kind::unstated;
  if (!rounds && options.category_orders.empty()) return;
  throw InvalidArgument(fmt::format("{} is for files of XGBoost and LightGBM; {} is none",
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
