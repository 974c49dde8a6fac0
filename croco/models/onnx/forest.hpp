// SPDX-License-Identifier: Apache-2.0
/// Graphs that are trees on prepared columns, and nothing else.
#pragma once

#include <memory>

#include <croco/models/graph/plane_program.hpp>
#include <croco/models/model.hpp>
#include <croco/models/onnx/graph.hpp>
#include <croco/models/runtime_error.hpp>

namespace croco::onnx {

/// The same function as `TreeModel`, which draws meet many at a time, or a probability that one
/// gives; `nullptr` when the program is none. Columns are compared as the runtime has them, to the
/// last bit. Throws ModelError when preparing them for every split is beyond the budget.
[[nodiscard]] std::shared_ptr<const Model> as_trees(const PlaneProgram& program,
                                                    const RuntimeTypes& types,
                                                    const SourceColumns& source,
                                                    ModelBudget& budget);

/// Sums of trees on prepared columns, and a function of nothing but these: averages, calibrations
/// and votes of forests. `rounded` is the program as the runtime computes it. `nullptr` when the
/// program is another one. The runtime adds leaves in an order of its own: what that does to logits
/// is added to `error`. Throws ModelError as `as_trees` does.
[[nodiscard]] std::shared_ptr<const Model> as_tree_graph(const PlaneProgram& program,
                                                         const PlaneProgram& rounded,
                                                         const RuntimeTypes& types,
                                                         const SourceColumns& source,
                                                         RuntimeError error, ModelBudget& budget);

}  // namespace croco::onnx
