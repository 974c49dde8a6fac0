// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx/export_caution.hpp>

#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>

#include <croco/base/files.hpp>

namespace croco::onnx {
namespace {

using testing::HasSubstr;

const std::filesystem::path kFolder = std::filesystem::path(CROCO_GOLDEN_DIR) / "onnx";

std::string caution_of(const std::filesystem::path& path) {
  return export_caution(parse_onnx(read_file(path), path.string(), kFolder));
}

TEST(ExportCaution, IsotonicCalibrationTakesTheNearestThreshold) {
  EXPECT_THAT(caution_of(kFolder / "sk_isotonic_logistic.onnx"),
              HasSubstr("the file takes the value of the nearest threshold, scikit-learn "
                        "interpolates between two, so scores differ; compare the file with your "
                        "own program's probabilities (--scores)"));
}

TEST(ExportCaution, DiscriminantAnalysisHasTwiceTheLogit) {
  EXPECT_THAT(caution_of(kFolder / "sk_linear_discriminant.onnx"),
              HasSubstr("if this is a LinearDiscriminantAnalysis, skl2onnx exported it with twice "
                        "the logit"));
}

TEST(ExportCaution, NoOtherFileIsDoubted) {
  std::set<std::string> doubted;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".onnx" || caution_of(entry.path()).empty()) continue;
    doubted.insert(entry.path().filename().string());
  }
  EXPECT_EQ(doubted, std::set<std::string>(
                         {"sk_isotonic_bayes.onnx", "sk_isotonic_forest.onnx",
                          "sk_isotonic_linear_svc.onnx", "sk_isotonic_linear_svc_double.onnx",
                          "sk_isotonic_logistic.onnx", "sk_isotonic_logistic_double.onnx",
                          "sk_isotonic_one_logistic.onnx", "sk_linear_discriminant.onnx"}));
}

}  // namespace
}  // namespace croco::onnx
