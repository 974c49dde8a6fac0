// SPDX-License-Identifier: Apache-2.0
// Calibrated and bagged forests: trees are evaluated as such, many draws at a time, and what is
// counted is what the rows say one by one.
#include <croco/models/graph/tree_graph.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/random.hpp>
#include <croco/models/onnx/model.hpp>
#include <tests/fixtures.hpp>
#include <tests/golden.hpp>

namespace croco::onnx {
namespace {

constexpr std::size_t kDraws = 3000;

std::shared_ptr<const Model> load(const std::string& file) {
  SourceColumns columns{.width = 4, .favourable = "1"};
  for (std::size_t j = 0; j < 4; ++j) {
    columns.columns.push_back({.name = "c" + std::to_string(j), .column = j});
  }
  const std::string path = std::string(CROCO_GOLDEN_DIR) + "/onnx/" + file;
  return make_model(parse_onnx(read_file(path), path), columns, path).model;
}

Matrix draws() {
  Sequence random({.seed = 3, .purpose = Purpose::train, .item = 2});
  Matrix out(kDraws, 4);
  for (double& value : out.data) value = 4 * random.uniform() - 2;
  return out;
}

class OnnxTreeGraph : public testing::TestWithParam<std::string> {};

TEST_P(OnnxTreeGraph, CountsAreThoseOfTheRows) {
  const std::shared_ptr<const Model> model = load(GetParam());
  ASSERT_NE(dynamic_cast<const TreeGraphModel*>(model.get()), nullptr);
  EXPECT_EQ(model->gradient(), nullptr);
  const Matrix noise = draws();
  const auto bound = model->bind(noise.rows());
  for (const Vector& point : {Vector{4, 3, 4, 2}, Vector{1, 5, 2, 0}, Vector{7, 0.5, 6, 3.5}}) {
    Matrix rows = noise;
    for (std::size_t k = 0; k < kDraws; ++k) {
      for (std::size_t j = 0; j < 4; ++j) rows.data[k * 4 + j] = point[j] + noise.rows()[k][j];
    }
    Vector expected(kDraws);
    model->logits(rows.rows(), expected);
    // One by one, and many at a time.
    for (const std::size_t k : {std::size_t{0}, kDraws / 2, kDraws - 1}) {
      const double alone = model->logit(rows.rows()[k]);
      EXPECT_TRUE(alone == expected[k] || (std::isnan(alone) && std::isnan(expected[k])));
    }
    for (const double threshold : {-0.6, 0.0, expected[7], 0.8}) {
      for (const bool above : {true, false}) {
        if (std::isnan(threshold)) continue;
        const Cut cut{threshold, above};
        std::size_t failures = 0;
        std::vector<PointDraw> undecided;
        bound->count_failures(Rows{point, 4}, cut, {&failures, 1}, &undecided);
        EXPECT_TRUE(undecided.empty());
        const auto failing =
            std::ranges::count_if(expected, [&](double logit) { return !cut.clears(logit); });
        EXPECT_EQ(failures, static_cast<std::size_t>(failing)) << threshold << above;
      }
    }
    // For a search sums are rounded; few draws are so near to a step that it shows.
    std::vector<float> found(kDraws - 700);
    bound->logits(point, 700, found);
    std::size_t other = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const double logit = expected[700 + k];
      const auto own = static_cast<double>(found[k]);
      other += std::abs(own - logit) < 1e-3 || std::isnan(logit) || std::isnan(own) ? 0U : 1U;
    }
    EXPECT_LE(other, 30U);
  }
  std::vector<float> weights(4, 1.0F);
  Vector gradient(4);
  EXPECT_THROW(bound->add_gradient(Vector(4), 0, weights, gradient), ModelError);
}

INSTANTIATE_TEST_SUITE_P(Files, OnnxTreeGraph,
                         testing::Values("sk_isotonic_forest.onnx", "sk_sigmoid_forest.onnx",
                                         "sk_bagged_trees.onnx"),
                         [](const auto& file) {
                           return file.param.substr(3, file.param.find('.') - 3);
                         });

TEST(OnnxTreeGraphs, RoundingsOfSumsAreInTheTolerance) {
  // Two forests of four trees: a sum in single precision may be off by some 1e-6, a calibrated
  // logit by a multiple of it.
  const auto model = load("sk_sigmoid_forest.onnx");
  const auto& graph = dynamic_cast<const TreeGraphModel&>(*model);
  ASSERT_EQ(graph.forests().size(), 2U);
  const Matrix rows = golden::matrix(golden::list("onnx_sklearn", "cases").front().at("rows"));
  const double moved = graph.moved_by(Vector{1e-6, 1e-6}, rows.rows());
  EXPECT_GT(moved, 1e-7);
  EXPECT_LT(moved, 1e-4);
  EXPECT_GT(graph.tolerance(0.5), 1e-5 + 0x1p-21 / 0.25);
}

TEST(OnnxTreeGraphs, NeedASumForEveryInput) {
  EXPECT_THAT(fixtures::message_of<ModelError>([] {
                return TreeGraphModel({}, PlaneProgram{.inputs = 2, .planes = 2}, {}).width();
              }),
              testing::HasSubstr("a program with 2 inputs is given the sums of 0 forests"));
}

}  // namespace
}  // namespace croco::onnx
