// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx/label.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/models/graph/plane_model.hpp>
#include <croco/models/graph/plane_runtime.hpp>

namespace croco::onnx {
namespace {

constexpr std::size_t kMaxLabelTrace = 64;
/// Scores that are nearer to a tie than this are not held against each other.
constexpr double kTie = 1e-5;

constexpr std::string_view kHowToDecide =
    "Say which one decides: --decision label or --decision probability";

bool passes_on(const Node& node) {
  constexpr std::array<std::string_view, 7> kPassing = {
      "Cast", "CastLike", "Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten"};
  return node.domain.empty() && std::ranges::find(kPassing, node.op) != kPassing.end();
}

/// The labels that are picked by an index, when the file holds two of them.
std::vector<std::string> two_labels(const File& file, const std::string& name) {
  for (const Tensor& tensor : file.initializers) {
    if (tensor.name == name) return pair_of_labels(tensor);
  }
  return {};
}

/// Along the last axis of rows, and the first of equal ones.
bool picks_class(const Node& node) {
  if (!node.domain.empty() || node.op != "ArgMax" || node.inputs.empty()) return false;
  const Attribute* axis = node.find("axis");
  const Attribute* last = node.find("select_last_index");
  return axis != nullptr && (axis->i == 1 || axis->i == -1) && (last == nullptr || last->i == 0);
}

bool is_classifier(const Node& node, const std::string& output) {
  return node.domain == "ai.onnx.ml" && node.op.ends_with("Classifier") && !node.outputs.empty() &&
         node.outputs[0] == output;
}

}  // namespace

LabelSource label_source(const File& file, const ScoreOutput& output) {
  LabelSource out{.output = output.label, .tensor = output.label};
  if (output.label.empty()) return out;
  out.kind = LabelSource::Kind::number;
  std::string name = output.label;
  for (std::size_t depth = 0; depth < kMaxLabelTrace; ++depth) {
    const Node* node = producer_of(file, name);
    if (node == nullptr || node->inputs.empty()) break;
    const bool picks = node->op == "ArrayFeatureExtractor" || node->op == "Gather";
    if (is_classifier(*node, name)) {
      if (out.classes.empty()) out.classes = class_labels(*node);
      out.kind = LabelSource::Kind::classifier;
      out.tensor = name;
      break;
    }
    if (picks_class(*node)) {
      out.kind = LabelSource::Kind::largest;
      out.tensor = node->inputs[0];
      break;
    }
    if (picks && node->inputs.size() == 2) {
      out.classes = two_labels(file, node->inputs[0]);
      name = node->inputs[1];
    } else if (passes_on(*node)) {
      name = node->inputs[0];
    } else {
      break;
    }
  }
  return out;
}

std::optional<LabelScores> label_scores(Builder& build, const LabelSource& label,
                                        const Value* value) {
  if (label.kind == LabelSource::Kind::classifier) return build.label(label.tensor);
  if (value == nullptr || !value->batched || value->type == ElementType::text) return std::nullopt;
  const std::vector<Plane>& planes = value->planes;
  if (label.kind == LabelSource::Kind::largest && planes.size() == 2) {
    return LabelScores{planes[0], planes[1]};
  }
  const bool index = label.kind == LabelSource::Kind::number && label.classes.empty();
  if (index && planes.size() == 1) return LabelScores{build.constant(0.5), planes[0]};
  return std::nullopt;
}

namespace {

/// Positive where the label is the class that the score is for.
Plane margin_of(Builder& build, const LabelSource& label, const LabelScores& scores,
                const ScoreOutput& output, bool second_wanted) {
  const bool reversed = label.classes.size() == 2 && output.classes.size() == 2 &&
                        label.classes[0] == output.classes[1] &&
                        label.classes[1] == output.classes[0];
  const bool second = second_wanted != reversed;
  return build
      .binary(Binary::subtract, {second ? scores.second : scores.first},
              {second ? scores.first : scores.second})
      .front();
}

struct Disagreement {
  std::size_t rows = 0;
  double logit = 0;  ///< of the first one
};

Disagreement compare(const Builder& build, Plane logit, Plane margin, Rows samples) {
  Vector by_score(samples.count());
  Vector by_label(samples.count());
  PlaneModel(without_roundings(build.finish(logit))).logits(samples, by_score);
  PlaneModel(without_roundings(build.finish(margin))).logits(samples, by_label);
  Disagreement out;
  for (std::size_t k = 0; k < by_score.size(); ++k) {
    const bool clear = std::abs(by_score[k]) > kTie && std::abs(by_label[k]) > kTie;
    if (!clear || (by_score[k] > 0) == (by_label[k] > 0)) continue;
    if (out.rows++ == 0) out.logit = by_score[k];
  }
  return out;
}

}  // namespace

ScoreReading decided_by(Builder& build, ScoreReading score, const LabelSource& label,
                        const std::optional<LabelScores>& scores, const Value& value,
                        const ScoreOutput& output, Rows samples) {
  const DecidedBy choice = build.choice().decided_by;
  if (label.kind == LabelSource::Kind::none) {
    if (choice == DecidedBy::label) {
      throw ModelError("decision is label; the model has no output with a label");
    }
    return score;
  }
  if (!scores) {
    throw ModelError(
        fmt::format("croco cannot tell how the label '{}' is decided, and it may disagree with "
                    "'{}'. Export the model without it, or say that the score decides: --decision "
                    "probability",
                    label.output, output.value));
  }
  if (scores->apart_from_probabilities && choice == DecidedBy::unstated) {
    throw ModelError(fmt::format(
        "a support vector machine predicts its label by the sign of its decision function, and "
        "its probabilities may say otherwise. {}",
        kHowToDecide));
  }
  // The label is the class with the larger score, of the scores that are read.
  if (value.planes == std::vector<Plane>{scores->first, scores->second}) return score;
  const Plane margin = margin_of(build, label, *scores, output, score.second_class);
  const std::string words =
      fmt::format("'{}': what decides the label{}", label.output, score.which);
  if (choice == DecidedBy::label)
    return {margin, words, score.which, score.second_class, score.kind};
  const Disagreement found = compare(build, score.logit, margin, samples);
  if (found.rows == 0) return score;
  // Raw scores mean nothing but the label.
  if (value.planes == std::vector<Plane>{scores->second, scores->first}) {
    return {margin, words, score.which, score.second_class, score.kind};
  }
  throw ModelError(fmt::format(
      "the label '{}' and the score '{}' disagree for {} of {} rows; in the first of them the "
      "logit of the score is {:.6g}. {}",
      label.output, output.value, found.rows, samples.count(), found.logit, kHowToDecide));
}

}  // namespace croco::onnx
