// SPDX-License-Identifier: Apache-2.0
/// What each operator of ONNX becomes as steps on planes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <croco/models/onnx/builder.hpp>
#include <croco/models/onnx/file.hpp>
#include <croco/models/onnx/value.hpp>

namespace croco::onnx {

/// One node while it is compiled. What its functions throw are ModelErrors without a place; the
/// compiler adds the node's name.
class OpContext {
 public:
  OpContext(Builder& builder, const Node& of, std::vector<const Value*> inputs,
            std::int64_t version, std::optional<std::int64_t> rows)
      : build(builder), node(of), opset(version), batch(rows), inputs_(std::move(inputs)) {
    outputs.resize(node.outputs.size());
  }

  Builder& build;
  const Node& node;
  std::int64_t opset;                 ///< version of the operators of the node's domain
  std::optional<std::int64_t> batch;  ///< rows, when the file fixes them
  /// Nothing for an output that croco has no use for, such as labels.
  std::vector<std::optional<Value>> outputs;

  [[nodiscard]] std::size_t input_count() const noexcept { return inputs_.size(); }
  /// Throws ModelError when it is left out.
  [[nodiscard]] const Value& in(std::size_t index) const;
  /// `nullptr` when it is left out.
  [[nodiscard]] const Value* find(std::size_t index) const noexcept;
  /// An input that must not depend on the row.
  [[nodiscard]] const Value& known_in(std::size_t index) const;
  void out(Value value, std::size_t index = 0) {
    if (index < outputs.size()) outputs[index] = std::move(value);
  }

  [[nodiscard]] double number(std::string_view attribute, double otherwise) const;
  [[nodiscard]] std::int64_t integer(std::string_view attribute, std::int64_t otherwise) const;
  [[nodiscard]] std::string text(std::string_view attribute, std::string_view otherwise) const;
  [[nodiscard]] Vector numbers(std::string_view attribute) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view attribute) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view attribute) const;
  /// Axes that are an attribute in older operators and input `index` in newer ones.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> axes(std::size_t index) const;

 private:
  std::vector<const Value*> inputs_;
};

/// The whole numbers of a known tensor.
[[nodiscard]] std::vector<std::int64_t> as_integers(const Value& value);
/// Throws ModelError unless the value has the type of numbers.
void require_numbers(const Value& value);

struct Operator {
  std::string_view domain;  ///< empty for the standard operators
  std::string_view name;
  void (*compile)(OpContext& context);
};

/// `nullptr` when there is no such operator here.
[[nodiscard]] const Operator* find_operator(std::string_view domain, std::string_view name);

// The tables by kind, each in a source of its own.
[[nodiscard]] std::span<const Operator> shape_operators();
[[nodiscard]] std::span<const Operator> choice_operators();
[[nodiscard]] std::span<const Operator> math_operators();
[[nodiscard]] std::span<const Operator> logic_operators();
[[nodiscard]] std::span<const Operator> network_operators();
[[nodiscard]] std::span<const Operator> table_operators();
[[nodiscard]] std::span<const Operator> classifier_operators();
[[nodiscard]] std::span<const Operator> tree_operators();

/// `function` of every element; known values are computed.
[[nodiscard]] Value apply_unary(Builder& build, Unary function, const Value& value, double a = 0,
                                double b = 0);
/// `function` of two values brought to one shape.
[[nodiscard]] Value apply_binary(Builder& build, Binary function, const Value& left,
                                 const Value& right);
/// An operator that is `Function` of its two inputs.
template <Binary Function>
void pair(OpContext& op) {
  op.out(apply_binary(op.build, Function, op.in(0), op.in(1)));
}

// What classifiers have in common.
/// What "post_transform" makes of the scores.
[[nodiscard]] std::vector<Plane> transformed(OpContext& op, std::vector<Plane> scores);
/// One score for two classes becomes two.
[[nodiscard]] std::vector<Plane> both_classes(OpContext& op, Plane score);
/// Sets the second output, the scores. The label is the class with the larger one of two.
void scores_out(OpContext& op, std::vector<Plane> scores);

/// The domain of the operators that came from scikit-learn and its like.
inline constexpr std::string_view kTableDomain = "ai.onnx.ml";

}  // namespace croco::onnx
