// SPDX-License-Identifier: Apache-2.0
/// A model that is a function of this program.
#pragma once

#include <memory>

#include <croco/remote/remote_options.hpp>
#include <croco/remote/row_service.hpp>

namespace croco {

/// What the function throws, the service throws.
[[nodiscard]] std::unique_ptr<RowService> call_function(ScoreFunction function);

}  // namespace croco
