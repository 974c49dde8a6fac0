// SPDX-License-Identifier: Apache-2.0
#include <croco/models/training/classification.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/golden.hpp"

namespace croco {
namespace {

TEST(ClassificationMetrics, AreTheGoldenOnes) {
  const auto file = golden::read("auc");
  for (const auto& entry : file.at("cases")) {
    // A threshold on probabilities serves as well: only the order of the scores counts.
    const ClassificationMetrics found = classification_metrics(
        golden::vector(entry.at("scores")), entry.at("labels").get<std::vector<std::uint8_t>>(),
        file.at("threshold"));
    EXPECT_EQ(found.count, entry.at("labels").size());
    EXPECT_NEAR(found.auc, entry.at("auc"), 1e-14) << entry.at("name");
    EXPECT_DOUBLE_EQ(found.accuracy, entry.at("accuracy")) << entry.at("name");
    const auto& confusion = entry.at("confusion");
    EXPECT_EQ(found.confusion[0][0], confusion.at("true_negative"));
    EXPECT_EQ(found.confusion[0][1], confusion.at("false_positive"));
    EXPECT_EQ(found.confusion[1][0], confusion.at("false_negative"));
    EXPECT_EQ(found.confusion[1][1], confusion.at("true_positive"));
  }
}

TEST(ClassificationMetrics, PredictClassOneAboveTheThresholdOnly) {
  const Vector logits{-1.0, 0.0, 1.0};
  const std::vector<std::uint8_t> labels{0, 0, 1};
  EXPECT_DOUBLE_EQ(classification_metrics(logits, labels).accuracy, 1.0);
  EXPECT_DOUBLE_EQ(classification_metrics(logits, labels, -0.5).accuracy, 2.0 / 3);
}

TEST(ClassificationMetrics, HaveNoAreaWithOneClass) {
  const Vector logits{0.3, -0.2};
  for (const std::uint8_t label : {std::uint8_t{0}, std::uint8_t{1}}) {
    const std::vector<std::uint8_t> labels{label, label};
    EXPECT_TRUE(std::isnan(classification_metrics(logits, labels).auc));
  }
}

TEST(Classification, NoClearAnswerIsAWrongOne) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Vector logits{nan, 2.0, nan, -1.0};
  const std::vector<std::uint8_t> labels{0, 1, 1, 0};
  const ClassificationMetrics metrics = classification_metrics(logits, labels);
  EXPECT_EQ(metrics.accuracy, 0.5);
  EXPECT_EQ(metrics.confusion[0][1], 1U);
  EXPECT_EQ(metrics.confusion[1][0], 1U);
  EXPECT_EQ(metrics.auc, 0.625);
}

}  // namespace
}  // namespace croco
