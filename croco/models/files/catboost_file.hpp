// SPDX-License-Identifier: Apache-2.0
/// Models saved by CatBoost as JSON: `model.save_model("m.json", format="json")`.
#pragma once

#include <string>
#include <string_view>

#include <croco/models/rounds.hpp>
#include <croco/models/trees/tree_ensemble.hpp>

namespace croco {

/// Binary classifiers (Logloss, CrossEntropy) of symmetric and other trees, on numbers and on
/// categories that are split one against the rest. Throws ModelError naming `source`, the tree, the
/// place and the rule: anything that is not such a model (statistics of the target over categories
/// among them), and every number that does not fit. CatBoost predicts with all trees of a file;
/// `best` is for files that keep trees after the best one (`use_best_model=False`).
[[nodiscard]] TreeEnsemble parse_catboost(std::string_view json, const std::string& source,
                                          const RoundChoice& choice = {});

}  // namespace croco
