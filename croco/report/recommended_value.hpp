// SPDX-License-Identifier: Apache-2.0
/// Values as reports write them for people: with thousands separators and units.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <croco/data/schema.hpp>

namespace croco {

/// The digits before the point in threes: "12345.6789" -> "12,345.6789". Texts that are no plain
/// decimal numbers stay as they are.
[[nodiscard]] std::string grouped(std::string_view number);
/// A value of a record: "4308" -> "4,308 DM", "1" -> "1 month"; a level as it is; "unknown" for a
/// value that is missing.
[[nodiscard]] std::string recommended_value(const Feature& feature, std::string_view value);
/// The text of a number with no more digits than people read: all before the point, and four in all
/// or the decimals of the feature's step. It stays as it is where that is short already, and where
/// the rounding would show beside a change to `to`. For values as they are; what is
/// recommended is given in full, since the certificate is about that very value.
[[nodiscard]] std::string shortened(const Feature& feature, std::string_view number,
                                    std::optional<double> to = {});
/// A number with a feature's unit, after the number's text: "250 DM", "1 month".
[[nodiscard]] std::string with_unit(const Feature& feature, std::string_view number);
/// To three digits and never more than it is: what holds for the number holds for the text too.
[[nodiscard]] std::string amount_text(const Feature& feature, double value);

}  // namespace croco
