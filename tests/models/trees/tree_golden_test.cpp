// SPDX-License-Identifier: Apache-2.0
// Tree ensembles against the libraries that grew them; see tests/golden/make_tree_models.py.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <croco/models/input_columns.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <tests/golden.hpp>
#include <tests/trees.hpp>

namespace croco {
namespace {

/// Rows in which null means a missing value.
Matrix rows_of(const golden::Json& value) {
  Matrix out(0, value.at(0).size());
  for (const golden::Json& row : value) {
    for (const golden::Json& number : row) {
      out.data.push_back(number.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                          : number.get<double>());
    }
  }
  return out;
}

TEST(TreeGolden, EveryModelGivesTheLibrarysMarginsToTheLastBit) {
  for (const golden::Json& model : golden::list("trees", "models")) {
    const Matrix rows = rows_of(model.at("rows"));
    const Vector margins = golden::vector(model.at("margins"));
    for (const golden::Json& file : model.at("files")) {
      const TreeEnsemble ensemble = fixtures::golden_trees(file.get<std::string>());
      EXPECT_EQ(ensemble.names, model.at("columns").get<std::vector<std::string>>()) << file;
      const TreeModel trees(ensemble, InputColumns::identity(ensemble.width));
      Vector logits(rows.count());
      trees.logits(rows.rows(), logits);
      std::size_t different = 0;
      for (std::size_t k = 0; k < logits.size(); ++k)
        different += logits[k] != margins[k] ? 1U : 0U;
      EXPECT_EQ(different, 0U) << file << " of " << logits.size() << ": " << logits[0] << " and "
                               << margins[0];
    }
  }
}

/// The model for rows that lack these columns.
TreeModel without(const TreeEnsemble& ensemble, const std::vector<bool>& missing) {
  std::vector<InputColumn> columns(ensemble.width);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    columns[j].column = j;
    if (missing[j]) {
      columns[j] = InputColumn::constant_of(std::numeric_limits<double>::quiet_NaN());
    }
  }
  return {ensemble, InputColumns(ensemble.width, std::move(columns))};
}

TEST(TreeGolden, AModelWithoutTheMissingColumnsGivesTheSameMarginsWhateverThePointHolds) {
  std::size_t rows_with_blanks = 0;
  for (const golden::Json& model : golden::list("trees", "models")) {
    const Matrix rows = rows_of(model.at("rows"));
    const Vector margins = golden::vector(model.at("margins"));
    for (const golden::Json& file : model.at("files")) {
      const TreeEnsemble ensemble = fixtures::golden_trees(file.get<std::string>());
      for (std::size_t k = 0; k < rows.count(); ++k) {
        Vector point(rows[k].begin(), rows[k].end());
        std::vector<bool> missing;
        for (const double value : point) missing.push_back(std::isnan(value));
        if (std::ranges::find(missing, true) == missing.end()) continue;
        ++rows_with_blanks;
        const TreeModel trees = without(ensemble, missing);
        // One by one, in a batch, and bound to draws that touch the missing columns alone.
        constexpr std::size_t kMany = 100;
        Matrix batch(0, point.size());
        Matrix draws(kMany, point.size());
        for (std::size_t i = 0; i < kMany; ++i) {
          for (std::size_t j = 0; j < point.size(); ++j) {
            if (!missing[j]) continue;
            point[j] = 0.37 * static_cast<double>(i) - 20;
            draws[i][j] = static_cast<double>(i % 7) - 3;
          }
          batch.append(point);
        }
        Vector logits(kMany);
        trees.logits(batch.rows(), logits);
        EXPECT_EQ(std::ranges::count(logits, margins[k]), kMany) << file << ", row " << k;
        EXPECT_EQ(trees.logit(point), margins[k]) << file << ", row " << k;
        const auto bound = trees.bind(draws.rows());
        const double near = 1e-4 * std::max(1.0, std::abs(margins[k]));  // beyond single precision
        for (const bool above : {false, true}) {
          std::vector<std::size_t> failures(1);
          bound->count_failures({point, point.size()}, {margins[k] + (above ? near : -near), true},
                                failures, nullptr);
          EXPECT_EQ(failures[0], above ? kMany : 0) << file << ", row " << k;
        }
      }
    }
  }
  EXPECT_GT(rows_with_blanks, 100U);
}

TEST(TreeGolden, LevelsOfCategoriesComeWithTheModel) {
  const std::vector<std::string> levels{"car",   "furniture", "other",
                                        "radio", "repairs",   "study trip"};
  for (const std::string file :
       {"xgb_categories.json", "xgb_categories.ubj", "lgb_categories.txt"}) {
    const TreeEnsemble ensemble = fixtures::golden_trees(file);
    ASSERT_EQ(ensemble.levels.size(), 6U) << file;
    EXPECT_EQ(ensemble.levels[5], levels) << file;
    EXPECT_TRUE(ensemble.levels[0].empty()) << file;
  }
}

}  // namespace
}  // namespace croco
