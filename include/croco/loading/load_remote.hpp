// SPDX-License-Identifier: Apache-2.0
/// A remote model, made ready for people.
///
///     const auto model = croco::load_remote_model({.address = "python3 predict.py"}, options);
///     const auto own = croco::load_function("rules", [](croco::Rows rows, croco::MutableView out)
///     {
///       for (std::size_t k = 0; k < rows.count(); ++k) out[k] = rows[k][0] > 3000 ? 0.9 : 0.1;
///     }, options);
#pragma once

#include <string>

#include <croco/base/export.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/remote/remote_options.hpp>

namespace croco {

/// It takes records as people have them, so that it needs training data like a file of another
/// program; encoded data need a schema, for their names. Throws as `RemoteModel` and `load_model`.
[[nodiscard]] CROCO_EXPORT LoadedModel load_remote_model(const RemoteOptions& remote,
                                                         const LoadModelOptions& options = {});

/// A model that is a function of this program, called in batches. It is asked like any remote
/// model: rows whose answers are known go along, so that a function that is not one of the row
/// alone is noticed. `name` is how messages and reports call it.
[[nodiscard]] CROCO_EXPORT LoadedModel load_function(std::string name, ScoreFunction function,
                                                     const LoadModelOptions& options);

}  // namespace croco
