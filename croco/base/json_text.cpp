// SPDX-License-Identifier: Apache-2.0
#include <croco/base/json_text.hpp>

#include <nlohmann/json.hpp>

namespace croco {

template <typename Json>
Json parse_json(std::string_view text) {
  return Json::parse(text);
}

template <typename Json>
Json try_parse_json(std::string_view text) {
  return Json::parse(text, nullptr, false);
}

template <typename Json>
std::string json_text(const Json& value, int indent, BrokenText broken) {
  using Handler = typename Json::error_handler_t;
  return value.dump(indent, ' ', false,
                    broken == BrokenText::replace ? Handler::replace : Handler::strict);
}

template nlohmann::ordered_json parse_json(std::string_view);
template nlohmann::ordered_json try_parse_json(std::string_view);
template std::string json_text(const nlohmann::ordered_json&, int, BrokenText);
template nlohmann::json parse_json(std::string_view);
template nlohmann::json try_parse_json(std::string_view);
template std::string json_text(const nlohmann::json&, int, BrokenText);

}  // namespace croco
