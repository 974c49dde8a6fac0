// SPDX-License-Identifier: Apache-2.0
/// A model that is a program: it reads rows and writes probabilities, and is kept alive.
#pragma once

#include <memory>

#include <croco/remote/record_values.hpp>
#include <croco/remote/remote_options.hpp>
#include <croco/remote/row_service.hpp>

namespace croco {

/// Starts the program of `options.address`, which must be validated. Throws IoError when it cannot
/// be started.
[[nodiscard]] std::unique_ptr<RowService> start_command(const RemoteOptions& options,
                                                        const RecordColumns& columns);

}  // namespace croco
