// SPDX-License-Identifier: Apache-2.0
// CatBoost's files against CatBoost itself; see tests/golden/make_catboost_models.py.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/city_hash.hpp>
#include <croco/models/files/catboost_file.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <tests/golden.hpp>
#include <tests/trees.hpp>

namespace croco {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The code of a text, as `loading/category_codes` finds it.
double code_of(const TreeEnsemble& ensemble, std::size_t column, const std::string& text) {
  const std::vector<std::int32_t>& hashes = ensemble.hashed_levels.at(column).value();
  const auto hash = static_cast<std::int32_t>(static_cast<std::uint32_t>(city_hash(text)));
  return static_cast<double>(std::ranges::find(hashes, hash) - hashes.begin());
}

/// Rows in which null means a missing value and texts are categories.
Matrix rows_of(const TreeEnsemble& ensemble, const golden::Json& value) {
  Matrix out(0, value.at(0).size());
  for (const golden::Json& row : value) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      out.data.push_back(row[j].is_null()     ? kNaN
                         : row[j].is_string() ? code_of(ensemble, j, row[j].get<std::string>())
                                              : row[j].get<double>());
    }
  }
  return out;
}

/// A bias in other units than the leaves is rounded otherwise.
double allowed(const std::string& file) { return file == "cat_scaled.json" ? 1e-14 : 0; }

Vector logits_of(const TreeEnsemble& ensemble, const Matrix& rows) {
  const TreeModel trees(ensemble, InputColumns::identity(ensemble.width));
  Vector out(rows.count());
  trees.logits(rows.rows(), out);
  return out;
}

TEST(CatboostGolden, EveryModelGivesCatboostsMarginsToTheLastBit) {
  for (const golden::Json& model : golden::list("catboost", "models")) {
    const std::string file = model.at("file");
    const TreeEnsemble ensemble = fixtures::golden_trees(file);
    EXPECT_EQ(ensemble.names, model.at("columns").get<std::vector<std::string>>()) << file;
    const Matrix rows = rows_of(ensemble, model.at("rows"));
    const Vector margins = golden::vector(model.at("margins"));
    const Vector logits = logits_of(ensemble, rows);
    std::size_t different = 0;
    const TreeModel trees(ensemble, InputColumns::identity(ensemble.width));
    for (std::size_t k = 0; k < logits.size(); ++k) {
      different += std::abs(logits[k] - margins[k]) <= allowed(file) ? 0U : 1U;
      EXPECT_LE(std::abs(logits[k] - margins[k]), trees.tolerance(0.5)) << file << ", row " << k;
    }
    EXPECT_EQ(different, 0U) << file << " of " << logits.size();
  }
}

TEST(CatboostGolden, AModelWithoutTheMissingColumnsGivesTheSameMargins) {
  std::size_t rows_with_blanks = 0;
  for (const golden::Json& model : golden::list("catboost", "models")) {
    const std::string file = model.at("file");
    const TreeEnsemble ensemble = fixtures::golden_trees(file);
    const Matrix rows = rows_of(ensemble, model.at("rows"));
    const Vector margins = golden::vector(model.at("margins"));
    for (std::size_t k = 0; k < rows.count(); ++k) {
      Vector point(rows[k].begin(), rows[k].end());
      std::vector<InputColumn> columns(ensemble.width);
      bool blanks = false;
      for (std::size_t j = 0; j < columns.size(); ++j) {
        columns[j].column = j;
        if (!std::isnan(point[j])) continue;
        blanks = true;
        columns[j] = InputColumn::constant_of(kNaN);
        point[j] = 12.5;  // whatever the point holds there
      }
      if (!blanks) continue;
      ++rows_with_blanks;
      const TreeModel trees(ensemble, InputColumns(ensemble.width, std::move(columns)));
      EXPECT_NEAR(trees.logit(point), margins[k], allowed(file)) << file << ", row " << k;
    }
  }
  EXPECT_GT(rows_with_blanks, 100U);
}

TEST(CatboostGolden, RoundsAreTreesAndTheBiasStays) {
  std::size_t choices = 0;
  for (const golden::Json& model : golden::list("catboost", "models")) {
    const std::string file = model.at("file");
    for (const auto& [rounds, margins] : model.at("rounds").items()) {
      const TreeEnsemble ensemble =
          parse_catboost(fixtures::tree_file(file), file, parse_rounds(rounds));
      EXPECT_EQ(logits_of(ensemble, rows_of(ensemble, model.at("rows"))), golden::vector(margins))
          << file << ", " << rounds;
      ++choices;
    }
  }
  EXPECT_EQ(choices, 4U);
}

TEST(CatboostGolden, WhatTheFilesSayOfTheirColumnsAndClasses) {
  const TreeEnsemble named = fixtures::golden_trees("cat_categories.json");
  EXPECT_EQ(named.classes, (std::vector<std::string>{"bad", "good"}));
  ASSERT_EQ(named.hashed_levels.size(), 7U);
  EXPECT_FALSE(named.hashed_levels[0].has_value());
  EXPECT_TRUE(named.hashed_levels[5].has_value());
  EXPECT_EQ(fixtures::golden_trees("cat_numbers.json").classes,
            (std::vector<std::string>{"0", "1"}));
  EXPECT_TRUE(fixtures::golden_trees("cat_cross_entropy.json").names.empty());
  const TreeEnsemble early = fixtures::golden_trees("cat_early.json");
  EXPECT_EQ(early.rounds.used, early.rounds.saved) << "CatBoost itself uses all trees of a file";
}

}  // namespace
}  // namespace croco
