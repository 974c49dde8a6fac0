// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx_forest.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <croco/models/affine_forms.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/probability_model.hpp>
#include <croco/models/tree_model.hpp>
#include <croco/models/tree_scores.hpp>

namespace croco::onnx {
namespace {

/// A column of the trees as a column of points: a number, a level, or a code of a category.
std::optional<InputColumn> column_of(const AffineForm& form, const SourceColumns& source) {
  if (form.is_constant()) return std::nullopt;
  InputColumn out;
  out.column = form.terms.front().index;
  if (form.terms.size() == 1) {
    out.minimum = form.offset;
    out.unit = form.terms.front().factor;
    if (out.unit > 0) return out;
  }
  for (const SourceColumn& column : source.columns) {
    const std::size_t end = column.column + column.levels.size();
    if (!column.categorical() || out.column < column.column || form.terms.back().index >= end) {
      continue;
    }
    out.kind = InputColumn::Kind::code;
    out.column = column.column;
    out.codes.assign(column.levels.size(), form.offset);
    for (const AffineForm::Term& term : form.terms) {
      out.codes[term.index - column.column] += term.factor;
    }
    return out;
  }
  return std::nullopt;
}

/// The ensemble with all that it says times a factor, and moved.
TreeEnsemble scaled(TreeEnsemble ensemble, double factor, double offset) {
  const double scale = ensemble.multiply / ensemble.divide * factor;
  for (TreeNode& node : ensemble.nodes) {
    if (node.is_leaf()) node.number *= scale;
  }
  ensemble.base = ensemble.base * scale + offset;
  ensemble.multiply = 1;
  ensemble.divide = 1;
  return ensemble;
}

}  // namespace

std::shared_ptr<const Model> as_trees(const PlaneProgram& program, const SourceColumns& source) {
  const OpaqueStep* trees = nullptr;
  const UnaryStep* logit = nullptr;
  for (const Step& step : program.steps) {
    if (const auto* opaque = std::get_if<OpaqueStep>(&step)) {
      if (trees != nullptr) return nullptr;
      trees = opaque;
    }
    const auto* unary = std::get_if<UnaryStep>(&step);
    if (unary != nullptr && unary->function == Unary::logit && unary->out == program.result &&
        unary->in.size() == 1) {
      logit = unary;
    }
  }
  if (trees == nullptr) return nullptr;
  const auto* scores = dynamic_cast<const TreeScores*>(trees->function.get());
  if (scores == nullptr) return nullptr;

  std::vector<Plane> inputs(program.inputs);
  for (std::size_t j = 0; j < inputs.size(); ++j) inputs[j] = static_cast<Plane>(j);
  const AffineForms prepared(program, inputs);
  std::vector<InputColumn> columns;
  std::vector<bool> asked(trees->in.size(), false);
  for (const TreeNode& node : scores->ensemble().nodes) {
    if (!node.is_leaf()) asked[node.column] = true;
  }
  for (std::size_t i = 0; i < trees->in.size(); ++i) {
    const AffineForm* form = prepared.find(trees->in[i]);
    std::optional<InputColumn> column;
    if (form != nullptr) column = column_of(*form, source);
    if (!column && asked[i]) return nullptr;
    columns.push_back(column.value_or(InputColumn{}));
  }
  // What becomes of the sum: itself or a multiple, as a logit or as a probability.
  const AffineForms after(program, {trees->out});
  const AffineForm* score = after.find(logit == nullptr ? program.result : logit->in.front());
  if (score == nullptr || score->terms.size() != 1) return nullptr;
  const bool as_is = score->terms[0].factor == 1 && score->offset == 0;
  auto model = std::make_shared<const TreeModel>(
      as_is ? scores->ensemble()
            : scaled(scores->ensemble(), score->terms[0].factor, score->offset),
      InputColumns(source.width, std::move(columns)));
  if (logit == nullptr) return model;
  return std::make_shared<const ProbabilityModel>(std::move(model));
}

}  // namespace croco::onnx
