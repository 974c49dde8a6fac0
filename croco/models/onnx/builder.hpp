// SPDX-License-Identifier: Apache-2.0
/// Writes a program on planes, step by step, for the operators of a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <croco/models/graph/plane_program.hpp>
#include <croco/models/graph/plane_runtime.hpp>
#include <croco/models/model_budget.hpp>
#include <croco/models/onnx/value.hpp>
#include <croco/models/reading_choices.hpp>

namespace croco::onnx {

/// A column of texts with a known alphabet: one plane per level, of which exactly one is 1. Every
/// function of such a text is a weighted sum of its planes.
struct Category {
  std::vector<std::string> levels = {};
  std::vector<Plane> planes = {};
};

/// A label that a classifier predicts: the second class when `second` is larger than `first`.
struct LabelScores {
  Plane first = 0;
  Plane second = 0;
  /// The classifier has probabilities too, which come from a fit of their own and may disagree.
  bool apart_from_probabilities = false;
};

class Builder {
 public:
  /// The first `inputs` planes are the columns of the point.
  Builder(std::size_t inputs, const ModelBudget& budget);

  /// What the file may still take. Steps are counted as they are built.
  [[nodiscard]] ModelBudget& budget() noexcept { return budget_; }
  /// Throws ModelError when a layer of `weights` weights, used `times` times, is beyond it.
  void require_layers(std::size_t times, std::size_t weights) const;

  [[nodiscard]] const PlaneProgram& program() const noexcept { return program_; }
  [[nodiscard]] PlaneProgram finish(Plane result) const;

  /// The plane of a number, the same for equal numbers.
  [[nodiscard]] Plane constant(double value);
  /// The plane of a column whose value is missing in every row. Scaling and rounding leave it as it
  /// is, what replaces or asks for NaN makes a constant of it, and trees settle their splits on it.
  /// Every other step throws ModelError naming the column: runtimes differ in what they make of
  /// NaN, and none of it is an answer.
  [[nodiscard]] Plane missing(const std::string& column);
  [[nodiscard]] bool is_missing(Plane plane) const { return missing_.contains(plane); }
  [[nodiscard]] std::vector<Plane> affine(std::vector<Plane> in, DenseLayer layer);
  [[nodiscard]] std::vector<Plane> scale(std::vector<Plane> in, Vector factor, Vector offset,
                                         Vector divisor = {});
  // Comparisons, roundings and other jumps are no such steps where they are asked of the code of a
  // category: encoders of codes are weighted sums of levels, as those of texts are.
  [[nodiscard]] std::vector<Plane> unary(Unary function, std::vector<Plane> in, double a = 0,
                                         double b = 0);
  [[nodiscard]] std::vector<Plane> binary(Binary function, std::vector<Plane> left,
                                          std::vector<Plane> right);
  [[nodiscard]] std::vector<Plane> select(std::vector<Plane> condition, std::vector<Plane> yes,
                                          std::vector<Plane> no);
  /// `in` has the groups one behind the other.
  [[nodiscard]] std::vector<Plane> group(GroupKind kind, std::size_t width, std::vector<Plane> in,
                                         bool last = false);
  [[nodiscard]] std::vector<Plane> opaque(std::shared_ptr<const OpaqueFunction> function,
                                          std::vector<Plane> in);

  [[nodiscard]] Plane kernel_sum(std::shared_ptr<const KernelSum> sum, std::vector<Plane> in);

  /// The planes of a numeric value; known numbers become constant planes.
  [[nodiscard]] std::vector<Plane> planes_of(const Value& value);
  /// A batched value of one plane per element.
  [[nodiscard]] static Value batched(std::vector<Plane> planes, Shape shape,
                                     ElementType type = ElementType::floating);

  [[nodiscard]] std::uint32_t add_category(Category category);
  [[nodiscard]] const Category& category(std::uint32_t index) const { return categories_[index]; }
  /// A plane of numbers that is a category too: its levels are the numbers' texts.
  void tag(Plane plane, std::uint32_t category) { tags_[plane] = category; }
  [[nodiscard]] const Category* tagged(Plane plane) const;
  /// `sum over levels of value(level)` at the level that the category has.
  [[nodiscard]] Plane weighted(const Category& category, Vector values);

  /// The step that writes a plane, and which of its results it is; nothing for inputs and
  /// constants. The step stays where it is until another one is built.
  struct Producer {
    const Step* step = nullptr;
    std::size_t index = 0;
  };
  [[nodiscard]] Producer producer(Plane plane) const;
  /// The number of a constant plane.
  [[nodiscard]] std::optional<double> constant_value(Plane plane) const;
  /// What is known about the types of the file's numbers.
  [[nodiscard]] RuntimeTypes& types() noexcept { return types_; }
  [[nodiscard]] const RuntimeTypes& types() const noexcept { return types_; }
  /// What the user says about the output.
  [[nodiscard]] ScoreChoice& choice() noexcept { return choice_; }
  [[nodiscard]] const ScoreChoice& choice() const noexcept { return choice_; }
  /// What decides the label that a classifier puts into a tensor.
  void set_label(const std::string& tensor, const LabelScores& scores) { labels_[tensor] = scores; }
  [[nodiscard]] std::optional<LabelScores> label(const std::string& tensor) const;
  /// Whether a plane is a column of the point, or a scaled one: never NaN.
  [[nodiscard]] bool is_finite(Plane plane) const { return finite_[plane]; }
  /// Whether the runtime holds a plane in single precision.
  [[nodiscard]] bool is_single(Plane plane) const {
    return plane < program_.inputs ? types_.single_inputs[plane] : single_[plane];
  }
  /// The planes as an operator takes them that computes in single precision whatever it is given.
  [[nodiscard]] std::vector<Plane> in_single(std::vector<Plane> planes);

 private:
  std::vector<Plane> add(Step step);
  /// `plane_of(i)` where entry i `is_apart`; the others are results of the one step that `make`
  /// makes of them.
  template <typename Is, typename Of, typename Make>
  std::vector<Plane> apart(std::size_t count, Is is_apart, Of plane_of, Make make);
  /// Whether two planes are codes of one category, or one is and the other is a constant.
  [[nodiscard]] bool are_levels(Plane left, Plane right) const;
  /// A function of such planes is one of the level alone: the weighted sum of its planes, and a
  /// code of the category again.
  template <typename Function>
  Plane of_levels(Plane left, Function function, std::optional<Plane> right = {});
  void count(const Step& step);
  /// Whether it is the column of a level, or a number for each level of a category, which rounding
  /// to single precision leaves as they are.
  [[nodiscard]] bool is_level_sum_in_single(Plane plane) const;
  [[nodiscard]] bool finite_result(const Step& step, std::size_t index) const;

  ModelBudget budget_;
  PlaneProgram program_;
  std::vector<bool> finite_;  ///< by plane
  std::vector<bool> single_;  ///< by plane, behind the inputs
  std::map<double, Plane> constants_;
  std::map<Plane, std::string> missing_;  ///< and the column
  std::vector<std::size_t> producers_;    ///< by plane: 1 + step, or 0
  std::vector<Category> categories_;
  std::map<Plane, std::uint32_t> tags_;
  RuntimeTypes types_;
  ScoreChoice choice_;
  std::map<std::string, LabelScores> labels_;
};

}  // namespace croco::onnx
