// SPDX-License-Identifier: Apache-2.0
/// The tree models that scripts of tests/golden made with the libraries themselves.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include <croco/base/files.hpp>
#include <croco/models/files/catboost_file.hpp>
#include <croco/models/files/lightgbm_file.hpp>
#include <croco/models/files/model_format.hpp>
#include <croco/models/files/xgboost_file.hpp>
#include <croco/models/trees/tree_ensemble.hpp>

namespace croco::fixtures {

inline std::string tree_file(const std::string& name) {
  return read_file(std::filesystem::path(CROCO_GOLDEN_DIR) / "trees" / name);
}

/// By its content, as every reader of models goes about it.
inline TreeEnsemble parse_trees(std::string_view bytes, const std::string& name) {
  switch (format_of(bytes)) {
    case ModelFormat::xgboost_json:
      return parse_xgboost(bytes, name);
    case ModelFormat::xgboost_ubjson:
      return parse_xgboost_ubjson(bytes, name);
    case ModelFormat::lightgbm:
      return parse_lightgbm(bytes, name);
    case ModelFormat::catboost:
      return parse_catboost(bytes, name);
    case ModelFormat::onnx:
    case ModelFormat::croco:
    case ModelFormat::bundle:
      break;
  }
  throw std::runtime_error(name + ": is not recognised");
}

inline TreeEnsemble golden_trees(const std::string& name) {
  return parse_trees(tree_file(name), name);
}

}  // namespace croco::fixtures
