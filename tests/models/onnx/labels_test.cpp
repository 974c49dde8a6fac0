// SPDX-License-Identifier: Apache-2.0
// The labels that onnxruntime and scikit-learn predict, against the side of the threshold that
// croco finds. tests/golden/make_onnx_labels.py makes the files.
#include <cmath>
#include <cstddef>
#include <string>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/models/onnx/model.hpp>
#include <tests/golden.hpp>

namespace croco::onnx {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kUnit = 4;  // a power of two, as models of other tools are encoded

SourceColumns columns_for(std::size_t width, const std::string& favourable, DecidedBy decided_by) {
  SourceColumns out{.width = width, .favourable = favourable};
  out.choice.decided_by = decided_by;
  for (std::size_t j = 0; j < width; ++j) {
    out.columns.push_back({.name = "c" + std::to_string(j), .column = j, .unit = kUnit});
  }
  return out;
}

CompiledModel load(const std::string& file, const std::string& favourable,
                   DecidedBy decided_by = DecidedBy::unstated) {
  const std::string path = std::string(CROCO_GOLDEN_DIR) + "/onnx/" + file;
  return make_model(parse_onnx(read_file(path), path), columns_for(4, favourable, decided_by),
                    path);
}

std::string refusal(const std::string& file, DecidedBy decided_by = DecidedBy::unstated) {
  try {
    static_cast<void>(load(file, "1", decided_by));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "accepted";
}

/// What `label_*.onnx` needs to be said about it.
DecidedBy needed(const std::string& file) {
  const bool apart = file == "label_svc_probability.onnx" || file == "label_moved.onnx" ||
                     file == "label_cut.onnx";
  return apart ? DecidedBy::label : DecidedBy::unstated;
}

/// Every clear answer is the runtime's, and nearly all are clear.
void expect_labels(const Model& model, const golden::Json& known, const std::string& favourable) {
  const Matrix rows = golden::matrix(known.at("rows"));
  std::size_t clear = 0;
  for (std::size_t k = 0; k < rows.count(); ++k) {
    Vector point(rows[k].begin(), rows[k].end());
    for (double& value : point) value /= kUnit;
    const double logit = model.logit(point);
    if (!(std::abs(logit) > model.tolerance(0.5))) continue;
    ++clear;
    const std::string label = known.at("labels").at(k);
    EXPECT_EQ(logit > 0, label == favourable)
        << known.at("file") << ", row " << k << ": logit " << logit;
  }
  EXPECT_GE(static_cast<double>(clear), 0.9 * static_cast<double>(rows.count()))
      << known.at("file");
}

TEST(OnnxLabels, ClearAnswersAreThoseOfTheRuntime) {
  std::size_t files = 0;
  for (const golden::Json& known : golden::list("onnx_labels", "cases")) {
    const std::string favourable = known.at("favourable");
    const std::string file = known.at("file");
    const CompiledModel bound = load(file, favourable, needed(file));
    expect_labels(*bound.model, known, favourable);
    ++files;
  }
  EXPECT_EQ(files, 17U);
}

/// The schema's word for the favourable class need not be the file's 1.
TEST(OnnxLabels, ClassOneIsFavourableWhenTheLabelsAreZeroAndOne) {
  for (const golden::Json& known : golden::list("onnx_labels", "cases")) {
    if (known.at("favourable") != "1") continue;
    const std::string file = known.at("file");
    expect_labels(*load(file, "approved", needed(file)).model, known, "1");
    expect_labels(*load(file, "", needed(file)).model, known, "1");
  }
}

TEST(OnnxLabels, AnotherClassMayBeTheFavourableOne) {
  for (const golden::Json& known : golden::list("onnx_labels", "cases")) {
    const std::string file = known.at("file");
    if (known.at("favourable") == "1" && file != "label_moved.onnx" && file != "label_cut.onnx") {
      expect_labels(*load(file, "0", needed(file)).model, known, "0");
    }
    if (known.at("favourable") == "yes") expect_labels(*load(file, "no").model, known, "no");
  }
}

TEST(OnnxLabels, LabelsThatDisagreeWithTheScoreAreRefused) {
  EXPECT_THAT(refusal("label_moved.onnx"),
              AllOf(HasSubstr("the label 'label' and the score 'probabilities' disagree for "),
                    HasSubstr("Say which one decides: --decision label or --decision "
                              "probability")));
  EXPECT_THAT(refusal("label_cut.onnx"), HasSubstr("'probabilities' disagree for "));
  EXPECT_THAT(refusal("label_svc_probability.onnx"),
              HasSubstr("a support vector machine predicts its label by the sign of its decision "
                        "function"));
  EXPECT_EQ(refusal("label_svc_probability.onnx", DecidedBy::probability), "accepted");
  EXPECT_EQ(refusal("label_moved.onnx", DecidedBy::probability), "accepted");
}

TEST(OnnxLabels, AFileWithoutALabelCannotDecideByIt) {
  const std::string path = std::string(CROCO_GOLDEN_DIR) + "/onnx/torch_residual.onnx";
  const File file = parse_onnx(read_file(path), path);
  EXPECT_THAT(
      [&] { static_cast<void>(make_model(file, columns_for(6, "", DecidedBy::label), path)); },
      testing::ThrowsMessage<ModelError>(
          HasSubstr("decision is label; the model has no output with a label")));
}

TEST(OnnxLabels, WhatDecidesIsNamed) {
  EXPECT_EQ(load("label_moved.onnx", "1", DecidedBy::label).score,
            "'label': what decides the label");
  EXPECT_EQ(load("label_svc.onnx", "1").score, "'label': what decides the label of class '1'");
  EXPECT_EQ(load("label_logistic.onnx", "1").score,
            "'probabilities': the difference of the inputs of its softmax of class '1'");
}

}  // namespace
}  // namespace croco::onnx
