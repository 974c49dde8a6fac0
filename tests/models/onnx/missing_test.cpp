// SPDX-License-Identifier: Apache-2.0
// Graphs for rows that lack values, against scikit-learn; see tests/golden/make_onnx_missing.py.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/models/network/mlp.hpp>
#include <croco/models/onnx/model.hpp>
#include <croco/models/probability_model.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <tests/fixtures.hpp>
#include <tests/golden.hpp>

namespace croco::onnx {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

constexpr std::size_t kWidth = 5;

File file_of(const std::string& name) {
  const std::string path = std::string(CROCO_GOLDEN_DIR) + "/onnx/" + name;
  return parse_onnx(read_file(path), name);
}

/// A space whose units differ from the model's; powers of two, as exact numbers have them.
SourceColumns columns_without(const std::vector<bool>& missing) {
  SourceColumns out{.width = kWidth};
  for (std::size_t j = 0; j < kWidth; ++j) {
    out.columns.push_back({.name = "c" + std::to_string(j),
                           .column = j,
                           .unit = j % 2 == 0 ? 2.0 : 0.5,
                           .missing = missing[j]});
  }
  return out;
}

TEST(OnnxMissing, ScoresOfRowsThatLackValuesAreThoseOfTheLibrary) {
  const golden::Json rows = golden::list("onnx_missing", "rows");
  for (const golden::Json& value : golden::list("onnx_missing", "cases")) {
    const std::string name = value.at("file");
    const File file = file_of(name);
    const Vector scores = golden::vector(value.at("scores"));
    std::size_t lacking = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      std::vector<bool> missing;
      Vector point(kWidth, 7.0);  // whatever is missing holds this
      for (std::size_t j = 0; j < kWidth; ++j) {
        missing.push_back(rows[k][j].is_null());
        if (!missing[j]) point[j] = rows[k][j].get<double>() / (j % 2 == 0 ? 2.0 : 0.5);
      }
      lacking += std::ranges::count(missing, true) > 0 ? 1U : 0U;
      const auto model = make_model(file, columns_without(missing), name).model;
      ASSERT_NEAR(sigmoid(model->logit(point)), scores[k], 1e-5) << name << ", row " << k;
      // Values of the missing columns make no difference, in draws neither.
      Matrix draws(8, kWidth);
      for (std::size_t i = 0; i < draws.count(); ++i) {
        for (std::size_t j = 0; j < kWidth; ++j) {
          if (missing[j]) draws[i][j] = static_cast<double>(i) - 4;
        }
      }
      std::vector<float> logits(draws.count());
      model->bind(draws.rows())->logits(point, 0, logits);
      for (const float logit : logits) {
        EXPECT_NEAR(static_cast<double>(logit), model->logit(point), 1e-4) << name;
      }
    }
    EXPECT_GT(lacking, 50U);
  }
}

TEST(OnnxMissing, GraphsStayTheFastModelsThatTheyAre) {
  const std::vector<bool> missing{false, true, false, false, true};
  const auto trees = make_model(file_of("missing_boosting.onnx"), columns_without(missing), "m");
  EXPECT_NE(dynamic_cast<const TreeModel*>(trees.model.get()), nullptr);
  const auto forest =
      make_model(file_of("missing_imputed_forest.onnx"), columns_without(missing), "m");
  EXPECT_NE(dynamic_cast<const ProbabilityModel*>(forest.model.get()), nullptr);
  const auto network =
      make_model(file_of("missing_imputed_network.onnx"), columns_without(missing), "m");
  EXPECT_NE(dynamic_cast<const Mlp*>(network.model.get()), nullptr);
}

TEST(OnnxMissing, GraphsThatComputeWithNaNAreRefused) {
  const File file = file_of("sklearn_matrix.onnx");
  SourceColumns columns{.width = 6};
  for (std::size_t j = 0; j < 6; ++j) {
    columns.columns.push_back({.name = "c" + std::to_string(j), .column = j, .missing = j == 3});
  }
  EXPECT_THAT(message_of<ModelError>([&] { return make_model(file, columns, "m.onnx"); }),
              HasSubstr("it computes with the value of 'c3', which is missing"));
}

}  // namespace
}  // namespace croco::onnx
