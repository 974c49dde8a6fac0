// SPDX-License-Identifier: Apache-2.0
/// JSON from text and to text. Reader and writer are large templates: they are compiled here once
/// and nowhere else.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace croco {

/// The value of a JSON text. Throws Json::parse_error; check_json gives errors for people.
template <typename Json = nlohmann::ordered_json>
[[nodiscard]] Json parse_json(std::string_view text);
/// The same without an exception: a discarded value when the text is no JSON.
template <typename Json = nlohmann::ordered_json>
[[nodiscard]] Json try_parse_json(std::string_view text);

/// What becomes of strings that are not UTF-8.
enum class BrokenText {
  refuse,   ///< throws Json::type_error, for files that are read again
  replace,  ///< U+FFFD stands for them, in what people read
};
/// The text of a value, on one line unless `indent` is 0 or more.
template <typename Json>
[[nodiscard]] std::string json_text(const Json& value, int indent = -1,
                                    BrokenText broken = BrokenText::refuse);

}  // namespace croco
