// SPDX-License-Identifier: Apache-2.0
/// People of the training data whom the model accepts: what a refused person is compared with.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/robustness/goal.hpp>

namespace croco {

struct ReferencePeople {
  Matrix points;                    ///< encoded
  std::vector<std::size_t> places;  ///< among the rows that the model brings, or that are known
};

/// At most `most` of them, from all over the rows. Throws InvalidArgument naming the `option` that
/// needs them when no rows are known, or fewer than `least` are accepted.
[[nodiscard]] ReferencePeople accepted_reference(const LoadedModel& loaded, const Goal& goal,
                                                 std::size_t least, std::size_t most,
                                                 std::string_view option);

}  // namespace croco
