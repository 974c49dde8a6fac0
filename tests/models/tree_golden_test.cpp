// SPDX-License-Identifier: Apache-2.0
// Tree ensembles against the libraries that grew them; see tests/golden/make_tree_models.py.
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <croco/base/files.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/lightgbm_file.hpp>
#include <croco/models/model_format.hpp>
#include <croco/models/tree_model.hpp>
#include <croco/models/xgboost_file.hpp>
#include <tests/golden.hpp>

namespace croco {
namespace {

TreeEnsemble read_ensemble(const std::string& file) {
  const std::string bytes = read_file(std::string(CROCO_GOLDEN_DIR) + "/trees/" + file);
  switch (format_of(bytes)) {
    case ModelFormat::xgboost_json:
      return parse_xgboost(bytes, file);
    case ModelFormat::xgboost_ubjson:
      return parse_xgboost_ubjson(bytes, file);
    case ModelFormat::lightgbm:
      return parse_lightgbm(bytes, file);
    case ModelFormat::onnx:
    case ModelFormat::croco:
      break;
  }
  ADD_FAILURE() << file << " is not recognised";
  return {};
}

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
      const TreeEnsemble ensemble = read_ensemble(file.get<std::string>());
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

TEST(TreeGolden, LevelsOfCategoriesComeWithTheModel) {
  const std::vector<std::string> levels{"car",   "furniture", "other",
                                        "radio", "repairs",   "study trip"};
  for (const std::string file :
       {"xgb_categories.json", "xgb_categories.ubj", "lgb_categories.txt"}) {
    const TreeEnsemble ensemble = read_ensemble(file);
    ASSERT_EQ(ensemble.levels.size(), 6U) << file;
    EXPECT_EQ(ensemble.levels[5], levels) << file;
    EXPECT_TRUE(ensemble.levels[0].empty()) << file;
  }
}

}  // namespace
}  // namespace croco
