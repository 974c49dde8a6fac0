// SPDX-License-Identifier: Apache-2.0
/// An ONNX file as a model of encoded points. What it accepts, and how its output becomes a score,
/// is described in docs/reference/onnx.md.
#pragma once

#include <memory>
#include <string>

#include <croco/models/model.hpp>
#include <croco/models/onnx/file.hpp>
#include <croco/models/onnx/graph.hpp>

namespace croco::onnx {

struct CompiledModel {
  std::shared_ptr<const Model> model = {};
  std::string score = {};              ///< how the output is read
  ScoreKind kind = ScoreKind::proven;  ///< see ScoreReading: what to say of the same graph again
};

/// Graphs that are fully connected networks become `Mlp`, trees on prepared columns `TreeModel`,
/// functions of several such sums `TreeGraphModel`, all others `PlaneModel`. Throws ModelError
/// naming `origin` and what croco cannot use.
[[nodiscard]] CompiledModel make_model(const File& file, const SourceColumns& columns,
                                       const std::string& origin);

}  // namespace croco::onnx
