// SPDX-License-Identifier: Apache-2.0
/// A model that runs elsewhere, made ready for people.
#pragma once

#include <croco/explain/loaded_model.hpp>
#include <croco/remote/remote_options.hpp>

namespace croco {

class RemoteModel;

/// It takes records as people have them, so that it needs training data like a file of another
/// program; encoded data need a schema, for their names. Throws as `RemoteModel` and `load_model`.
[[nodiscard]] LoadedModel load_remote_model(const RemoteOptions& remote,
                                            const LoadModelOptions& options = {});

/// The model itself when it is remote, to see what it was asked; null for any other.
[[nodiscard]] const RemoteModel* remote_model(const Model& model) noexcept;

/// Whether every row is asked of another process or a server, so that rows are dear.
[[nodiscard]] bool is_remote(const Model& model) noexcept;

}  // namespace croco
