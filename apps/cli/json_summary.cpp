// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/json_summary.hpp>

#include <nlohmann/json.hpp>

namespace croco::cli {

struct JsonSummary::Object {
  nlohmann::ordered_json value = nlohmann::ordered_json::object();
};

JsonSummary::JsonSummary() : object_(std::make_unique<Object>()) {}
JsonSummary::~JsonSummary() = default;
JsonSummary::JsonSummary(JsonSummary&&) noexcept = default;
JsonSummary& JsonSummary::operator=(JsonSummary&&) noexcept = default;

void JsonSummary::add(const std::string& key, std::string_view text) {
  object_->value[key] = std::string(text);
}

void JsonSummary::add(const std::string& key, std::size_t number) { object_->value[key] = number; }

void JsonSummary::add(const std::string& key, double number) { object_->value[key] = number; }

void JsonSummary::add(const std::string& key, bool truth) { object_->value[key] = truth; }

void JsonSummary::add(const std::string& key, std::optional<std::size_t> number) {
  object_->value[key] = number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
}

void JsonSummary::add(const std::string& key, std::optional<double> number) {
  object_->value[key] = number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
}

void JsonSummary::add(const std::string& key, const JsonSummary& part) {
  object_->value[key] = part.object_->value;
}

void JsonSummary::append(const std::string& key, const JsonSummary& part) {
  object_->value[key].push_back(part.object_->value);
}

std::string JsonSummary::text() const {
  // Paths and names may hold bytes that are no UTF-8.
  return object_->value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace croco::cli
