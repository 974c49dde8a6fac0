// SPDX-License-Identifier: Apache-2.0
/// Models saved by LightGBM as text: `booster.save_model("m.txt")`.
#pragma once

#include <string>
#include <string_view>

#include <croco/models/rounds.hpp>
#include <croco/models/trees/tree_ensemble.hpp>

namespace croco {

/// Binary classifiers, boosted or random forests, with splits on categories and every way to treat
/// missing values. Throws ModelError naming `source`, the tree, the node and the rule: anything
/// that is not such a model (linear trees among them), and every number that does not fit. LightGBM
/// itself leaves out the rounds after the best one when it saves; for others, see `chosen_rounds`.
[[nodiscard]] TreeEnsemble parse_lightgbm(std::string_view text, const std::string& source,
                                          const RoundChoice& choice = {});

}  // namespace croco
