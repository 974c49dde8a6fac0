// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx_model.hpp>

#include <optional>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/models/affine_forms.hpp>
#include <croco/models/mlp.hpp>
#include <croco/models/onnx_forest.hpp>
#include <croco/models/plane_model.hpp>
#include <croco/models/plane_rewrite.hpp>

namespace croco::onnx {

BoundModel make_model(const File& file, const SourceColumns& columns, const std::string& origin) {
  try {
    CompiledGraph graph = compile(file, columns);
    graph.program = with_gelu(std::move(graph.program));
    if (std::optional<Mlp> network = as_mlp(graph.program)) {
      return {std::make_shared<const Mlp>(std::move(*network)), std::move(graph.score)};
    }
    if (std::shared_ptr<const Model> trees = as_trees(graph.program, columns)) {
      return {std::move(trees), std::move(graph.score)};
    }
    return {std::make_shared<const PlaneModel>(graph.program), std::move(graph.score)};
  } catch (const ModelError& error) {
    throw ModelError(fmt::format("{}: {}", origin, error.what()));
  }
}

}  // namespace croco::onnx
