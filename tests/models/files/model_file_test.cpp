// SPDX-License-Identifier: Apache-2.0
#include <croco/models/files/model_file.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>

#include "tests/fixtures.hpp"
#include "tests/golden.hpp"

namespace croco {
namespace {

using fixtures::message_of;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A sound file of two inputs and two hidden units, to be broken member by member.
golden::Json sound() {
  return golden::Json::parse(R"({
    "name": "small", "target": "risk",
    "feature_names": ["age", "income"],
    "layers": [{"weight": [[1, 2], [3, 4]], "bias": [0.5, -0.5]},
               {"weight": [[1, -1]], "bias": [0.25]}],
    "hidden_activation": "tanh", "output": "sigmoid"})");
}

std::string error_of(const std::string& text) {
  return message_of<ModelError>([&] { return parse_model(text, "m.json"); });
}
std::string error_of(const golden::Json& document) { return error_of(document.dump()); }

bool same_bits(const Vector& a, const Vector& b) {
  return std::ranges::equal(a, b, {}, std::bit_cast<std::uint64_t, double>,
                            std::bit_cast<std::uint64_t, double>);
}

TEST(ModelFile, IsRead) {
  const ModelFile file = parse_model(sound().dump(), "m.json");
  EXPECT_EQ(file.name, "small");
  EXPECT_EQ(file.target, "risk");
  EXPECT_EQ(file.inputs.names, (std::vector<std::string>{"age", "income"}));
  EXPECT_EQ(file.encoding, "");
  EXPECT_EQ(file.model->hidden_activation(), Activation::tanh);
  EXPECT_NEAR(file.model->logit(Vector{0.1, 0.2}), std::tanh(1.0) - std::tanh(0.6) + 0.25, 1e-15);
}

TEST(ModelFile, RoundTripKeepsEveryBit) {
  ModelFile file;
  file.name = "näme \"quoted\"";
  file.target = "loan";
  file.inputs = {
      .names = {"a", "b", "c"}, .continuous = {"a"}, .groups = {{"b", "c"}}, .immutable = {"a"}};
  file.encoding = R"({"scales":[0.1,2],"kept":"in order","after":null})";
  const DenseLayer first{3,
                         2,
                         {0.1, 1.0 / 3, -0.0, 5e-324, 0x1.fffffffffffffp+600, 1e-300},
                         {0x1.fffffffffffffp-1, -2.5}};
  file.model = std::make_shared<const Mlp>(
      std::vector<DenseLayer>{first, {2, 1, {123456789.123456789, -1e22}, {0}}}, Activation::elu);

  const std::string text = model_json(file);
  const ModelFile read = parse_model(text, "m.json");
  EXPECT_EQ(read.name, file.name);
  EXPECT_EQ(read.target, file.target);
  EXPECT_EQ(read.inputs.names, file.inputs.names);
  EXPECT_EQ(read.inputs.continuous, file.inputs.continuous);
  EXPECT_EQ(read.inputs.groups, file.inputs.groups);
  EXPECT_EQ(read.inputs.immutable, file.inputs.immutable);
  EXPECT_EQ(read.encoding, file.encoding);
  EXPECT_EQ(read.model->hidden_activation(), Activation::elu);
  ASSERT_EQ(read.model->layers().size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(same_bits(read.model->layers()[i].weight, file.model->layers()[i].weight)) << i;
    EXPECT_TRUE(same_bits(read.model->layers()[i].bias, file.model->layers()[i].bias)) << i;
  }
  EXPECT_EQ(model_json(read), text);
}

TEST(ModelFile, RoundTripKeepsRandomWeights) {
  ModelFile file;
  file.model = std::make_shared<const Mlp>(fixtures::random_mlp({9, 20, 7}, Activation::gelu, 3));
  const ModelFile read = parse_model(model_json(file), "m.json");
  EXPECT_EQ(read.model->layers(), file.model->layers());
}

TEST(ModelFile, SoftmaxOfTwoIsTheSigmoidOfTheDifference) {
  golden::Json document = sound();
  document["output"] = "softmax2";
  document["layers"][1] = {{"weight", {{0.5, 1.5}, {2.0, -1.0}}}, {"bias", {0.1, 0.7}}};
  const ModelFile file = parse_model(document.dump(), "m.json");
  const double h0 = std::tanh(0.1 + 2 * 0.2 + 0.5);
  const double h1 = std::tanh(3 * 0.1 + 4 * 0.2 - 0.5);
  const double zero = std::exp(0.5 * h0 + 1.5 * h1 + 0.1);
  const double one = std::exp(2.0 * h0 - h1 + 0.7);
  EXPECT_NEAR(sigmoid(file.model->logit(Vector{0.1, 0.2})), one / (zero + one), 1e-15);
}

TEST(ModelFile, HiddenActivationIsReluWhenNotNamed) {
  golden::Json document = sound();
  document.erase("hidden_activation");
  EXPECT_EQ(parse_model(document.dump(), "m.json").model->hidden_activation(), Activation::relu);
}

TEST(ModelFileErrors, NameTheLineAndColumnOfABrokenText) {
  EXPECT_THAT(error_of(std::string("")), StartsWith("m.json: parse error at line 1, column 1: "));
  const std::string text = sound().dump();
  for (const std::size_t length : {1UL, 10UL, text.size() / 2, text.size() - 1}) {
    EXPECT_THAT(error_of(text.substr(0, length)),
                StartsWith("m.json: parse error at line 1, column " + std::to_string(length + 1)));
  }
  EXPECT_THAT(error_of(std::string("{\"name\": \"a\xff\"}")),
              StartsWith("m.json: parse error at line 1, column 12"));
  EXPECT_THAT(error_of(std::string(R"({"layers": [NaN]})")),
              StartsWith("m.json: parse error at line 1, column 13"));
  EXPECT_EQ(error_of(std::string("[1, 2]")), "m.json: a model file must be a JSON object");
}

TEST(ModelFileErrors, NameANumberThatIsTooLarge) {
  EXPECT_EQ(error_of(std::string(R"({"layers": [{"weight": [[1e400]], "bias": [0]}]})")),
            "m.json: number overflow parsing '1e400'");
}

TEST(ModelFileErrors, NameTheWeightThatIsNoNumber) {
  golden::Json document = sound();
  document["layers"][0]["weight"][1][0] = nullptr;
  EXPECT_EQ(error_of(document),
            "m.json: layers[0].weight[1][0] is null; weights must be finite numbers");
  document = sound();
  document["layers"][1]["bias"][0] = "0.25";
  EXPECT_EQ(error_of(document),
            "m.json: layers[1].bias[0] is \"0.25\"; weights must be finite numbers");
  document["layers"][1]["bias"] = 3;
  EXPECT_EQ(error_of(document), "m.json: layers[1].bias must be a list of numbers");
}

TEST(ModelFileErrors, NameRowsOfDifferentLength) {
  golden::Json document = sound();
  document["layers"][0]["weight"][1] = {3};
  EXPECT_EQ(error_of(document),
            "m.json: layers[0].weight[1] has 1 numbers; the rows before it have 2");
}

TEST(ModelFileErrors, NameLayersThatDoNotFit) {
  golden::Json document = sound();
  document["layers"][1]["weight"] = {{1, 2, 3}};
  EXPECT_EQ(error_of(document), "m.json: layer 1 has 3 inputs; layer 0 has 2 outputs");
  document = sound();
  document["layers"][0]["bias"] = {1};
  EXPECT_EQ(error_of(document),
            "m.json: layer 0: 4 weights and 1 biases do not make 2 outputs of 2 inputs");
  document = sound();
  document["layers"][0]["weight"] = golden::Json::array();
  EXPECT_EQ(error_of(document), "m.json: layers[0].weight must be a list of rows");
  document["layers"][0] = 7;
  EXPECT_EQ(error_of(document), "m.json: layers[0] must be an object with 'weight' and 'bias'");
}

TEST(ModelFileErrors, NameLayersThatAreMissing) {
  golden::Json document = sound();
  document["layers"][1].erase("bias");
  EXPECT_EQ(error_of(document), "m.json: 'bias' is missing");
  document["layers"] = golden::Json::array();
  EXPECT_EQ(error_of(document), "m.json: 'layers' must be a list of 1 to 64 layers");
  document.erase("layers");
  EXPECT_EQ(error_of(document), "m.json: 'layers' is missing");
}

TEST(ModelFileErrors, NameAnUnknownActivationOrOutput) {
  golden::Json document = sound();
  document["hidden_activation"] = "swish";
  EXPECT_EQ(error_of(document),
            "m.json: hidden activation is 'swish'; it must be relu, leaky_relu, tanh, sigmoid, "
            "elu or gelu");
  document = sound();
  document["output"] = "linear";
  EXPECT_EQ(error_of(document), "m.json: 'output' is 'linear'; it must be softmax2 or sigmoid");
  document["output"] = 2;
  EXPECT_EQ(error_of(document), "m.json: 'output' must be a text");
}

TEST(ModelFileErrors, NameOutputsThatDoNotFit) {
  golden::Json document = sound();
  document["output"] = "softmax2";
  EXPECT_EQ(error_of(document),
            "m.json: the last layer has 1 outputs and 1 biases; 'softmax2' needs 2");
  document["layers"][1] = {{"weight", {{1e308, 1}, {-1e308, 1}}}, {"bias", {0, 0}}};
  EXPECT_EQ(error_of(document), "m.json: layer 1 has a weight that is not a finite number");
}

TEST(ModelFileErrors, NameTheVersion) {
  golden::Json document = sound();
  document["croco_model"] = 1;
  EXPECT_EQ(error_of(document), "nothing was thrown");
  const std::string rule = "; this program reads version 1";
  document["croco_model"] = 2;
  EXPECT_EQ(error_of(document), "m.json: 'croco_model' is 2" + rule);
  document["croco_model"] = 0;
  EXPECT_EQ(error_of(document), "m.json: 'croco_model' is 0" + rule);
  document["croco_model"] = "1";
  EXPECT_EQ(error_of(document), "m.json: 'croco_model' is \"1\"" + rule);
  // 2^32 + 1 must not be taken for its lower half.
  document["croco_model"] = 4294967297;
  EXPECT_EQ(error_of(document), "m.json: 'croco_model' is 4294967297" + rule);
}

TEST(ModelFileErrors, NameTheColumnsThatDoNotFit) {
  golden::Json document = sound();
  document["feature_names"] = {"age", "income", "job"};
  EXPECT_EQ(error_of(document),
            "m.json: 'feature_names' has 3 names; the first layer takes 2 inputs");
  document["feature_names"] = "age";
  EXPECT_EQ(error_of(document), "m.json: 'feature_names' must be a list of texts");
  document["feature_names"] = {"age", 2};
  EXPECT_EQ(error_of(document), "m.json: 'feature_names' must be a list of texts");
  document = sound();
  document["categorical_groups"] = "job";
  EXPECT_EQ(error_of(document), "m.json: 'categorical_groups' must be a list of lists");
  document["categorical_groups"] = {"job"};
  EXPECT_EQ(error_of(document), "m.json: 'categorical_groups' must be a list of texts");
}

TEST(ModelFileErrors, AreShortHoweverDeepTheNesting) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  const auto weight = [&](std::size_t depth) {
    return error_of(R"({"output": "sigmoid", "layers": [{"weight": [[)" + nested(depth) +
                    R"(]], "bias": [0]}]})");
  };
  ASSERT_THAT(weight(1000), StartsWith("m.json: "));
  ASSERT_LT(weight(1000).size(), 200U);
  // Deep enough to exhaust the stack of a recursive reader.
  EXPECT_LT(weight(200'000).size(), 200U);
  EXPECT_LT(error_of(R"({"croco_model": )" + nested(200'000) + "}").size(), 200U);
  std::string text = sound().dump();
  text.insert(1, R"("encoding": )" + nested(200'000) + ",");
  EXPECT_NE(error_of(text), "nothing was thrown");
}

TEST(SpaceOf, FreesNumbersAndFixesCategories) {
  const ModelInputs inputs{.names = {"age", "job_a", "job_b", "income"},
                           .continuous = {"age", "income"},
                           .groups = {{"job_b", "job_a"}},
                           .immutable = {"age", "job"}};
  const Space space = space_of(inputs, true);
  ASSERT_EQ(space.width(), 4U);
  EXPECT_EQ(space.groups, (std::vector<OneHotGroup>{{1, 2}}));
  EXPECT_FALSE(space.movable(0));
  EXPECT_TRUE(space.columns[0].continuous);
  EXPECT_FALSE(space.movable(1));
  EXPECT_FALSE(space.columns[2].continuous);
  EXPECT_EQ(space.columns[2].upper, 1.0);
  EXPECT_EQ(space.columns[3], Column{});
  EXPECT_TRUE(space_of(inputs, false).movable(0));
}

TEST(SpaceOf, TakesEveryColumnOutsideOfGroupsForANumber) {
  const Space space = space_of({.names = {"a", "b", "c"}, .groups = {{"b", "c"}}}, true);
  EXPECT_EQ(space.columns[0], Column{});
  EXPECT_FALSE(space.movable(1));
}

TEST(SpaceOfErrors, NameTheColumn) {
  const auto text = [](const ModelInputs& inputs) {
    return message_of<ModelError>([&] { return space_of(inputs, true); });
  };
  EXPECT_EQ(text({.names = {"a", "b"}, .continuous = {"x"}}),
            "the model file names the column 'x', which is not among its 2 feature_names");
  EXPECT_EQ(text({.names = {"a", "b"}, .groups = {{"a", "y"}}}),
            "the model file names the column 'y', which is not among its 2 feature_names");
  EXPECT_EQ(text({.names = {"a", "b", "c"}, .groups = {{"a", "c"}}}),
            "the columns of the category of 'a' are not neighbours");
  EXPECT_EQ(text({.names = {"a"}, .groups = {{}}}), "a group of 'categorical_groups' is empty");
  // A column named twice must not stand in for the one between.
  EXPECT_NE(text({.names = {"a", "b", "c"}, .groups = {{"a", "a", "c"}}}), "nothing was thrown");
}

}  // namespace
}  // namespace croco
