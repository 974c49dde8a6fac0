// SPDX-License-Identifier: Apache-2.0
/// Why advice is not `found`, in the words of the answers. Whoever checks an answer makes them
/// again from its numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace croco {

/// Method certified: the certificate's bound misses the target.
[[nodiscard]] std::string missed_bound_reason(double upper, double target);
/// Method certified: the bound over retrained models and noise misses the target.
[[nodiscard]] std::string missed_models_reason(double upper, double target);
/// Other methods: what they measured themselves misses the target; the bound where they have one.
[[nodiscard]] std::string missed_rule_reason(std::string_view method, std::optional<double> rate,
                                             std::optional<double> bound, double target);
/// Method certified: this many samples cannot tell.
[[nodiscard]] std::string undecided_reason(double target, std::size_t samples);
/// Advice of other tools that the model refuses.
[[nodiscard]] std::string refused_reason(int wanted);

}  // namespace croco
