// SPDX-License-Identifier: Apache-2.0
/// The methods of the closed set, one factory each; `make_search` picks. A factory is defined in
/// the folder of its method.
#pragma once

#include <memory>

#include <croco/methods/certified_settings.hpp>
#include <croco/methods/method.hpp>
#include <croco/methods/search.hpp>

namespace croco {

[[nodiscard]] std::unique_ptr<Search> make_wachter(const Problem& problem, const Wachter& options);
[[nodiscard]] std::unique_ptr<Search> make_probe(const Problem& problem, const Probe& options);
[[nodiscard]] std::unique_ptr<Search> make_croco(const Problem& problem, const Croco& options);

[[nodiscard]] std::unique_ptr<Search> make_certified(const Problem& problem,
                                                     const CertifiedSettings& options,
                                                     unsigned threads);
/// For problems with an exact rate.
[[nodiscard]] std::unique_ptr<Search> make_certified_linear(const Problem& problem,
                                                            const CertifiedSettings& options);
/// The certified method for models without a gradient.
[[nodiscard]] std::unique_ptr<Search> make_gradient_free(const Problem& problem,
                                                         const CertifiedSettings& options);

}  // namespace croco
