// SPDX-License-Identifier: Apache-2.0
/// The tree models that tests/golden/make_tree_models.py made with the libraries themselves.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include <croco/base/files.hpp>
#include <croco/models/lightgbm_file.hpp>
#include <croco/models/model_format.hpp>
#include <croco/models/tree_ensemble.hpp>
#include <croco/models/xgboost_file.hpp>

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
    case ModelFormat::onnx:
    case ModelFormat::croco:
      break;
  }
  throw std::runtime_error(name + ": is not recognised");
}

inline TreeEnsemble golden_trees(const std::string& name) {
  return parse_trees(tree_file(name), name);
}

}  // namespace croco::fixtures
