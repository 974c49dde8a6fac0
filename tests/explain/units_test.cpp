// SPDX-License-Identifier: Apache-2.0
// Nothing depends on the units that people's numbers are in: x -> a x + b in the data, the model
// and the schema moves no score and no count. The numbers here are chosen such that
// a x + b is exact, so that both worlds have the same model to the last bit.
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <croco/base/numbers.hpp>
#include <croco/base/random.hpp>
#include <croco/explain/assess_points.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/loading/foreign_model.hpp>
#include <croco/models/onnx/model.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {
namespace {

constexpr std::size_t kWidth = 3;
constexpr std::size_t kPeople = 40;
constexpr CertifyOptions kCertify{.samples = 2000, .confidence = 0.99, .exact = false};

struct Units {
  const char* name;
  double a;
  double b;

  [[nodiscard]] double of(double x) const { return a * x + b; }
};

/// Halves from -12 to 12, many of them 0.
Matrix people() {
  Sequence random({3, Purpose::train, 0});
  Matrix out(kPeople, kWidth);
  for (double& value : out.data) {
    value = random.below(4) == 0 ? 0 : (static_cast<double>(random.below(49)) - 24) / 2;
  }
  // The ranges of the features.
  for (std::size_t j = 0; j < kWidth; ++j) {
    out[0][j] = -12;
    out[1][j] = 12;
  }
  return out;
}

std::string text_of(const Matrix& rows, const Units& units) {
  std::string out = "x,y,z\n";
  for (std::size_t k = 0; k < rows.count(); ++k) {
    for (std::size_t j = 0; j < kWidth; ++j) {
      out += format_number(units.of(rows[k][j])) + (j + 1 < kWidth ? "," : "\n");
    }
  }
  return out;
}

/// Trees of depth 2 whose thresholds are values that people have, and values between them.
TreeEnsemble trees(const Units& units) {
  Sequence random({5, Purpose::train, 0});
  TreeEnsemble out{.width = kWidth, .names = {"x", "y", "z"}, .base = -0.5};
  const auto split = [&] {
    const double at = (static_cast<double>(random.below(65)) - 32) / 4;
    return TreeNode{.number = units.of(at), .column = random.below(kWidth)};
  };
  for (int t = 0; t < 25; ++t) {
    std::vector<ListedNode> nodes{{split(), 1, 2}, {split(), 3, 4}, {split(), 5, 6}};
    for (const double leaf : {-0.375, -0.125, 0.125, 0.375}) nodes.push_back({{.number = leaf}});
    append_tree(out, nodes, "trees");
  }
  return out;
}

ForeignModel foreign_trees(const Units& units) {
  return {.program = "trees",
          .columns = {.width = kWidth, .names = {"x", "y", "z"}},
          .on = [ensemble = trees(units)](const InputColumns& columns) {
            return std::make_shared<const TreeModel>(ensemble, columns);
          }};
}

/// Symmetric trees of CatBoost. It rounds numbers to single precision, in which all of these are
/// exact; noisy ones are not, unless units differ by a power of two.
ForeignModel foreign_catboost(const Units& units) {
  using Json = nlohmann::json;
  Sequence random({6, Purpose::train, 0});
  Json numbers = Json::array();
  std::vector<Json> questions;
  for (int j = 0; j < static_cast<int>(kWidth); ++j) {
    Json borders = Json::array();
    for (int at = -32; at <= 32; at += 3) {
      borders.push_back(units.of(at / 4.0));
      questions.push_back({{"border", borders.back()},
                           {"float_feature_index", j},
                           {"split_index", questions.size()},
                           {"split_type", "FloatFeature"}});
    }
    numbers.push_back({{"borders", borders},
                       {"feature_id", std::string(1, static_cast<char>('x' + j))},
                       {"feature_index", j},
                       {"flat_feature_index", j},
                       {"has_nans", false},
                       {"nan_value_treatment", "AsIs"}});
  }
  Json trees = Json::array();
  for (int t = 0; t < 25; ++t) {
    const auto split = [&] {
      return questions[random.below(static_cast<std::uint32_t>(questions.size()))];
    };
    trees.push_back({{"leaf_values", {-0.375, -0.125, 0.125, 0.375}},
                     {"splits", Json::array({split(), split()})}});
  }
  const Json document{{"features_info", {{"float_features", numbers}}},
                      {"model_info", {{"params", {{"loss_function", {{"type", "Logloss"}}}}}}},
                      {"oblivious_trees", trees},
                      {"scale_and_bias", Json::array({1, Json::array({-0.5})})}};
  return read_foreign_model(document.dump(), "m.json").value();
}

/// A logistic regression in double precision, or what it becomes when x is in other units.
ForeignModel foreign_graph(const Units& units) {
  const Vector weights{0.5, 0.25, -0.375};
  double bias = -1;
  Vector scaled;
  for (const double weight : weights) {
    scaled.push_back(weight / units.a);
    bias -= weight * units.b / units.a;
  }
  onnx::File file{
      .ir_version = 8,
      .opsets = {{"", 17}},
      .nodes = {{.op = "MatMul", .inputs = {"X", "w"}, .outputs = {"product"}},
                {.op = "Add", .inputs = {"product", "b"}, .outputs = {"logit"}},
                {.op = "Sigmoid", .inputs = {"logit"}, .outputs = {"score"}}},
      .initializers = {{.name = "w", .shape = {3, 1}, .numbers = scaled},
                       {.name = "b", .shape = {1}, .numbers = {bias}}},
      .inputs = {{.name = "X", .is_tensor = true, .shape = {-1, 3}, .is_double = true}},
      .outputs = {{.name = "score", .is_tensor = true, .shape = {-1, 1}, .is_double = true}}};
  return {.program = "graph",
          .columns = {},
          .on = {},
          .on_records = [file](const Codec& codec, const ScoreChoice&,
                               std::shared_ptr<const Matrix> examples) -> ForeignModel::Made {
            onnx::SourceColumns columns = source_columns(codec);
            columns.examples = std::move(examples);
            onnx::CompiledModel bound = onnx::make_model(file, columns, "graph");
            return {std::move(bound.model), bound.kind};
          },
          .rounds = {},
          .fingerprint = {}};
}

struct World {
  LoadedModel loaded;
  std::vector<Person> everyone;

  World(const Units& units, ForeignModel (*foreign)(const Units&)) : loaded(load(units, foreign)) {
    const CsvTable table = parse_csv(text_of(people(), units), "people.csv");
    for (std::size_t k = 0; k < table.rows.size(); ++k) {
      everyone.push_back({.row = k, .where = "row", .record = table.rows[k].fields});
    }
  }

  static LoadedModel load(const Units& units, ForeignModel (*foreign)(const Units&)) {
    LoadModelOptions options;
    options.training = [&] {
      const Feature number{.step = 0.5 * units.a};
      Schema schema{.label = {"accepted", "yes", "no"}, .features = {number, number, number}};
      const CsvTable table = parse_csv(text_of(people(), units), "people.csv");
      for (std::size_t j = 0; j < kWidth; ++j) schema.features[j].name = table.header[j];
      return TrainingData{schema, table};
    };
    return load_foreign(foreign(units), options, "model", "model");
  }

  [[nodiscard]] double logit(const Person& person) const {
    return loaded.model->logit(loaded.codec.encode(person.record, "row"));
  }
  /// What becomes of everybody who takes on the record of somebody else.
  [[nodiscard]] std::vector<Explanation> judged(const Noise& noise) const {
    std::vector<AdvisedPerson> pairs;
    for (std::size_t k = 0; k < everyone.size(); ++k) {
      pairs.push_back({everyone[k], everyone[(k + 7) % everyone.size()]});
    }
    const Problem problem(*loaded.model, loaded.codec.space(), noise, Goal(), 8);
    return assess(problem, loaded.codec, pairs, kCertify, 0.1, 1);
  }
  [[nodiscard]] std::vector<Explanation> explained(const Noise& noise) const {
    const Explainer explainer(
        loaded.model, loaded.codec,
        {.method = Certified{.target = 0.1, .search_samples = 512, .calibration_samples = 2000},
         .noise = noise,
         .certify = kCertify,
         .seed = 8,
         .threads = 1});
    return explainer.explain(everyone);
  }
};

/// `at_least` of the answers have certificates in which something failed, but not everything.
void expect_same(const std::vector<Explanation>& found, const std::vector<Explanation>& expected,
                 const Units& units, std::size_t at_least) {
  ASSERT_EQ(found.size(), expected.size());
  std::size_t between = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Explanation& one = found[k];
    const Explanation& other = expected[k];
    ASSERT_EQ(one.status, other.status) << "person " << k;
    ASSERT_EQ(one.after.size(), other.after.size()) << "person " << k;
    for (std::size_t j = 0; j < one.after.size(); ++j) {
      EXPECT_EQ(parse_number(one.after[j]), units.of(parse_number(other.after[j]).value()))
          << "person " << k << ", column " << j;
    }
    ASSERT_EQ(one.certificate.has_value(), other.certificate.has_value()) << "person " << k;
    if (!one.certificate) continue;
    EXPECT_EQ(one.certificate->invalid, other.certificate->invalid) << "person " << k;
    EXPECT_EQ(one.certificate->samples, other.certificate->samples) << "person " << k;
    if (one.certificate->invalid % one.certificate->samples != 0) ++between;
  }
  EXPECT_GE(between, at_least);
}

class ChangeOfUnits : public testing::TestWithParam<Units> {};

constexpr Units kOwn{"own", 1, 0};

TEST_P(ChangeOfUnits, MovesNoScore) {
  for (const auto foreign : {foreign_trees, foreign_catboost, foreign_graph}) {
    const World world(GetParam(), foreign);
    const World own(kOwn, foreign);
    for (std::size_t k = 0; k < own.everyone.size(); ++k) {
      // Sums of leaves are the same to the last bit.
      EXPECT_NEAR(world.logit(world.everyone[k]), own.logit(own.everyone[k]),
                  foreign == foreign_graph ? 1e-9 : 0);
    }
  }
}

TEST_P(ChangeOfUnits, MovesNoCount) {
  const bool same_roundings =
      GetParam().b == 0 && std::exp2(std::ilogb(GetParam().a)) == GetParam().a;
  for (const auto foreign : {foreign_trees, foreign_catboost, foreign_graph}) {
    if (foreign == foreign_catboost && !same_roundings) continue;
    for (const NoiseShape shape :
         {NoiseShape::gaussian, NoiseShape::uniform, NoiseShape::laplace}) {
      const Noise noise{.shape = shape, .scale = 0.05};
      expect_same(World(GetParam(), foreign).judged(noise), World(kOwn, foreign).judged(noise),
                  GetParam(), 5);
    }
  }
}

TEST_P(ChangeOfUnits, MovesNoAdvice) {
  const Noise noise{.scale = 0.05};
  expect_same(World(GetParam(), foreign_graph).explained(noise),
              World(kOwn, foreign_graph).explained(noise), GetParam(), 10);
}

INSTANTIATE_TEST_SUITE_P(Units, ChangeOfUnits,
                         testing::Values(Units{"doubled", 2, 0}, Units{"shifted", 1, -96},
                                         Units{"in_thirds", 3, 0}, Units{"far_away", 1, 1e6},
                                         Units{"tiny", 0x1p-20, 0}, Units{"odd", 7, 14},
                                         Units{"large", 1000, -1e6}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace croco
