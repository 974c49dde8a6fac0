// SPDX-License-Identifier: Apache-2.0
/// The upper confidence bounds that a certificate can rest on; `bounds.hpp` computes them.
///
///     croco::CertifyOptions options{.bound = croco::parse_bound("hoeffding")};
#pragma once

#include <cstdint>
#include <string_view>

#include <croco/base/export.hpp>

namespace croco {

/// With k failures of n samples, mean = k / n and alpha = 1 - confidence:
enum class BoundKind : std::uint8_t {
  clopper_pearson,  ///< the p with P(Bin(n, p) <= k) = alpha (1934): exact for counts, the tightest
  hoeffding,        ///< mean + sqrt(ln(1/alpha) / (2 n)) (1963): ignores the variance
  /// mean + sqrt(2 variance ln(2/alpha) / n) + 7 ln(2/alpha) / (3 (n - 1)) (Maurer and Pontil 2009)
  empirical_bernstein,
  exact,  ///< no bound from samples: the rate itself, computed
};

[[nodiscard]] CROCO_EXPORT std::string_view name_of(BoundKind kind) noexcept;
/// A bound from samples. Throws InvalidArgument naming the text and the bounds there are.
[[nodiscard]] CROCO_EXPORT BoundKind parse_bound(std::string_view text);

}  // namespace croco
