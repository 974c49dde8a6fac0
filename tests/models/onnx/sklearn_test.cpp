// SPDX-License-Identifier: Apache-2.0
// Calibrated, boosted, bagged and Bayesian classifiers of scikit-learn as skl2onnx exports them:
// every clear answer is onnxruntime's and the library's. tests/golden/make_onnx_sklearn.py makes
// the files.
#include <cmath>
#include <cstddef>
#include <string>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/models/network/mlp.hpp>
#include <croco/models/onnx/model.hpp>
#include <tests/golden.hpp>

namespace croco::onnx {
namespace {

using testing::HasSubstr;

constexpr double kUnit = 4;  // a power of two, as models of other tools are encoded

SourceColumns four_columns(double unit = 1) {
  SourceColumns out{.width = 4, .favourable = "1"};
  for (std::size_t j = 0; j < 4; ++j) {
    out.columns.push_back({.name = "c" + std::to_string(j), .column = j, .unit = unit});
  }
  return out;
}

CompiledModel load(const std::string& file, double unit = 1) {
  const std::string path = std::string(CROCO_GOLDEN_DIR) + "/onnx/" + file;
  return make_model(parse_onnx(read_file(path), path), four_columns(unit), path);
}

/// Where a logit is, or 0 when it is not clear.
int side(double logit, double threshold, double tolerance) {
  const double ahead = logit - std::log(threshold / (1 - threshold));
  return !(std::abs(ahead) > tolerance) ? 0 : ahead > 0 ? 1 : -1;
}

TEST(OnnxSklearn, ClearAnswersAreThoseOfTheRuntimeAndOfTheLibrary) {
  std::size_t files = 0;
  for (const golden::Json& known : golden::list("onnx_sklearn", "cases")) {
    const std::string file = known.at("file");
    const CompiledModel bound = load(file, kUnit);
    const Matrix rows = golden::matrix(known.at("rows"));
    const Vector runtime = golden::vector(known.at("runtime"));
    const Vector library = golden::vector(known.at("library"));
    std::size_t clear = 0;
    for (std::size_t k = 0; k < rows.count(); ++k) {
      Vector point(rows[k].begin(), rows[k].end());
      for (double& value : point) value /= kUnit;
      const double logit = bound.model->logit(point);
      for (const double threshold : {0.3, 0.5, 0.7}) {
        const int found = side(logit, threshold, bound.model->tolerance(threshold));
        if (found == 0) continue;
        clear += threshold == 0.5 ? 1 : 0;
        EXPECT_EQ(found > 0, runtime[k] > threshold) << file << ", row " << k << ", " << threshold;
        EXPECT_EQ(found > 0, library[k] > threshold) << file << ", row " << k << ", " << threshold;
      }
    }
    // Of 60 rows 20 lie on the steps of a calibration as exactly as can be.
    const std::size_t least = file.starts_with("sk_isotonic") ? 38 : 55;
    EXPECT_GE(clear, least) << file;
    ++files;
  }
  EXPECT_EQ(files, 25U);
}

TEST(OnnxSklearn, ProbabilitiesAreThoseOfTheRuntime) {
  for (const golden::Json& known : golden::list("onnx_sklearn", "cases")) {
    const std::string file = known.at("file");
    const CompiledModel bound = load(file);
    const Matrix rows = golden::matrix(known.at("rows"));
    const Vector runtime = golden::vector(known.at("runtime"));
    for (std::size_t k = 0; k < rows.count(); ++k) {
      const double logit = bound.model->logit(rows[k]);
      if (std::isnan(logit)) continue;  // on a step
      EXPECT_NEAR(1 / (1 + std::exp(-logit)), runtime[k], 1e-4) << file << ", row " << k;
    }
  }
}

TEST(OnnxSklearn, ScoresAreReadAsLogitsWhereTheyCanBe) {
  const auto score = [](const std::string& file) { return load(file).score; };
  EXPECT_EQ(score("sk_bayes.onnx"),
            "'probabilities': the difference of the logarithms of its probabilities of class '1'");
  EXPECT_EQ(score("sk_quadratic_discriminant.onnx"),
            "'probabilities': the difference of the logarithms of its probabilities of class '1'");
  EXPECT_EQ(score("sk_adaboost_stumps.onnx"),
            "'probabilities': the logit of its probability of class '1'");
  EXPECT_EQ(score("sk_isotonic_logistic.onnx"),
            "'probabilities': the logit of its probability of class '1', in the steps of a table "
            "(exported isotonic calibration; scikit-learn interpolates, compare it with --scores)");
  // Smooth ones have a gradient; what is linear is linear.
  EXPECT_NE(load("sk_bayes.onnx").model->gradient(), nullptr);
  EXPECT_NE(load("sk_quadratic_discriminant.onnx").model->gradient(), nullptr);
  EXPECT_NE(load("sk_bagged_logistic.onnx").model->gradient(), nullptr);
  EXPECT_NE(dynamic_cast<const Mlp*>(load("sk_bayes_multinomial.onnx").model.get()), nullptr);
  EXPECT_EQ(load("sk_isotonic_logistic.onnx").model->gradient(), nullptr);
  EXPECT_EQ(load("sk_adaboost_stumps.onnx").model->gradient(), nullptr);
}

/// Numbers at which the probability of a calibration by the nearest of two thresholds jumps.
File nearest_of(const Vector& thresholds, const Vector& values) {
  const auto count = static_cast<std::int64_t>(thresholds.size());
  File file;
  file.ir_version = 8;
  file.opsets = {{"", 17}, {"ai.onnx.ml", 3}};
  file.inputs = {{"x", ElementType::floating, true, {kOpenDimension, 4}}};
  file.outputs = {{"score", ElementType::floating, true, {kOpenDimension, 1}}};
  file.initializers = {{"weights", ElementType::floating, {4, 1}, {1, 0.25, 0, 0}, {}},
                       {"thresholds", ElementType::floating, {count}, thresholds, {}},
                       {"values", ElementType::floating, {count}, values, {}},
                       {"column", ElementType::integer, {2}, {-1, 1}, {}}};
  file.nodes = {
      {.name = "sum", .op = "MatMul", .inputs = {"x", "weights"}, .outputs = {"base"}},
      {.name = "less", .op = "Sub", .inputs = {"base", "thresholds"}, .outputs = {"gaps"}},
      {.name = "size", .op = "Abs", .inputs = {"gaps"}, .outputs = {"sizes"}},
      {.name = "nearest", .op = "ArgMin", .inputs = {"sizes"}, .outputs = {"place"}},
      {.name = "value",
       .op = "ArrayFeatureExtractor",
       .domain = "ai.onnx.ml",
       .inputs = {"values", "place"},
       .outputs = {"row"}},
      {.name = "turn", .op = "Reshape", .inputs = {"row", "column"}, .outputs = {"score"}}};
  file.nodes[3].attributes = {{.name = "axis", .i = 1}};
  return file;
}

TEST(OnnxSklearn, BetweenTwoStepsThereIsNoClearAnswer) {
  const CompiledModel bound =
      make_model(nearest_of({0, 1, 3}, {0.25, 0.25, 0.75}), four_columns(), "steps");
  const auto probability = [&](double base) {
    return 1 / (1 + std::exp(-bound.model->logit(Vector{base, 0, 0, 0})));
  };
  EXPECT_NEAR(probability(-9), 0.25, 1e-7);
  EXPECT_NEAR(probability(1.99), 0.25, 1e-7);
  EXPECT_TRUE(std::isnan(probability(2)));  // a sum, in the runtime's own order
  EXPECT_NEAR(probability(2.01), 0.75, 1e-7);
  EXPECT_NEAR(probability(0.5), 0.25, 1e-7);  // either step has the same value
}

TEST(OnnxSklearn, EntriesOfTablesNeedAPlaceAndAsManyEntries) {
  const auto refusal = [](const File& file) -> std::string {
    try {
      static_cast<void>(make_model(file, four_columns(), "steps"));
    } catch (const ModelError& error) {
      return error.what();
    }
    return "accepted";
  };
  File file = nearest_of({0, 1, 3}, {0.25, 0.5, 0.75});
  file.initializers[2] = {"values", ElementType::floating, {2}, {0.25, 0.75}, {}};
  EXPECT_EQ(refusal(file),
            "steps: ai.onnx.ml.ArrayFeatureExtractor 'value': index 2 of a dimension of 2");

  file = nearest_of({0, 1, 3}, {0.25, 0.5, 0.75});
  file.nodes[3] = {.name = "whole", .op = "Floor", .inputs = {"base"}, .outputs = {"place"}};
  EXPECT_EQ(refusal(file),
            "steps: ai.onnx.ml.ArrayFeatureExtractor 'value': a table is looked up by a number "
            "that is neither a category of the schema nor the place of a largest or smallest "
            "number");

  // The operator puts the rows side by side; only Reshape makes rows of them again.
  file = nearest_of({0, 1, 3}, {0.25, 0.5, 0.75});
  file.nodes[5] = {.name = "turn", .op = "Exp", .inputs = {"row"}, .outputs = {"score"}};
  EXPECT_EQ(refusal(file),
            "steps: Exp 'turn': it is given 'row' of shape [1, N]; croco needs rows first");
  file = nearest_of({0, 1, 3}, {0.25, 0.5, 0.75});
  file.initializers[3] = {"column", ElementType::integer, {2}, {0, 1}, {}};
  EXPECT_THAT(refusal(file), HasSubstr("it reshapes [1, N] to [0, 1], which mixes the rows"));

  file = nearest_of({0, 1, 3}, {0.25, 0.5, 0.75});
  file.initializers[2] = {"values", ElementType::floating, {2, 2}, {0.25, 0.5, 0.5, 0.75}, {}};
  EXPECT_THAT(refusal(file), HasSubstr("croco reads one entry of a known vector for each row"));
}

}  // namespace
}  // namespace croco::onnx
