// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx/forest.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <croco/models/graph/affine_forms.hpp>
#include <croco/models/graph/tree_graph.hpp>
#include <croco/models/graph/tree_scores.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/probability_model.hpp>
#include <croco/models/runtime_error.hpp>
#include <croco/models/trees/tree_model.hpp>

namespace croco::onnx {
namespace {

/// How many times the difference that was seen is allowed for.
constexpr double kSumReserve = 4.0;

/// Columns of trees that are numbers of the point, prepared by scalers and their like. The runtime
/// rounds after each of their steps, and so does this.
class PreparedNumbers {
 public:
  PreparedNumbers(const PlaneProgram& program, const RuntimeTypes& types)
      : program_(program),
        types_(types),
        single_(single_planes(program, types)),
        producer_(program.planes, 0) {
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
      const PlaneRange range = written_by(program.steps[s]);
      std::fill_n(producer_.begin() + range.first, range.count, s + 1);
    }
  }

  /// Nothing when a step is another one than a product or a sum with a constant.
  [[nodiscard]] std::optional<InputColumn> find(Plane plane) const {
    InputColumn out;
    while (plane >= program_.inputs) {
      if (producer_[plane] == 0) return constant(plane, std::move(out));
      const Step& step = program_.steps[producer_[plane] - 1];
      InputStep prepared{.single = single_[plane]};
      const std::size_t index = plane - written_by(step).first;
      if (const auto* scale = std::get_if<ScaleStep>(&step)) {
        if (scale->divisor.empty()) {
          prepared.factor = scale->factor[index];
          prepared.offset = scale->offset[index];
        } else {
          prepared.divisor = scale->divisor[index];
        }
        // A product and a sum have two roundings.
        if (!(prepared.factor > 0 && prepared.divisor > 0) ||
            (prepared.factor != 1 && prepared.offset != 0)) {
          return std::nullopt;
        }
        plane = scale->in[index];
      } else if (const auto* unary = std::get_if<UnaryStep>(&step);
                 unary != nullptr && is_conversion(unary->function)) {
        plane = unary->in[index];
      } else {
        return std::nullopt;
      }
      out.steps.push_back(prepared);
    }
    if (types_.single_inputs[plane]) out.steps.push_back({.single = true});
    std::ranges::reverse(out.steps);
    out.column = plane;
    return out;
  }

 private:
  /// What a constant becomes by the steps so far, the last one first.
  [[nodiscard]] std::optional<InputColumn> constant(Plane plane, InputColumn prepared) const {
    const auto found = std::ranges::find(program_.constants, plane,
                                         [](const ConstantPlane& c) { return c.plane; });
    if (found == program_.constants.end()) return std::nullopt;
    InputColumn out = InputColumn::constant_of(found->value);
    out.steps = std::move(prepared.steps);
    std::ranges::reverse(out.steps);
    return out;
  }

  const PlaneProgram& program_;
  const RuntimeTypes& types_;
  std::vector<bool> single_;
  std::vector<std::size_t> producer_;  ///< by plane: 1 + step, or 0
};

/// A column of the trees as a code of a category.
std::optional<InputColumn> code_of(const AffineForm& form, const SourceColumns& source) {
  if (form.is_constant()) return std::nullopt;
  InputColumn out;
  out.column = form.terms.front().index;
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

/// The columns of trees, as functions of the point.
class PreparedColumns {
 public:
  PreparedColumns(const PlaneProgram& program, const RuntimeTypes& types,
                  const SourceColumns& source)
      : source_(source), forms_(program, columns_of(program)), numbers_(program, types) {}

  /// Nothing when a column that is asked for is another function. `step` is of `TreeScores`. Throws
  /// ModelError when preparing the columns for every split is beyond the budget.
  [[nodiscard]] std::optional<InputColumns> of(const OpaqueStep& step, ModelBudget& budget) const {
    const auto& ensemble = dynamic_cast<const TreeScores&>(*step.function).ensemble();
    std::vector<InputColumn> columns;
    std::vector<bool> asked(step.in.size(), false);
    for (const TreeNode& node : ensemble.nodes) {
      if (!node.is_leaf()) asked[node.column] = true;
    }
    for (std::size_t i = 0; i < step.in.size(); ++i) {
      std::optional<InputColumn> column = numbers_.find(step.in[i]);
      const AffineForm* form = forms_.find(step.in[i]);
      if (!column && form != nullptr) column = code_of(*form, source_);
      if (!column && asked[i]) return std::nullopt;
      columns.push_back(column.value_or(InputColumn{}));
    }
    // Every threshold is found by halving, through all steps of its column.
    constexpr std::size_t kHalvings = 128;
    for (const TreeNode& node : ensemble.nodes) {
      if (node.is_leaf()) continue;
      budget.work(columns[node.column].steps.size() + 1, kHalvings,
                  "preparing the columns of trees");
    }
    return InputColumns(source_.width, std::move(columns));
  }

 private:
  static std::vector<Plane> columns_of(const PlaneProgram& program) {
    std::vector<Plane> out(program.inputs);
    std::iota(out.begin(), out.end(), Plane{0});
    return out;
  }

  const SourceColumns& source_;
  AffineForms forms_;
  PreparedNumbers numbers_;
};

const TreeScores* tree_scores(const Step& step) {
  const auto* opaque = std::get_if<OpaqueStep>(&step);
  return opaque == nullptr ? nullptr : dynamic_cast<const TreeScores*>(opaque->function.get());
}

/// The program behind the sums of trees, which are its inputs in the given order. Nothing when it
/// asks for columns of the point as well.
std::optional<PlaneProgram> behind_trees(const PlaneProgram& program,
                                         const std::vector<const TreeScores*>& trees) {
  const auto shift = static_cast<Plane>(trees.size());
  std::vector<Plane> number(program.planes);
  std::iota(number.begin(), number.end(), shift);
  PlaneProgram out{.inputs = trees.size(), .planes = trees.size() + program.planes};
  std::vector<bool> read(program.planes, false);
  read[program.result] = true;
  for (auto step = program.steps.rbegin(); step != program.steps.rend(); ++step) {
    if (tree_scores(*step) != nullptr) continue;
    const PlaneRange range = written_by(*step);
    const auto first = read.begin() + static_cast<std::ptrdiff_t>(range.first);
    if (std::find(first, first + static_cast<std::ptrdiff_t>(range.count), true) ==
        first + static_cast<std::ptrdiff_t>(range.count)) {
      continue;
    }
    for (const Plane plane : read_by(*step)) read[plane] = true;
  }
  if (std::find(read.begin(), read.begin() + static_cast<std::ptrdiff_t>(program.inputs), true) !=
      read.begin() + static_cast<std::ptrdiff_t>(program.inputs)) {
    return std::nullopt;
  }
  for (const ConstantPlane& constant : program.constants) {
    out.constants.push_back({constant.plane + shift, constant.value});
  }
  for (const Step& from : program.steps) {
    if (const TreeScores* scores = tree_scores(from)) {
      const auto at = std::ranges::find(trees, scores) - trees.begin();
      number[written_by(from).first] = static_cast<Plane>(at);
      continue;
    }
    Step step = from;
    renumber(step, number);
    std::visit([&](auto& one) { one.out += shift; }, step);
    out.steps.push_back(std::move(step));
  }
  out.result = number[program.result];
  return pruned(out);
}

/// The ensemble with all that it says times a factor, and moved.
TreeEnsemble scaled(TreeEnsemble ensemble, double factor, double offset) {
  const double scale = ensemble.multiply / ensemble.divide * factor;
  for (TreeNode& node : ensemble.nodes) {
    if (node.is_leaf()) node.number *= scale;
  }
  ensemble.base = ensemble.base * scale + offset;
  ensemble.sum_error *= std::abs(scale);
  ensemble.multiply = 1;
  ensemble.divide = 1;
  return ensemble;
}

}  // namespace

std::shared_ptr<const Model> as_trees(const PlaneProgram& program, const RuntimeTypes& types,
                                      const SourceColumns& source, ModelBudget& budget) {
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

  std::optional<InputColumns> columns = PreparedColumns(program, types, source).of(*trees, budget);
  if (!columns) return nullptr;
  // What becomes of the sum: itself or a multiple, as a logit or as a probability.
  const AffineForms after(program, {trees->out});
  const AffineForm* score = after.find(logit == nullptr ? program.result : logit->in.front());
  if (score == nullptr || score->terms.size() != 1) return nullptr;
  const bool as_is = score->terms[0].factor == 1 && score->offset == 0;
  TreeEnsemble ensemble = as_is ? scores->ensemble()
                                : scaled(scores->ensemble(), score->terms[0].factor, score->offset);
  if (logit == nullptr) ensemble.probability_error = kSingleProbabilityError;
  auto model = std::make_shared<const TreeModel>(ensemble, *columns);
  if (logit == nullptr) return model;
  return std::make_shared<const ProbabilityModel>(std::move(model));
}

std::shared_ptr<const Model> as_tree_graph(const PlaneProgram& program, const PlaneProgram& rounded,
                                           const RuntimeTypes& types, const SourceColumns& source,
                                           RuntimeError error, ModelBudget& budget) {
  std::vector<const TreeScores*> trees;
  TreeGraphModel::Forests forests;
  Vector sum_errors;
  std::optional<PreparedColumns> prepared;
  for (const Step& step : program.steps) {
    const TreeScores* scores = tree_scores(step);
    if (scores == nullptr) continue;
    if (!prepared) prepared.emplace(program, types, source);
    const auto columns = prepared->of(std::get<OpaqueStep>(step), budget);
    if (!columns) return nullptr;
    trees.push_back(scores);
    forests.push_back(std::make_unique<const TreeModel>(scores->ensemble(), *columns));
    const TreeEnsemble& ensemble = scores->ensemble();
    sum_errors.push_back(ensemble.sum_error * std::abs(ensemble.multiply / ensemble.divide));
  }
  if (trees.empty()) return nullptr;
  std::optional<PlaneProgram> behind = behind_trees(rounded, trees);
  if (!behind) return nullptr;
  auto model = std::make_shared<TreeGraphModel>(std::move(forests), std::move(*behind), error);
  error.logit += kSumReserve * model->moved_by(sum_errors, usual_rows(source).rows());
  model->set_runtime_error(error);
  return model;
}

}  // namespace croco::onnx
