// SPDX-License-Identifier: Apache-2.0
// Whether an ONNX file means to croco what it means to its runtime: what the output is, which bit
// decides at a jump, and where no answer is clear. Expected decisions are those of onnxruntime.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/models/graph/plane_model.hpp>
#include <croco/models/onnx/model.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <croco/robustness/problem.hpp>
#include <tests/fixtures.hpp>
#include <tests/onnx_columns.hpp>

namespace croco::onnx {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

const std::string kTables = "ai.onnx.ml";

/// One matrix in, one out.
File graph(std::int64_t in, std::int64_t out, std::vector<Node> nodes,
           std::vector<Tensor> initializers = {}) {
  File file;
  file.ir_version = 8;
  file.opsets = {{"", 17}, {kTables, 3}};
  file.inputs = {{"x", ElementType::floating, true, {kOpenDimension, in}}};
  file.outputs = {{"y", ElementType::floating, true, {kOpenDimension, out}}};
  file.nodes = std::move(nodes);
  file.initializers = std::move(initializers);
  return file;
}

CompiledModel made(const File& file, ScoreChoice choice = {}) {
  SourceColumns columns = fixtures::columns_of(file);
  columns.choice = choice;
  return make_model(file, columns, "m.onnx");
}

Tensor tensor(const std::string& name, std::vector<std::int64_t> shape, Vector numbers,
              ElementType type = ElementType::floating) {
  return {name, type, std::move(shape), std::move(numbers), {}};
}

Node node(const std::string& op, std::vector<std::string> in, const std::string& out) {
  return {.name = {}, .op = op, .inputs = std::move(in), .outputs = {out}};
}

/// How scikit-learn's logistic regression ends on columns of double precision: a probability whose
/// logit is known, and not the difference of two logits.
TEST(OnnxRuntime, NormalisedSigmoidsHaveTheLogitOfTheirSigmoid) {
  std::vector<Node> nodes = {node("Sigmoid", {"x"}, "s"),           node("Sub", {"one", "s"}, "o"),
                             node("Concat", {"o", "s"}, "c"),       node("Abs", {"c"}, "a"),
                             node("ReduceSum", {"a", "axes"}, "t"), node("Div", {"c", "t"}, "y")};
  nodes[2].attributes = {{.name = "axis", .i = 1}};
  nodes[4].attributes = {{.name = "keepdims", .i = 1}};
  const CompiledModel bound = made(graph(
      1, 2, nodes, {tensor("one", {1}, {1}), tensor("axes", {1}, {1}, ElementType::integer)}));
  EXPECT_THAT(bound.score, HasSubstr("the input of its sigmoid"));
  for (const double z : {-2.0, -0.4, 0.0, 0.3, 1.7}) {
    EXPECT_NEAR(bound.model->logit(Vector{z}), z, 1e-6);
  }
}

/// The same of a layer with opposite rows: the model is linear, and croco sees that.
TEST(OnnxRuntime, NormalisedSigmoidsOfOppositeScoresAreLinear) {
  const auto file = [](double second_bias, const char* whole) {
    std::vector<Node> nodes = {node("MatMul", {"x", "w"}, "m"),
                               node("Add", {"m", "b"}, "z"),
                               node("Sigmoid", {"z"}, "s"),
                               node("Abs", {"s"}, "a"),
                               node("ReduceSum", {whole, "axes"}, "t"),
                               node("Div", {"s", "t"}, "y")};
    nodes[4].attributes = {{.name = "keepdims", .i = 1}};
    File out = graph(
        2, 2, nodes,
        {tensor("w", {2, 2}, {-1.5, 1.5, 0.25, -0.25}), tensor("b", {1, 2}, {-0.5, second_bias}),
         tensor("axes", {1}, {1}, ElementType::integer)});
    out.inputs[0].is_double = true;
    return out;
  };
  for (const char* whole : {"a", "s"}) {
    const CompiledModel bound = made(file(0.5, whole));
    EXPECT_THAT(bound.score, HasSubstr("the input of its sigmoid"));
    EXPECT_NE(bound.model->linear_form(), nullptr);
    EXPECT_NEAR(bound.model->logit(Vector{1, 2}), 1.5, 1e-12);
  }
  // Scores that are not opposite do not add up to 1, so the logit is that of their share.
  const CompiledModel other = made(file(0.75, "a"));
  EXPECT_EQ(other.model->linear_form(), nullptr);
  const double own = sigmoid(1.75);
  EXPECT_NEAR(sigmoid(other.model->logit(Vector{1, 2})), own / (own + sigmoid(-1.5)), 1e-12);
}

TEST(OnnxRuntime, LogarithmsOfProbabilitiesAreNoPartsOfShares) {
  // l / (l + (1 - l)) is l, which is below 0, so it is no probability that a logit belongs to.
  std::vector<Node> nodes = {node("LogSoftmax", {"x"}, "l"), node("Sub", {"one", "l"}, "o"),
                             node("Add", {"l", "o"}, "t"), node("Div", {"l", "t"}, "y")};
  const CompiledModel bound = made(graph(2, 2, nodes, {tensor("one", {1}, {1})}));
  EXPECT_THAT(bound.score, HasSubstr("the difference of two logits"));
}

TEST(OnnxRuntime, AveragesOfProbabilitiesAreProbabilities) {
  const std::vector<Node> nodes = {node("Sigmoid", {"x"}, "s"), node("MatMul", {"s", "w"}, "y")};
  const CompiledModel bound = made(graph(2, 1, nodes, {tensor("w", {2, 1}, {0.25, 0.75})}));
  EXPECT_THAT(bound.score, HasSubstr("probability"));
  EXPECT_NEAR(sigmoid(bound.model->logit(Vector{0, 0})), 0.5, 1e-9);
}

TEST(OnnxRuntime, NumbersOutsideOfShareAreLogits) {
  const CompiledModel bound =
      made(graph(2, 1, {node("MatMul", {"x", "w"}, "y")}, {tensor("w", {2, 1}, {0.25, -0.5})}));
  EXPECT_THAT(bound.score, HasSubstr("a logit"));
  EXPECT_NEAR(bound.model->logit(Vector{2, 1}), 0, 1e-12);
}

TEST(OnnxRuntime, RefusesWhatMayBeEither) {
  // e / (1 + e) is between 0 and 1 for every row, but no function of the file says so.
  const File file = graph(
      1, 1, {node("Exp", {"x"}, "e"), node("Add", {"e", "one"}, "w"), node("Div", {"e", "w"}, "y")},
      {tensor("one", {1}, {1})});
  EXPECT_THAT(message_of<ModelError>([&] { return made(file); }),
              HasSubstr("m.onnx: the output 'y' may be a probability or a logit"));
  EXPECT_NEAR(made(file, {.kind = ScoreKind::probability}).model->logit(Vector{0.7}), 0.7, 1e-5);
  EXPECT_NEAR(made(file, {.kind = ScoreKind::logit}).model->logit(Vector{0.7}), sigmoid(0.7), 1e-5);
}

TEST(OnnxRuntime, RefusesSharesThatAreNotThoseOfTwoClasses) {
  EXPECT_THAT(message_of<ModelError>([&] {
                return made(graph(2, 2, {node("Sigmoid", {"x"}, "s"), node("Abs", {"s"}, "y")}));
              }),
              HasSubstr("the probabilities of two classes add up to 1"));
}

/// .7 is a little above the single-precision number next to it, which the file holds and which
/// inputs are rounded to before they are compared.
TEST(OnnxRuntime, ComparesInSinglePrecision) {
  File file = graph(1, 1,
                    {node("Binarizer", {"x"}, "b"), node("MatMul", {"b", "w"}, "m"),
                     node("Sub", {"m", "one"}, "y")},
                    {tensor("w", {1, 1}, {3}), tensor("one", {1}, {1})});
  file.nodes[0].domain = kTables;
  file.nodes[0].attributes = {{.name = "threshold", .f = static_cast<double>(0.7F)}};
  const auto model = made(file).model;
  EXPECT_EQ(model->logit(Vector{0.7}), -1);
  EXPECT_EQ(model->logit(Vector{static_cast<double>(0.7F)}), -1);
  EXPECT_EQ(model->logit(Vector{static_cast<double>(std::nextafter(0.7F, 1.0F))}), 2);
  // The same numbers in double precision: the file's .7 is below the user's.
  file.inputs[0].is_double = true;
  EXPECT_EQ(made(file).model->logit(Vector{0.7}), 2);
}

/// y = 3 where `last` exceeds the threshold, else 0, minus 1.
File binarized(std::vector<Node> nodes, const std::string& last, double threshold,
               std::int64_t columns = 1) {
  nodes.push_back(node("Binarizer", {last}, "b"));
  nodes.back().domain = kTables;
  nodes.back().attributes = {{.name = "threshold", .f = threshold}};
  nodes.push_back(node("MatMul", {"b", "w"}, "m"));
  nodes.push_back(node("Sub", {"m", "one"}, "y"));
  Vector weights(static_cast<std::size_t>(columns), 0.0);
  weights[0] = 3;
  return graph(columns, 1, std::move(nodes),
               {tensor("w", {columns, 1}, weights), tensor("one", {1}, {1})});
}

/// These operators give single precision whatever they are given, and the last bit shows behind
/// them. Decisions of onnxruntime for .7, which is above the threshold .7F in double alone.
TEST(OnnxRuntime, SomeOperatorsRoundToSinglePrecision) {
  const double threshold = static_cast<double>(0.7F);
  for (const char* op : {"FeatureVectorizer", "Scaler"}) {
    Node first = node(op, {"x"}, "s");
    first.domain = kTables;
    first.attributes = {{.name = "inputdimensions", .ints = {1}},
                        {.name = "scale", .floats = {1}},
                        {.name = "offset", .floats = {0}}};
    File file = binarized({first}, "s", threshold);
    file.inputs[0].is_double = true;
    const auto model = made(file).model;
    EXPECT_EQ(model->logit(Vector{0.7}), -1) << op;
    EXPECT_EQ(model->logit(Vector{static_cast<double>(std::nextafter(0.7F, 1.0F))}), 2) << op;
  }
}

TEST(OnnxRuntime, WholeNumbersAreRoundedWhenTheyBecomeSingle) {
  // 2^24 + 1 has no number of single precision; it becomes 2^24.
  Node cast = node("Cast", {"x"}, "c");
  cast.attributes = {{.name = "to", .i = 1}};
  File file = binarized({cast}, "c", 0x1p24);
  file.inputs[0].type = ElementType::integer;
  const auto model = made(file).model;
  EXPECT_EQ(model->logit(Vector{0x1p24 + 1}), -1);
  EXPECT_EQ(model->logit(Vector{0x1p24 + 2}), 2);
}

/// A single-precision number times 3 in double precision, compared with just that product: to
/// single precision it would be rounded upwards.
TEST(OnnxRuntime, ComputesInDoublePrecisionBehindItsCast) {
  const double product = 3 * static_cast<double>(0.1F);
  ASSERT_GT(static_cast<double>(static_cast<float>(product)), product);
  for (const char* op : {"Cast", "CastLike"}) {
    Node cast = node(op, {"x", "z"}, "c");
    if (std::string(op) == "Cast") {
      cast.inputs.pop_back();
      cast.attributes = {{.name = "to", .i = 11}};
    }
    File file = graph(1, 1,
                      {cast, node("Mul", {"c", "three"}, "p"), node("Greater", {"p", "c0"}, "g"),
                       node("Cast", {"g"}, "f"), node("Sub", {"f", "half"}, "d"),
                       node("Mul", {"d", "four"}, "y")},
                      {tensor("three", {1}, {3}), tensor("c0", {1}, {product}),
                       tensor("half", {1}, {0.5}), tensor("four", {1}, {4})});
    file.nodes[3].attributes = {{.name = "to", .i = 1}};
    file.inputs.push_back({"z", ElementType::floating, true, {kOpenDimension, 1}});
    file.inputs[1].is_double = true;
    const auto model = made(file).model;
    EXPECT_EQ(model->logit(Vector{0.1, 0}), -2) << op;
    EXPECT_EQ(model->logit(Vector{static_cast<double>(std::nextafter(0.1F, 1.0F)), 0}), 2) << op;
  }
}

TEST(OnnxRuntime, RefusesPrecisionsThatItDoesNotHave) {
  Node cast = node("Cast", {"x"}, "y");
  cast.attributes = {{.name = "to", .i = 10}};
  EXPECT_THAT(message_of<ModelError>([&] { return made(graph(1, 1, {cast})); }),
              HasSubstr("casts to half precision"));
  File half = graph(1, 1, {node("Sigmoid", {"x"}, "y")});
  half.inputs[0].is_half = true;
  EXPECT_THAT(message_of<ModelError>([&] { return made(half); }),
              HasSubstr("the input 'x' has half precision"));
  EXPECT_THAT(
      message_of<ModelError>([&] {
        return made(graph(1, 1, {node("CastLike", {"x", "k"}, "y")}, {tensor("k", {1}, {1})}));
      }),
      HasSubstr("casts to the type of a constant"));
}

TEST(OnnxRuntime, LargeNumbersAreRoundedBeforeTheyAreUsed) {
  // Neighbours in single precision are 128 apart here, and the network sees nothing in between.
  const File file = graph(1, 1, {node("Sub", {"x", "mean"}, "c"), node("Div", {"c", "sd"}, "y")},
                          {tensor("mean", {1}, {1.7e9}), tensor("sd", {1}, {100})});
  SourceColumns columns = fixtures::columns_of(file);
  Matrix examples(0, 1);
  for (int k = -20; k <= 20; ++k) examples.append(Vector{1.7e9 + 37 * k});
  columns.examples = std::make_shared<const Matrix>(std::move(examples));
  const auto model = make_model(file, columns, "m.onnx").model;
  EXPECT_EQ(model->logit(Vector{1.7e9 + 50}), 0);
  EXPECT_NEAR(model->logit(Vector{1.7e9 + 100}), 1.28, 1e-6);
}

TEST(OnnxRuntime, NoAnswerIsClearNextToAJumpOfASum) {
  // The sign of a sum: its last bit is the runtime's.
  const File file = graph(2, 1, {node("MatMul", {"x", "w"}, "s"), node("Sign", {"s"}, "y")},
                          {tensor("w", {2, 1}, {1.0 / 3, -1.0 / 3})});
  const auto model = made(file, {.kind = ScoreKind::logit}).model;
  EXPECT_TRUE(std::isnan(model->logit(Vector{0.1, 0.1})));
  EXPECT_EQ(model->logit(Vector{0.2, 0.1}), 1);
  EXPECT_EQ(model->logit(Vector{0.1, 0.2}), -1);
  for (const int wanted : {0, 1}) {
    EXPECT_FALSE(Goal(0.5, wanted).reached(model->logit(Vector{0.1, 0.1})));
  }
}

/// A forest of 30 stumps on one column; x of them vote for class 1.
File forest() {
  constexpr int kTrees = 30;
  const double share = static_cast<double>(1.0F / kTrees);
  File file = graph(1, 2, {});
  Node trees{.name = {},
             .op = "TreeEnsembleClassifier",
             .domain = kTables,
             .inputs = {"x"},
             .outputs = {"label", "y"}};
  Attribute tree_ids{.name = "nodes_treeids"};
  Attribute ids{.name = "nodes_nodeids"};
  Attribute features{.name = "nodes_featureids"};
  Attribute yes{.name = "nodes_truenodeids"};
  Attribute no{.name = "nodes_falsenodeids"};
  Attribute modes{.name = "nodes_modes"};
  Attribute values{.name = "nodes_values"};
  Attribute class_trees{.name = "class_treeids"};
  Attribute class_nodes{.name = "class_nodeids"};
  Attribute class_ids{.name = "class_ids"};
  Attribute weights{.name = "class_weights"};
  for (int t = 0; t < kTrees; ++t) {
    for (int n = 0; n < 3; ++n) {
      tree_ids.ints.push_back(t);
      ids.ints.push_back(n);
      features.ints.push_back(0);
      yes.ints.push_back(n == 0 ? 1 : 0);
      no.ints.push_back(n == 0 ? 2 : 0);
      modes.strings.emplace_back(n == 0 ? "BRANCH_LEQ" : "LEAF");
      values.floats.push_back(n == 0 ? t + 0.5 : 0);
    }
    class_trees.ints.push_back(t);
    class_nodes.ints.push_back(2);
    class_ids.ints.push_back(1);
    weights.floats.push_back(share);
  }
  trees.attributes = {tree_ids,  ids,         features,
                      yes,       no,          modes,
                      values,    class_trees, class_nodes,
                      class_ids, weights,     {.name = "classlabels_int64s", .ints = {0, 1}}};
  file.nodes = {trees};
  return file;
}

/// 15 of 30 votes are .5 to scikit-learn, and .50000003 as the sum of what the file holds.
TEST(OnnxRuntime, TiesOfForestsAreNotClear) {
  const auto model = made(forest()).model;
  const Space space = fixtures::free_space(1);
  for (const int wanted : {0, 1}) {
    const Problem problem(*model, space, {.scale = 0.1}, Goal(0.5, wanted));
    EXPECT_FALSE(problem.goal.reached(model->logit(Vector{15}))) << wanted;
    EXPECT_EQ(problem.goal.reached(model->logit(Vector{16})), wanted == 1);
    EXPECT_EQ(problem.goal.reached(model->logit(Vector{14})), wanted == 0);
  }
  // 9 of 30 at .3, 21 of 30 at .7.
  for (const auto& [threshold, votes] : {std::pair{0.3, 9.0}, {0.7, 21.0}}) {
    const Problem problem(*model, space, {.scale = 0.1}, Goal(threshold));
    EXPECT_FALSE(problem.goal.reached(model->logit(Vector{votes})));
    EXPECT_TRUE(problem.goal.reached(model->logit(Vector{votes + 1})));
  }
}

/// A scaler before trees: the runtime rounds after the subtraction and after the product.
TEST(OnnxRuntime, TreesBehindAScalerCompareWhatTheRuntimeHas) {
  File file = forest();
  const float offset = 0.3F;
  const float scale = 1.0F / 3;
  Node scaler{.name = {}, .op = "Scaler", .domain = kTables, .inputs = {"x"}, .outputs = {"z"}};
  scaler.attributes = {{.name = "offset", .floats = {static_cast<double>(offset)}},
                       {.name = "scale", .floats = {static_cast<double>(scale)}}};
  file.nodes[0].inputs = {"z"};
  file.nodes.insert(file.nodes.begin(), scaler);
  const auto model = made(file).model;
  const auto plain = made(forest()).model;
  for (int k = 0; k < 400; ++k) {
    // Around the thresholds t + .5, in steps of single precision.
    float x = (static_cast<float>(k % 30) + 0.5F) / scale + offset;
    for (int step = 0; step < k / 30; ++step) {
      x = std::nextafter(x, k % 2 == 0 ? 1e9F : -1e9F);
    }
    const float seen = (x - offset) * scale;
    EXPECT_EQ(model->logit(Vector{static_cast<double>(x)}),
              plain->logit(Vector{static_cast<double>(seen)}))
        << x;
  }
}

}  // namespace
}  // namespace croco::onnx
