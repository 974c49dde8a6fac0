// SPDX-License-Identifier: Apache-2.0
/// Models saved by XGBoost, as JSON or as UBJSON: `booster.save_model("m.json")`, `"m.ubj"`.
#pragma once

#include <string>
#include <string_view>

#include <croco/models/rounds.hpp>
#include <croco/models/trees/tree_ensemble.hpp>

namespace croco {

/// Binary classifiers of trees, with or without dropout ("dart"), with splits on categories; of
/// their rounds, those that are chosen. Throws ModelError naming `source`, the tree, the node and
/// the rule: anything that is not such a model, and every number that does not fit. For rounds, see
/// `chosen_rounds`.
[[nodiscard]] TreeEnsemble parse_xgboost(std::string_view json, const std::string& source,
                                         const RoundChoice& choice = {});
[[nodiscard]] TreeEnsemble parse_xgboost_ubjson(std::string_view bytes, const std::string& source,
                                                const RoundChoice& choice = {});

}  // namespace croco
