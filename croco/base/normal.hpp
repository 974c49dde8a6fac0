// SPDX-License-Identifier: Apache-2.0
/// The standard normal distribution, and a logarithm that is the same on every machine.
#pragma once

namespace croco {

/// Density.
[[nodiscard]] double normal_pdf(double x) noexcept;
/// `P(Z <= x)`.
[[nodiscard]] double normal_cdf(double x) noexcept;
/// The x with `P(Z <= x) = p`, 0 < p < 1, to about 1e-15 relative (Wichura, AS 241, 1988). Uses
/// only operations that IEEE 754 rounds exactly, so that draws do not depend on the machine.
[[nodiscard]] double normal_quantile(double p) noexcept;
/// Natural logarithm of a positive normal number, to about 2 units in the last place, by exactly
/// rounded operations only: mathematical libraries pick different code on different processors.
[[nodiscard]] double portable_log(double x) noexcept;

}  // namespace croco
