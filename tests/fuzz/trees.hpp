// SPDX-License-Identifier: Apache-2.0
/// Tree ensembles that a reader has accepted, bound to columns and asked.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <croco/models/input_columns.hpp>
#include <croco/models/trees/tree_ensemble.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <tests/fuzz/ask.hpp>

namespace croco::fuzz {

/// As a codec of people would have them: a category of three levels in front, then numbers with
/// units of their own.
inline InputColumns record_columns(const TreeEnsemble& ensemble) {
  constexpr std::size_t kLevels = 3;
  std::vector<InputColumn> columns(ensemble.width);
  columns[0].kind = InputColumn::Kind::code;
  for (std::size_t l = 0; l < kLevels; ++l) columns[0].codes.push_back(static_cast<double>(l));
  for (std::size_t j = 1; j < ensemble.width; ++j) {
    columns[j].column = kLevels + j - 1;
    columns[j].minimum = -20.0;
    columns[j].unit = 75.5;
  }
  return {kLevels + ensemble.width - 1, std::move(columns)};
}

inline void ask_trees(const TreeEnsemble& ensemble) {
  if (ensemble.width > kMaxWidth) return;
  ask(TreeModel(ensemble, InputColumns::identity(ensemble.width)));
  ask(TreeModel(ensemble, record_columns(ensemble)));
}

}  // namespace croco::fuzz
