// SPDX-License-Identifier: Apache-2.0
#include <croco/models/files/model_format.hpp>

#include <algorithm>
#include <array>

namespace croco {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kBlanks = " \t\r\n";

/// The first key of a JSON object, unescaped: no format's first key needs escapes.
std::string_view first_key(std::string_view json) noexcept {
  json.remove_prefix(std::min(json.find_first_not_of(kBlanks), json.size()));
  if (!json.starts_with('{')) return {};
  json.remove_prefix(1);
  json.remove_prefix(std::min(json.find_first_not_of(kBlanks), json.size()));
  if (!json.starts_with('"')) return {};
  json.remove_prefix(1);
  return json.substr(0, json.find('"'));
}

}  // namespace

ModelFormat format_of(std::string_view bytes) noexcept {
  if (bytes.starts_with("tree\n") || bytes.starts_with("tree\r\n")) return ModelFormat::lightgbm;
  // Writers of ONNX begin with the version, field 1 of the message; it is small yet.
  if (bytes.size() > 1 && bytes[0] == '\x08' && bytes[1] > 0 && bytes[1] < 64) {
    return ModelFormat::onnx;
  }
  // An object of UBJSON goes on with the length of its first key, one of JSON with a quote.
  if (bytes.size() > 1 && bytes[0] == '{' &&
      std::string_view("iUIlL$#").find(bytes[1]) != std::string_view::npos) {
    return ModelFormat::xgboost_ubjson;
  }
  // XGBoost writes exactly these two keys, in this order; croco's format has neither.
  const std::string_view key = first_key(bytes);
  if (key == "croco_bundle") return ModelFormat::bundle;
  if (key == "learner" ||
      (key == "version" && bytes.find("\"learner\"") != std::string_view::npos)) {
    return ModelFormat::xgboost_json;
  }
  // CatBoost sorts its keys; others may have written them anew.
  constexpr std::array kCatboost = {"ctr_data"sv, "features_info"sv, "model_info"sv,
                                    "oblivious_trees"sv, "scale_and_bias"sv};
  if (std::ranges::find(kCatboost, key) != kCatboost.end()) return ModelFormat::catboost;
  if (key == "trees" && bytes.find("\"features_info\"") != std::string_view::npos)
    return ModelFormat::catboost;
  return ModelFormat::croco;
}

}  // namespace croco
