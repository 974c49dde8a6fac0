// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx/model.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/models/graph/affine_forms.hpp>
#include <croco/models/graph/plane_error.hpp>
#include <croco/models/graph/plane_model.hpp>
#include <croco/models/graph/plane_rewrite.hpp>
#include <croco/models/graph/plane_runtime.hpp>
#include <croco/models/network/mlp.hpp>
#include <croco/models/onnx/forest.hpp>
#include <croco/models/runtime_error.hpp>

namespace croco::onnx {
namespace {

/// Scores of a graph in single precision are not clear within this of a threshold, in logits.
constexpr double kLeastError = 1e-5;
/// How many times the difference that was seen is allowed for, where no useful bound is proved.
constexpr double kRoundingReserve = 4.0;
/// A graph that roundings move by more than this is evaluated row by row, with its roundings.
constexpr double kMostError = 1e-2;
/// A proved bound is used up to here: it costs nobody more than a hair of their advice.
constexpr double kMostProved = 1e-3;
/// The bound is proved for points up to this many times as far from 0 as the rows that were seen.
constexpr double kReach = 2.0;

/// How far the runtime's roundings move the scores of rows. Logits far from every threshold do not
/// count: there nothing is decided.
double rounding_effect(const PlaneProgram& ideal, const PlaneProgram& rounded, Rows rows) {
  constexpr double kDecided = 20;
  Vector exact(rows.count());
  Vector single(rows.count());
  PlaneModel(ideal).logits(rows, exact);
  PlaneModel(rounded).logits(rows, single);
  double largest = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    if (!(std::abs(exact[k]) < kDecided)) continue;
    // What rounding makes of a number may not be one.
    const double effect = std::abs(exact[k] - single[k]);
    largest =
        std::isnan(effect) ? std::numeric_limits<double>::infinity() : std::max(largest, effect);
  }
  return largest;
}

/// How far sums in the file's precision, in any order, can carry a logit within reach of the rows.
double proved_error(const PlaneProgram& ideal, Rows rows, const Arithmetic& arithmetic) {
  std::vector<PlaneBound> inputs(ideal.inputs);
  for (std::size_t k = 0; k < rows.count(); ++k) {
    for (std::size_t j = 0; j < inputs.size(); ++j) {
      inputs[j].magnitude = std::max(inputs[j].magnitude, kReach * std::abs(rows[k][j]));
    }
  }
  for (PlaneBound& input : inputs) input.error = arithmetic.unit * input.magnitude;
  return result_bound(ideal, inputs, arithmetic).error;
}

/// What is proved, or else what was seen with a reserve; nothing when roundings move scores so far
/// that the graph has to be evaluated with them.
std::optional<double> logit_error(const PlaneProgram& ideal, const PlaneProgram& rounded, Rows rows,
                                  const Arithmetic& arithmetic) {
  // The coupling of a support vector machine jumps: what roundings do before it counts.
  const PlaneProgram smooth = without_coupling(ideal);
  const double proved = proved_error(smooth, rows, arithmetic);
  if (proved <= kMostProved) return std::max(kLeastError, proved);
  const double seen = kRoundingReserve * rounding_effect(smooth, without_coupling(rounded), rows);
  return seen <= kMostError ? std::optional(kLeastError + seen) : std::nullopt;
}

std::shared_ptr<const Model> model_of(CompiledGraph& graph, const SourceColumns& columns) {
  if (std::shared_ptr<const Model> trees =
          as_trees(graph.program, graph.types, columns, graph.budget)) {
    return trees;
  }
  const PlaneProgram ideal = with_gelu(without_roundings(graph.program));
  const PlaneProgram rounded = with_runtime_roundings(graph.program, graph.types);
  const bool single = single_planes(graph.program, graph.types)[graph.program.result];
  RuntimeError error{kLeastError, single ? kSingleProbabilityError : kDoubleProbabilityError};
  if (std::shared_ptr<const Model> trees =
          as_tree_graph(graph.program, rounded, graph.types, columns, error, graph.budget)) {
    return trees;
  }
  if (last_bit_decides(ideal)) return std::make_shared<const PlaneModel>(rounded, error);
  const auto found =
      logit_error(ideal, rounded, usual_rows(columns).rows(), single ? kSingle : kDouble);
  if (!found) return std::make_shared<const PlaneModel>(rounded, error);
  error.logit = *found;
  if (std::optional<Mlp> network = as_mlp(ideal)) {
    network->set_runtime_error(error);
    return std::make_shared<const Mlp>(std::move(*network));
  }
  return std::make_shared<const PlaneModel>(ideal, error);
}

}  // namespace

CompiledModel make_model(const File& file, const SourceColumns& columns,
                         const std::string& origin) {
  try {
    CompiledGraph graph = compile(file, columns);
    return {model_of(graph, columns), std::move(graph.score), graph.kind};
  } catch (const ModelError& error) {
    throw ModelError(fmt::format("{}: {}", origin, error.what()));
  }
}

}  // namespace croco::onnx
