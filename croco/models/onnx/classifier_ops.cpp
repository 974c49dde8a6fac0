// SPDX-License-Identifier: Apache-2.0
// Classifiers and regressors of ai.onnx.ml that are sums of weights and kernels. Their first
// output, the label, is no value here; the builder knows what decides it.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/models/onnx/operators.hpp>

namespace croco::onnx {
namespace {

void set_label(const OpContext& op, const LabelScores& scores) {
  if (!op.node.outputs.empty()) op.build.set_label(op.node.outputs[0], scores);
}

/// These operators compute in single precision.
std::vector<Plane> row_of(OpContext& op) {
  const Value& value = op.in(0);
  require_numbers(value);
  if (!value.batched || value.shape.size() != 1 || value.planes.empty()) {
    throw ModelError(fmt::format("it is given {} instead of rows of columns", shape_text(value)));
  }
  return op.build.in_single(value.planes);
}

std::size_t class_count(const OpContext& op) {
  const std::size_t count =
      std::max({op.integers("classlabels_ints").size(), op.integers("classlabels_int64s").size(),
                op.texts("classlabels_strings").size(), op.texts("classlabels").size()});
  return count == 0 ? 2 : count;
}

/// Both probabilities from the logit of the second class: the form whose logit is found again.
std::vector<Plane> from_logit(OpContext& op, Plane logit) {
  return op.build.group(GroupKind::softmax, 2, {op.build.constant(0), logit});
}

DenseLayer linear_layer(const OpContext& op, std::size_t inputs) {
  DenseLayer layer{inputs, 0, op.numbers("coefficients"), op.numbers("intercepts")};
  if (layer.weight.empty() || layer.weight.size() % inputs != 0) {
    throw ModelError(
        fmt::format("it is given {} columns and has {} coefficients", inputs, layer.weight.size()));
  }
  layer.outputs = layer.weight.size() / inputs;
  if (layer.bias.empty()) layer.bias.resize(layer.outputs, 0.0);
  if (layer.bias.size() != layer.outputs) {
    throw ModelError(
        fmt::format("it has {} intercepts for {} scores", layer.bias.size(), layer.outputs));
  }
  return layer;
}

/// Two scores that are each other's opposite.
bool is_mirrored(const DenseLayer& layer) {
  if (layer.outputs != 2 || layer.bias[0] != -layer.bias[1]) return false;
  for (std::size_t i = 0; i < layer.inputs; ++i) {
    if (layer.weight[i] != -layer.weight[layer.inputs + i]) return false;
  }
  return true;
}

void linear_classifier(OpContext& op) {
  const std::vector<Plane> in = row_of(op);
  const DenseLayer layer = linear_layer(op, in.size());
  const std::size_t classes = class_count(op);
  const std::vector<Plane> scores = op.build.affine(in, layer);
  if (scores.size() == 1 && classes == 2) return scores_out(op, both_classes(op, scores[0]));
  if (scores.size() != classes) {
    throw ModelError(fmt::format("it has {} scores for {} classes", scores.size(), classes));
  }
  if (is_mirrored(layer) && op.text("post_transform", "NONE") == "LOGISTIC") {
    return scores_out(op, from_logit(op, scores[1]));
  }
  scores_out(op, transformed(op, scores));
}

void linear_regressor(OpContext& op) {
  const std::vector<Plane> in = row_of(op);
  std::vector<Plane> scores = transformed(op, op.build.affine(in, linear_layer(op, in.size())));
  const auto width = static_cast<std::int64_t>(scores.size());
  op.out(Builder::batched(std::move(scores), {width}));
}

/// The support vectors as rows, as many as the coefficients say.
DenseLayer support_vectors(const OpContext& op, std::size_t inputs, std::size_t count) {
  DenseLayer layer{inputs, count, op.numbers("support_vectors"), Vector(count, 0.0)};
  if (count == 0 || layer.weight.size() != count * inputs) {
    throw ModelError(fmt::format("it has {} numbers for {} support vectors of {} columns",
                                 layer.weight.size(), count, inputs));
  }
  return layer;
}

/// A power that products make: whole, and not too high.
bool is_product(double degree) {
  constexpr double kMostFactors = 16;
  return degree >= 1 && degree <= kMostFactors && degree == std::floor(degree);
}

/// `offset + sum of coefficient times K(x, s)` over all support vectors s.
Plane kernel_decision(OpContext& op, const std::vector<Plane>& in, const Vector& coefficients,
                      double offset) {
  DenseLayer vectors = support_vectors(op, in.size(), coefficients.size());
  const std::string kind = op.text("kernel_type", "LINEAR");
  const Vector parameters = op.numbers("kernel_params");  // gamma, coef0, degree
  if (kind != "LINEAR" && parameters.size() != 3) {
    throw ModelError(fmt::format("its kernel has {} parameters, not 3", parameters.size()));
  }
  const auto weighted = [&](std::vector<Plane> values) {
    return op.build.affine(std::move(values), {coefficients.size(), 1, coefficients, {offset}})
        .front();
  };
  if (kind == "LINEAR") return weighted(op.build.affine(in, std::move(vectors)));
  KernelSum::Parameters sum{.gamma = parameters[0],
                            .shift = parameters[1],
                            .inputs = in.size(),
                            .coefficients = coefficients,
                            .offset = offset};
  if (kind == "POLY" && !is_product(parameters[2])) {
    for (double& weight : vectors.weight) weight *= sum.gamma;
    std::ranges::fill(vectors.bias, sum.shift);
    return weighted(
        op.build.unary(Unary::power, op.build.affine(in, std::move(vectors)), parameters[2]));
  }
  if (kind == "POLY") {
    sum.kernel = VectorKernel::power;
    sum.degree = static_cast<unsigned>(parameters[2]);
  } else if (kind == "SIGMOID") {
    sum.kernel = VectorKernel::tanh;
  } else if (kind != "RBF") {
    throw ModelError(
        fmt::format("its kernel is '{}'; croco knows LINEAR, RBF, POLY and SIGMOID", kind));
  }
  sum.vectors = std::move(vectors.weight);
  return op.build.kernel_sum(std::make_shared<const KernelSum>(std::move(sum)), in);
}

void svm_classifier(OpContext& op) {
  const std::vector<Plane> in = row_of(op);
  if (class_count(op) != 2) {
    throw ModelError(fmt::format("it has {} classes; croco explains two", class_count(op)));
  }
  const Vector coefficients = op.numbers("coefficients");
  const Vector rho = op.numbers("rho");
  const Vector prob_a = op.numbers("prob_a");
  const Vector prob_b = op.numbers("prob_b");
  if (rho.size() != 1 || prob_a.size() > 1 || prob_a.size() != prob_b.size()) {
    throw ModelError("its rho, prob_a and prob_b are not those of two classes");
  }
  // Without support vectors the coefficients are the hyperplane itself.
  const bool plain = op.numbers("support_vectors").empty();
  if (plain && in.size() != coefficients.size()) {
    throw ModelError(fmt::format("it is given {} columns and has {} coefficients", in.size(),
                                 coefficients.size()));
  }
  // Positive for the first class, as LIBSVM has it.
  const Plane decision =
      plain ? op.build.affine(in, {coefficients.size(), 1, coefficients, {rho[0]}}).front()
            : kernel_decision(op, in, coefficients, rho[0]);
  const Plane mirrored = op.build.scale({decision}, {-1.0}, {0.0}).front();
  if (prob_a.empty()) {
    // Runtimes put the decision function into the second column, where it is positive for the
    // first class.
    const bool raw = op.text("post_transform", "NONE") == "NONE";
    scores_out(op, raw ? std::vector{mirrored, decision} : both_classes(op, decision));
  } else {
    // Platt: the first class has the probability 1 / (1 + exp(a f + b)).
    const std::vector<Plane> logit = op.build.scale({decision}, {prob_a[0]}, {prob_b[0]});
    scores_out(op, from_logit(op, op.build.unary(Unary::libsvm_logit, logit).front()));
  }
  set_label(op, {decision, mirrored, !prob_a.empty()});
}

constexpr Operator kClassifierOperators[] = {
    {kTableDomain, "LinearClassifier", linear_classifier},
    {kTableDomain, "LinearRegressor", linear_regressor},
    {kTableDomain, "SVMClassifier", svm_classifier},
};

}  // namespace

std::span<const Operator> classifier_operators() { return kClassifierOperators; }

std::vector<Plane> transformed(OpContext& op, std::vector<Plane> scores) {
  const std::string transform = op.text("post_transform", "NONE");
  if (transform == "NONE") return scores;
  if (transform == "LOGISTIC") return op.build.unary(Unary::sigmoid, std::move(scores));
  if (transform == "SOFTMAX") {
    const std::size_t width = scores.size();
    return op.build.group(GroupKind::softmax, width, std::move(scores));
  }
  throw ModelError(
      fmt::format("its post_transform is '{}'; croco knows NONE, LOGISTIC and SOFTMAX", transform));
}

std::vector<Plane> both_classes(OpContext& op, Plane score) {
  const std::string transform = op.text("post_transform", "NONE");
  if (transform == "NONE") {
    return {op.build.scale({score}, {-1.0}, {0.0}).front(), score};
  }
  if (transform == "LOGISTIC") return from_logit(op, score);
  throw ModelError(fmt::format(
      "its post_transform is '{}'; for one score of two classes croco knows NONE and LOGISTIC",
      transform));
}

void scores_out(OpContext& op, std::vector<Plane> scores) {
  if (scores.size() == 2) set_label(op, {scores[0], scores[1]});
  const auto width = static_cast<std::int64_t>(scores.size());
  op.out(Builder::batched(std::move(scores), {width}), 1);
}

}  // namespace croco::onnx
