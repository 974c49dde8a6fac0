// SPDX-License-Identifier: Apache-2.0
// Models made by the exporters of PyTorch and scikit-learn, against what those libraries predict.
#include <croco/models/onnx/model.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <croco/base/files.hpp>
#include <croco/models/graph/plane_model.hpp>
#include <croco/models/network/mlp.hpp>
#include <tests/fixtures.hpp>
#include <tests/golden.hpp>

namespace croco::onnx {
namespace {

struct Golden {
  std::string file = {};
  std::shared_ptr<const Model> model = {};
  std::string score = {};
  Matrix rows = {};
  Vector scores = {};
};

/// The columns of a matrix, as a space whose units differ from the model's.
SourceColumns matrix_columns(std::size_t width) {
  SourceColumns out{.width = width};
  for (std::size_t j = 0; j < width; ++j) {
    out.columns.push_back({.name = "c" + std::to_string(j),
                           .column = j,
                           .minimum = -2.0 + static_cast<double>(j),
                           .unit = 1.0 + 0.5 * static_cast<double>(j)});
  }
  return out;
}

/// Every golden model that takes a matrix, bound to such a space, with its rows in it.
const std::vector<Golden>& goldens() {
  static const std::vector<Golden> out = [] {
    std::vector<Golden> all;
    const golden::Json shared = golden::list("onnx_models", "rows");
    for (const auto& value : golden::list("onnx_models", "cases")) {
      if (value.contains("data")) continue;
      Golden one{.file = value.at("file"), .scores = golden::vector(value.at("scores"))};
      const std::string path = std::string(CROCO_GOLDEN_DIR) + "/onnx/" + one.file;
      one.rows = golden::matrix(value.contains("rows") ? value.at("rows") : shared);
      const SourceColumns columns = matrix_columns(one.rows.width);
      CompiledModel bound = make_model(parse_onnx(read_file(path), path), columns, path);
      one.model = std::move(bound.model);
      one.score = std::move(bound.score);
      for (std::size_t k = 0; k < one.rows.count(); ++k) {
        for (std::size_t j = 0; j < columns.width; ++j) {
          one.rows[k][j] = (one.rows[k][j] - columns.columns[j].minimum) / columns.columns[j].unit;
        }
      }
      all.push_back(std::move(one));
    }
    return all;
  }();
  return out;
}

const Golden& find(const std::string& file) {
  for (const Golden& one : goldens()) {
    if (one.file == file + ".onnx") return one;
  }
  throw std::runtime_error(file + ": no such golden model");
}

TEST(OnnxModel, ScoresAreThoseOfTheLibrary) {
  ASSERT_GE(goldens().size(), 26U);
  for (const Golden& one : goldens()) {
    Vector logits(one.rows.count());
    one.model->logits(one.rows.rows(), logits);
    for (std::size_t k = 0; k < logits.size(); ++k) {
      ASSERT_NEAR(sigmoid(logits[k]), one.scores[k], 1e-5) << one.file << ", row " << k;
    }
  }
}

TEST(OnnxModel, RowsDoNotDependOnTheirBatch) {
  for (const Golden& one : goldens()) {
    Vector logits(one.rows.count());
    one.model->logits(one.rows.rows(), logits);
    for (std::size_t k = 0; k < logits.size(); k += 37) {
      EXPECT_EQ(one.model->logit(one.rows[k]), logits[k]) << one.file << ", row " << k;
    }
  }
}

TEST(OnnxModel, GradientsAreCentralDifferences) {
  for (const Golden& one : goldens()) {
    const Gradient* gradient = one.model->gradient();
    ASSERT_NE(gradient, nullptr) << one.file;
    for (std::size_t k = 0; k < 20; ++k) {
      const View row = one.rows[k];
      Vector found(row.size());
      EXPECT_EQ(gradient->logit_gradient(row, found), one.model->logit(row)) << one.file;
      // Graphs that jump are rounded to single precision all along; so are their differences.
      const auto* planes = dynamic_cast<const PlaneModel*>(one.model.get());
      const bool rounded = planes != nullptr && planes->by_rows();
      const Vector expected =
          fixtures::central_difference([&](View point) { return one.model->logit(point); },
                                       Vector(row.begin(), row.end()), rounded ? 1e-3 : 1e-6);
      const double slack = rounded ? 5e-4 : 1e-4;
      for (std::size_t j = 0; j < found.size(); ++j) {
        EXPECT_NEAR(found[j], expected[j], slack * std::max(1.0, std::abs(expected[j])))
            << one.file << ", row " << k << ", column " << j;
      }
    }
  }
}

TEST(OnnxModel, PlainStacksBecomeTheFastNetwork) {
  const auto network = [](const std::string& file) {
    return dynamic_cast<const Mlp*>(find(file).model.get());
  };
  for (const char* file : {"torch_relu", "torch_leaky_relu", "torch_elu", "torch_tanh",
                           "torch_sigmoid", "torch_gelu", "torch_batchnorm", "torch_softmax",
                           "torch_log_softmax", "torch_linear", "sklearn_matrix"}) {
    EXPECT_NE(network(file), nullptr) << file;
  }
  // Batch normalisations, dropout and the scale of the columns are folded into the layers.
  ASSERT_NE(network("torch_batchnorm"), nullptr);
  EXPECT_EQ(network("torch_batchnorm")->layers().size(), 3U);
  ASSERT_NE(network("torch_linear"), nullptr);
  EXPECT_EQ(network("torch_linear")->layers().size(), 1U);
}

TEST(OnnxModel, OtherGraphsProjectTheirAffineBeginning) {
  for (const char* file : {"torch_residual", "torch_layernorm", "torch_steep_leaky_relu",
                           "torch_selu", "torch_shapes"}) {
    const auto* model = dynamic_cast<const PlaneModel*>(find(file).model.get());
    ASSERT_NE(model, nullptr) << file;
    EXPECT_TRUE(model->projects()) << file;
  }
}

TEST(OnnxModel, SaysHowTheOutputIsRead) {
  EXPECT_EQ(find("torch_softmax").score, "'score': the difference of the inputs of its softmax");
  EXPECT_EQ(find("torch_batchnorm").score, "'score': the input of its sigmoid");
  EXPECT_EQ(find("torch_relu").score, "'score': a logit");
  EXPECT_EQ(find("torch_residual").score, "'score': the difference of two logits");
}

/// Bound draws against the model on the sums.
void expect_bound(const Model& model, const DrawEvaluator& bound, Rows points, Rows draws,
                  const DrawnFlips& flips) {
  for (std::size_t p = 0; p < points.count(); ++p) {
    std::vector<float> logits(draws.count() - 3);
    bound.logits(points[p], 3, logits);
    Vector gradient(points.width);
    Vector expected(points.width);
    std::vector<float> weights(draws.count(), 0.0F);
    std::size_t below = 0;
    for (std::size_t k = 0; k < draws.count(); ++k) {
      Vector row(draws[k].begin(), draws[k].end());
      if (!flips.empty()) add_flips(flips.categories, flips.of(k), points[p], row);
      for (std::size_t j = 0; j < row.size(); ++j) row[j] += points[p][j];
      const double logit = model.logit(row);
      below += logit <= 0.1 ? 1U : 0U;
      if (k >= 3) {
        ASSERT_NEAR(static_cast<double>(logits[k - 3]), logit, 1e-5 * (1 + std::abs(logit)));
      }
      if (k % 3 == 0) {
        weights[k] = 0.25F * static_cast<float>(k % 7);
        Vector one(row.size());
        model.gradient()->logit_gradient(row, one);
        for (std::size_t j = 0; j < one.size(); ++j) {
          expected[j] += static_cast<double>(weights[k]) * one[j];
        }
      }
    }
    bound.add_gradient(points[p], 0, weights, gradient);
    for (std::size_t j = 0; j < gradient.size(); ++j) {
      EXPECT_NEAR(gradient[j], expected[j], 1e-5 * (1 + std::abs(expected[j])));
    }
    std::size_t count = 0;
    std::vector<PointDraw> undecided;
    bound.count_failures({points[p], points.width}, Cut{0.1}, {&count, 1}, &undecided);
    EXPECT_LE(count, below);
    EXPECT_GE(count + undecided.size(), below);
    EXPECT_LE(undecided.size(), 1U);
  }
}

TEST(OnnxModel, BoundDrawsAreTheModelOnSums) {
  const Golden& one = find("torch_residual");
  Matrix draws(700, one.rows.width);
  draws.data = fixtures::random_vector(draws.data.size(), 5, -0.5, 0.5);
  const auto bound = one.model->bind(draws.rows());
  EXPECT_EQ(bound->count(), 700U);
  EXPECT_EQ(bound->fixed_at(one.rows[0]), nullptr);
  expect_bound(*one.model, *bound, one.rows.rows().slice(0, 4), draws.rows(), {});
}

TEST(OnnxModel, BoundDrawsHaveFlips) {
  const Golden& one = find("torch_layernorm");
  Matrix draws(500, one.rows.width);
  draws.data = fixtures::random_vector(draws.data.size(), 6, -0.5, 0.5);
  // Columns 1 .. 3 stand for a category of three levels.
  const std::vector<LevelFlips> categories{LevelFlips::uniform({1, 3}, 0.4, {true, true, true})};
  DrawnFlips flips{categories, {}};
  const Vector uniform = fixtures::random_vector(draws.count(), 7, 0, 1);
  for (const double u : uniform) {
    flips.cells.push_back(static_cast<std::uint32_t>(categories[0].cell_of(u)));
  }
  Matrix points(3, one.rows.width);
  for (std::size_t p = 0; p < 3; ++p) {
    points[p][0] = 0.2;
    points[p][1 + p] = 1;
    points[p][5] = 0.7;
  }
  const auto bound = one.model->bind_flips(draws.rows(), flips);
  expect_bound(*one.model, *bound, points.rows(), draws.rows(), flips);
  const auto fixed = bound->fixed_at(points[1]);
  ASSERT_NE(fixed, nullptr);
  expect_bound(*one.model, *fixed, points.rows().slice(1, 1), draws.rows(), flips);
}

}  // namespace
}  // namespace croco::onnx
