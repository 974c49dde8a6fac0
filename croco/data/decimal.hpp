// SPDX-License-Identifier: Apache-2.0
/// Numbers as people write them, out of doubles that went through a scaling and back.
#pragma once

#include <string>

namespace croco {

/// `value` to 12 significant digits, and to 15 where that many stand before the point. Digits that
/// are noise beside `origin` (the number that was subtracted and added again) are dropped as well.
[[nodiscard]] double decimal_value(double value, double origin) noexcept;
/// The same, written.
[[nodiscard]] std::string decimal_text(double value, double origin);
/// Places after the point in the shortest text of `value`: 2 for 0.25, 7 for 1e-7, 0 for 50.
[[nodiscard]] int decimals_of(double value);
/// `count` times `step`, in the decimals of `step`: 3 times 0.1 is "0.3".
[[nodiscard]] std::string multiple_text(double count, double step);

}  // namespace croco
