// SPDX-License-Identifier: Apache-2.0
/// A model behind a server that takes JSON over HTTP.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <croco/base/types.hpp>
#include <croco/remote/record_values.hpp>
#include <croco/remote/remote_options.hpp>
#include <croco/remote/row_service.hpp>

namespace croco {

/// A connection to `options.address`, which must be validated; it is made when it is needed.
[[nodiscard]] std::unique_ptr<RowService> connect_server(const RemoteOptions& options,
                                                         const RecordColumns& columns);

/// Reads an array of numbers, or of [number] or [of class 0, of class 1], alone or as
/// "predictions" or "probabilities" of an object; null and NaN are NaN. Throws ModelError saying
/// what it is instead.
void read_predictions(std::string_view json, MutableView answers);

}  // namespace croco
