// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx_model.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/models/affine_forms.hpp>
#include <croco/models/mlp.hpp>
#include <croco/models/onnx_forest.hpp>
#include <croco/models/plane_model.hpp>
#include <croco/models/plane_rewrite.hpp>
#include <croco/models/plane_runtime.hpp>

namespace croco::onnx {
namespace {

/// Scores of a graph in single precision are not clear within this of a threshold, in logits.
constexpr double kLeastTolerance = 1e-5;
/// How many times the difference that was seen is allowed for.
constexpr double kReserve = 4.0;
/// A graph that roundings move by more than this is evaluated row by row, with its roundings.
constexpr double kMostTolerance = 1e-2;

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

std::shared_ptr<const Model> model_of(CompiledGraph& graph, const SourceColumns& columns) {
  if (std::shared_ptr<const Model> trees =
          as_trees(graph.program, graph.types, columns, graph.budget)) {
    return trees;
  }
  const PlaneProgram ideal = with_gelu(without_roundings(graph.program));
  const PlaneProgram rounded = with_runtime_roundings(graph.program, graph.types);
  if (last_bit_decides(ideal)) return std::make_shared<const PlaneModel>(rounded, kLeastTolerance);
  const double effect = rounding_effect(ideal, rounded, usual_rows(columns).rows());
  if (kReserve * effect > kMostTolerance) {
    return std::make_shared<const PlaneModel>(rounded, kLeastTolerance);
  }
  const double tolerance = kLeastTolerance + kReserve * effect;
  if (std::optional<Mlp> network = as_mlp(ideal)) {
    network->set_tolerance(tolerance);
    return std::make_shared<const Mlp>(std::move(*network));
  }
  return std::make_shared<const PlaneModel>(ideal, tolerance);
}

}  // namespace

BoundModel make_model(const File& file, const SourceColumns& columns, const std::string& origin) {
  try {
    CompiledGraph graph = compile(file, columns);
    return {model_of(graph, columns), std::move(graph.score)};
  } catch (const ModelError& error) {
    throw ModelError(fmt::format("{}: {}", origin, error.what()));
  }
}

}  // namespace croco::onnx
