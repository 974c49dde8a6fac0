// SPDX-License-Identifier: Apache-2.0
/// From a method's options to the search that carries it out.
#pragma once

#include <memory>

#include <croco/methods/method.hpp>
#include <croco/methods/search.hpp>

namespace croco {

/// Throws InvalidArgument or ModelError when the method does not fit the problem, which must
/// outlive the search. `threads` make what people share.
[[nodiscard]] std::unique_ptr<Search> make_search(const Problem& problem, const Method& method,
                                                  unsigned threads = 1);

}  // namespace croco
