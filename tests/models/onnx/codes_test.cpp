// SPDX-License-Identifier: Apache-2.0
// Categories that a file takes as numbers: encoders of codes are as smooth as those of texts.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <croco/models/network/mlp.hpp>
#include <croco/models/onnx/model.hpp>
#include <croco/models/trees/tree_model.hpp>

namespace croco::onnx {
namespace {

/// One number in, one out.
File graph(std::vector<Node> nodes, std::vector<Tensor> initializers, bool is_double = false) {
  File file;
  file.ir_version = 8;
  file.opsets = {{"", 17}, {"ai.onnx.ml", 3}};
  file.inputs = {{"x", ElementType::floating, true, {kOpenDimension, 1}}};
  file.inputs[0].is_double = is_double;
  file.outputs = {{"y", ElementType::floating, true, {kOpenDimension, 1}}};
  file.nodes = std::move(nodes);
  file.initializers = std::move(initializers);
  return file;
}

Node node(const std::string& op, std::vector<std::string> in, const std::string& out,
          std::vector<Attribute> attributes = {}, const std::string& domain = "") {
  return {.name = {},
          .op = op,
          .domain = domain,
          .inputs = std::move(in),
          .outputs = {out},
          .attributes = std::move(attributes)};
}

Tensor tensor(const std::string& name, std::vector<std::int64_t> shape, Vector numbers) {
  return {name, ElementType::floating, std::move(shape), std::move(numbers), {}};
}

Attribute to(std::int64_t type) { return {.name = "to", .i = type}; }
constexpr std::int64_t kSingleType = 1;
constexpr std::int64_t kIntegerType = 7;

/// A column that the schema says is a category, with codes for levels.
SourceColumns coded(std::vector<std::string> levels) {
  SourceColumns out{.width = levels.size()};
  out.columns.push_back({.name = "x", .column = 0, .levels = std::move(levels)});
  out.choice.kind = ScoreKind::logit;
  return out;
}

/// The logits of all levels.
Vector of_levels(const Model& model) {
  Matrix rows(0, model.width());
  for (std::size_t level = 0; level < model.width(); ++level) {
    Vector row(model.width(), 0.0);
    row[level] = 1;
    rows.append(row);
  }
  Vector out(rows.count());
  model.logits(rows.rows(), out);
  return out;
}

/// As scikit-learn's encoder of a column of floats is exported.
std::vector<Node> one_hot() {
  return {
      node("Cast", {"x"}, "i", {to(kIntegerType)}),
      node("OneHotEncoder", {"i"}, "o", {{.name = "cats_int64s", .ints = {0, 1, 2}}}, "ai.onnx.ml"),
      node("Flatten", {"o"}, "f")};
}

TEST(OnnxCodes, OneHotEncodersOfFloatsAreLinear) {
  std::vector<Node> nodes = one_hot();
  nodes.push_back(node("MatMul", {"f", "w"}, "y"));
  const File file = graph(nodes, {tensor("w", {3, 1}, {0.5, -1, 2})});
  const auto model = make_model(file, coded({"0.0", "1.0", "2.0"}), "m.onnx").model;
  ASSERT_NE(model->linear_form(), nullptr);
  EXPECT_THAT(of_levels(*model), testing::ElementsAre(0.5, -1, 2));
  // The same column as a number: the encoder truncates it, and a gradient says nothing.
  SourceColumns number{.width = 1, .columns = {{.name = "x"}}};
  number.choice.kind = ScoreKind::logit;
  EXPECT_EQ(make_model(file, number, "m.onnx").model->gradient(), nullptr);
}

TEST(OnnxCodes, LevelsThatAnEncoderDoesNotHaveAreNone) {
  std::vector<Node> nodes = one_hot();
  nodes.push_back(node("MatMul", {"f", "w"}, "y"));
  const auto model = make_model(graph(nodes, {tensor("w", {3, 1}, {0.5, -1, 2})}),
                                coded({"0.0", "1.9", "7.0"}), "m.onnx")
                         .model;
  EXPECT_THAT(of_levels(*model), testing::ElementsAre(0.5, -1, 0));
}

/// Equal, And, Or and Not of one column are functions of its level.
TEST(OnnxCodes, ComparisonsOfCodesAreLinear) {
  const std::vector<Node> nodes = {node("Equal", {"x", "one"}, "e"),
                                   node("Greater", {"x", "one"}, "g"),
                                   node("Or", {"e", "g"}, "or"),
                                   node("Not", {"or"}, "not"),
                                   node("Cast", {"not"}, "a", {to(kSingleType)}),
                                   node("Cast", {"e"}, "b", {to(kSingleType)}),
                                   node("Concat", {"a", "b"}, "c", {{.name = "axis", .i = 1}}),
                                   node("MatMul", {"c", "w"}, "y")};
  const auto model =
      make_model(graph(nodes, {tensor("one", {1}, {1}), tensor("w", {2, 1}, {-3, 5})}),
                 coded({"0.0", "1.0", "2.0"}), "m.onnx")
          .model;
  ASSERT_NE(model->linear_form(), nullptr);
  EXPECT_THAT(of_levels(*model), testing::ElementsAre(-3, 5, 0));
}

/// What is compared is what the runtime has read: .1 is another number in single precision.
TEST(OnnxCodes, CodesAreReadInThePrecisionOfTheFile) {
  const std::vector<Node> nodes = {node("Equal", {"x", "tenth"}, "e"),
                                   node("Cast", {"e"}, "y", {to(kSingleType)})};
  for (const bool is_double : {false, true}) {
    const double tenth = is_double ? 0.1 : static_cast<double>(0.1F);
    const File file = graph(nodes, {tensor("tenth", {1}, {tenth})}, is_double);
    const auto model = make_model(file, coded({"0.1", "0.2"}), "m.onnx").model;
    EXPECT_THAT(of_levels(*model), testing::ElementsAre(1, 0)) << is_double;
  }
}

TEST(OnnxCodes, TreesBehindAnEncoderOfFloatsAreTrees) {
  std::vector<Node> nodes = one_hot();
  Node trees = node("TreeEnsembleRegressor", {"f"}, "y", {}, "ai.onnx.ml");
  const auto ints = [&](const std::string& name, std::vector<std::int64_t> values) {
    trees.attributes.push_back({.name = name, .ints = std::move(values)});
  };
  ints("nodes_treeids", {0, 0, 0});
  ints("nodes_nodeids", {0, 1, 2});
  ints("nodes_featureids", {1, 0, 0});
  ints("nodes_truenodeids", {1, 0, 0});
  ints("nodes_falsenodeids", {2, 0, 0});
  trees.attributes.push_back({.name = "nodes_modes", .strings = {"BRANCH_LEQ", "LEAF", "LEAF"}});
  trees.attributes.push_back({.name = "nodes_values", .floats = {0.5, 0, 0}});
  ints("target_treeids", {0, 0});
  ints("target_nodeids", {1, 2});
  ints("target_ids", {0, 0});
  trees.attributes.push_back({.name = "target_weights", .floats = {-2, 3}});
  nodes.push_back(trees);
  const auto model = make_model(graph(nodes, {}), coded({"0.0", "1.0", "2.0"}), "m.onnx").model;
  EXPECT_NE(dynamic_cast<const TreeModel*>(model.get()), nullptr);
  EXPECT_THAT(of_levels(*model), testing::ElementsAre(-2, 3, -2));
}

}  // namespace
}  // namespace croco::onnx
