// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/foreign_model.hpp>

#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/models/lightgbm_file.hpp>
#include <croco/models/model_format.hpp>
#include <croco/models/tree_model.hpp>
#include <croco/models/xgboost_file.hpp>

namespace croco {
namespace {

ForeignModel of_trees(std::string program, TreeEnsemble ensemble, const std::string& source) {
  ForeignColumns columns{ensemble.width, ensemble.names, ensemble.levels};
  auto shared = std::make_shared<const TreeEnsemble>(std::move(ensemble));
  return {std::move(program), std::move(columns),
          [shared, source](const InputColumns& inputs) -> std::shared_ptr<const Model> {
            try {
              return std::make_shared<const TreeModel>(*shared, inputs);
            } catch (const ModelError& error) {
              throw ModelError(fmt::format("{}: {}", source, error.what()));
            }
          }};
}

}  // namespace

std::optional<ForeignModel> read_foreign_model(std::string_view bytes, const std::string& source) {
  switch (format_of(bytes)) {
    case ModelFormat::croco:
      break;
    case ModelFormat::xgboost_json:
      return of_trees("XGBoost", parse_xgboost(bytes, source), source);
    case ModelFormat::xgboost_ubjson:
      return of_trees("XGBoost", parse_xgboost_ubjson(bytes, source), source);
    case ModelFormat::lightgbm:
      return of_trees("LightGBM", parse_lightgbm(bytes, source), source);
  }
  return std::nullopt;
}

}  // namespace croco
