// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/models/graph/plane_model.hpp>
#include <croco/models/graph/plane_runtime.hpp>
#include <croco/models/onnx/graph.hpp>
#include <croco/models/onnx/logit_trace.hpp>
#include <croco/models/onnx/ranges.hpp>
#include <croco/models/probability_model.hpp>

namespace croco::onnx {
namespace {

/// The node that makes each value.
std::map<std::string_view, const Node*> producers_of(const File& file) {
  std::map<std::string_view, const Node*> out;
  for (const Node& node : file.nodes) {
    for (const std::string& value : node.outputs) out.try_emplace(value, &node);
  }
  return out;
}

/// The labels that the branch with the predicted class picks from.
std::vector<std::string> picked_labels(const File& file) {
  std::map<std::string_view, const Tensor*> pairs;
  for (const Tensor& tensor : file.initializers) {
    if (tensor.numbers.size() + tensor.texts.size() == 2) pairs.try_emplace(tensor.name, &tensor);
  }
  for (const Node& node : file.nodes) {
    if (node.op != "ArrayFeatureExtractor" || node.inputs.empty()) continue;
    const auto found = pairs.find(node.inputs[0]);
    if (found == pairs.end()) continue;
    return pair_of_labels(*found->second);
  }
  return {};
}

/// What a plane is for each of some rows.
Vector values_of(const Builder& build, Plane plane, Rows samples) {
  Vector out(samples.count());
  PlaneModel(without_roundings(build.finish(plane))).logits(samples, out);
  return out;
}

/// Whether numbers are probabilities or logits: proved by the functions that they come from, or by
/// a row for which they are no probabilities. What is neither is refused, not guessed.
ScoreKind kind_of_numbers(Builder& build, const ScoreOutput& output, Plane own, Plane other,
                          Rows samples) {
  if (build.choice().kind != ScoreKind::proven) return build.choice().kind;
  constexpr double kSlack = 1e-4;
  Ranges ranges(build);
  const bool shares = ranges.of(own).is_share() && ranges.of(other).is_share();
  const Vector first = values_of(build, own, samples);
  const Vector second = own == other ? first : values_of(build, other, samples);
  for (std::size_t k = 0; k < first.size(); ++k) {
    const bool outside = std::abs(first[k] - 0.5) > 0.5 + kSlack;
    if (outside && !shares) return ScoreKind::logit;
    if (shares && own != other && std::abs(first[k] + second[k] - 1) > kSlack) {
      throw ModelError(fmt::format(
          "the output '{}' has two numbers between 0 and 1 that add up to {:.6g} for a row; the "
          "probabilities of two classes add up to 1. Export one score, or say what they are "
          "(--score logit or --score probability)",
          output.value, first[k] + second[k]));
    }
  }
  if (shares) return ScoreKind::probability;
  throw ModelError(fmt::format(
      "the output '{}' may be a probability or a logit: it was between 0 and 1 for {} rows, and "
      "the file does not prove that it always is. Say which it is: --score probability or --score "
      "logit",
      output.value, first.size()));
}

}  // namespace

const Node* producer_of(const File& file, const std::string& value) {
  for (const Node& node : file.nodes) {
    if (std::ranges::find(node.outputs, value) != node.outputs.end()) return &node;
  }
  return nullptr;
}

std::vector<std::string> class_labels(const Node& node) {
  for (const char* name : {"classlabels_strings", "classlabels"}) {
    if (const Attribute* found = node.find(name); found != nullptr && !found->strings.empty()) {
      return found->strings;
    }
  }
  std::vector<std::string> out;
  for (const char* name : {"classlabels_ints", "classlabels_int64s"}) {
    const Attribute* found = node.find(name);
    if (found == nullptr) continue;
    for (const std::int64_t label : found->ints) out.push_back(fmt::format("{}", label));
    break;
  }
  return out;
}

std::vector<std::string> pair_of_labels(const Tensor& tensor) {
  if (tensor.numbers.size() + tensor.texts.size() != 2) return {};
  if (!tensor.texts.empty()) return tensor.texts;
  return {format_number(tensor.numbers[0]), format_number(tensor.numbers[1])};
}

ScoreOutput score_output(const File& file) {
  struct Candidate {
    std::string value;
    std::vector<std::string> classes;
  };
  const std::map<std::string_view, const Node*> producers = producers_of(file);
  std::vector<Candidate> scores;
  std::vector<Candidate> labels;
  for (const ValueInfo& output : file.outputs) {
    Candidate candidate{output.name, {}};
    bool number = output.is_tensor && output.type == ElementType::floating;
    const auto made = producers.find(output.name);
    const Node* node = made == producers.end() ? nullptr : made->second;
    if (node != nullptr && node->op == "ZipMap" && !node->inputs.empty()) {
      candidate = {node->inputs[0], class_labels(*node)};
      number = true;
    }
    (number ? scores : labels).push_back(std::move(candidate));
  }
  std::vector<Candidate>& chosen = scores.empty() ? labels : scores;
  if (chosen.empty()) throw ModelError("the model has no outputs");
  if (chosen.size() > 1) {
    std::vector<std::string> names;
    for (const Candidate& candidate : chosen) names.push_back(candidate.value);
    throw ModelError(
        fmt::format("the model has {} outputs of numbers ({}); croco needs exactly one, the score",
                    names.size(), fmt::join(names, ", ")));
  }
  ScoreOutput out{chosen[0].value, std::move(chosen[0].classes)};
  if (!scores.empty() && labels.size() == 1) out.label = labels[0].value;
  for (const Node* node : needed_nodes(file, out.value)) {
    if (out.classes.empty()) out.classes = class_labels(*node);
  }
  if (out.classes.empty()) out.classes = picked_labels(file);
  return out;
}

std::vector<const Node*> needed_nodes(const File& file, const std::string& value) {
  std::set<std::string> needed{value};
  std::vector<const Node*> out;
  for (auto node = file.nodes.rbegin(); node != file.nodes.rend(); ++node) {
    const bool used = std::ranges::any_of(
        node->outputs, [&](const std::string& name) { return needed.contains(name); });
    if (!used) continue;
    for (const std::string& input : node->inputs) needed.insert(input);
    out.push_back(&*node);
  }
  std::ranges::reverse(out);
  return out;
}

ScoreReading read_score(Builder& build, const Value& value, const ScoreOutput& output,
                        const std::string& favourable, Rows samples) {
  if (!value.batched || value.row_axis != 0 || value.type == ElementType::text) {
    throw ModelError(fmt::format("the output '{}' is no number of a row", output.value));
  }
  const std::size_t count = value.planes.size();
  if (count != 1 && count != 2) {
    throw ModelError(fmt::format(
        "the output '{}' has {} numbers for each row; croco needs the score of one class, or of "
        "two",
        output.value, count));
  }
  std::size_t wanted = 1;
  std::string which;
  if (output.classes.size() == 2 && !favourable.empty()) {
    const auto found = std::ranges::find(output.classes, favourable);
    if (found != output.classes.end()) {
      wanted = static_cast<std::size_t>(found - output.classes.begin());
    } else if (!(output.classes[0] == "0" && output.classes[1] == "1")) {
      throw ModelError(fmt::format(
          "the model's classes are '{}' and '{}'; the schema's favourable label is '{}'",
          output.classes[0], output.classes[1], favourable));
    }
    which = fmt::format(" of class '{}'", output.classes[wanted]);
  }
  // A single score is that of the second class.
  const bool mirrored = count == 1 && wanted == 0 && output.classes.size() == 2;
  const Plane own = value.planes[count == 1 ? 0 : wanted];
  ScoreKind kind = ScoreKind::proven;
  const auto done = [&](Plane logit, const std::string& words) {
    const Plane plane = mirrored ? build.scale({logit}, {-1.0}, {0.0}).front() : logit;
    return ScoreReading{plane, fmt::format("'{}': {}{}", output.value, words, which), which,
                        wanted == 1, kind};
  };
  if (const auto found = trace_logit(build, own)) return done(found->logit, found->words);
  const bool pair = count == 2;
  const Plane other = pair ? value.planes[1 - wanted] : own;
  kind = kind_of_numbers(build, output, own, other, samples);
  if (kind == ScoreKind::probability) {
    return done(build.unary(Unary::logit, {own}, kLeastProbability).front(),
                "the logit of its probability");
  }
  if (!pair) return done(own, "a logit");
  if (are_opposite(build, other, own)) return done(own, "a raw score, taken as a logit");
  return done(build.binary(Binary::subtract, {own}, {other}).front(),
              "the difference of two logits");
}

}  // namespace croco::onnx
