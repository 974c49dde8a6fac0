// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx/export_caution.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace croco::onnx {
namespace {

/// The nearest threshold of a table: the place of the smallest distance. scikit-learn interpolates
/// between two thresholds.
bool takes_nearest_threshold(const File& file, const Node& node) {
  if (node.op != "ArgMin" || node.inputs.empty()) return false;
  return std::ranges::any_of(file.nodes, [&](const Node& other) {
    return other.op == "Abs" && !other.outputs.empty() && other.outputs[0] == node.inputs[0];
  });
}

bool are_opposite(const Vector& values) {
  if (values.empty() || values.size() % 2 != 0) return false;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  return std::equal(values.begin(), middle, middle, [](double a, double b) { return a == -b; });
}

/// A softmax over a decision function and its negative has twice its logit. That is right for
/// `LogisticRegression(multi_class="multinomial")` and wrong for linear discriminant analysis.
bool doubles_logit(const Node& node) {
  if (node.op != "LinearClassifier") return false;
  const Attribute* transform = node.find("post_transform");
  const Attribute* coefficients = node.find("coefficients");
  const Attribute* intercepts = node.find("intercepts");
  return transform != nullptr && transform->s == "SOFTMAX" && coefficients != nullptr &&
         are_opposite(coefficients->floats) && intercepts != nullptr &&
         are_opposite(intercepts->floats);
}

}  // namespace

std::string export_caution(const File& file) {
  constexpr std::string_view kRest =
      "compare the file with your own program's probabilities (--scores), or query the model "
      "itself "
      "(--model-command)";
  const auto some = [&](const auto& holds) { return std::ranges::any_of(file.nodes, holds); };
  if (some([&](const Node& node) { return takes_nearest_threshold(file, node); })) {
    return fmt::format(
        "this looks like isotonic calibration as skl2onnx exports it: the file takes the value of "
        "the nearest threshold, scikit-learn interpolates between two, so scores differ; {}",
        kRest);
  }
  if (file.producer == "skl2onnx" && some(doubles_logit)) {
    return fmt::format(
        "if this is a LinearDiscriminantAnalysis, skl2onnx exported it with twice the logit, and "
        "its "
        "scores are too far from 0.5; {}",
        kRest);
  }
  return {};
}

}  // namespace croco::onnx
