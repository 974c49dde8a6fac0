// SPDX-License-Identifier: Apache-2.0
/// Records and points by name, as reports and certificates write them. What stays missing is null.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>

namespace croco {

/// `kept` are the features that stay missing, ascending.
[[nodiscard]] inline nlohmann::ordered_json record_json(const Codec& codec, const Record& record,
                                                        const std::vector<std::size_t>& kept) {
  auto out = nlohmann::ordered_json::object();
  const std::vector<Feature>& features = codec.schema().features;
  for (std::size_t f = 0; f < std::min(features.size(), record.size()); ++f) {
    out[features[f].name] = record[f];
    if (std::ranges::binary_search(kept, f)) out[features[f].name] = nullptr;
  }
  return out;
}

[[nodiscard]] inline nlohmann::ordered_json columns_json(const Codec& codec, View values,
                                                         const std::vector<std::size_t>& kept) {
  auto out = nlohmann::ordered_json::object();
  for (std::size_t j = 0; j < values.size(); ++j) {
    out[codec.column_names()[j]] = values[j];
    if (std::ranges::binary_search(kept, codec.feature_of(j))) {
      out[codec.column_names()[j]] = nullptr;
    }
  }
  return out;
}

/// The text of a value that a record names: empty for null. Nothing when it is no text.
[[nodiscard]] inline std::optional<std::string> record_text(const nlohmann::ordered_json& value) {
  if (value.is_null()) return std::string();
  if (!value.is_string()) return std::nullopt;
  return value.get<std::string>();
}

}  // namespace croco
