// SPDX-License-Identifier: Apache-2.0
// The logits of rows that a script made, for check_models.py: score_rows MODEL WIDTH [ROUNDS]
// < rows > logits, both as doubles one after the other. A model takes all its columns as numbers in
// their own units; NaN is a missing value, a category the place of its level.
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/files.hpp>
#include <croco/models/files/catboost_file.hpp>
#include <croco/models/files/lightgbm_file.hpp>
#include <croco/models/files/model_format.hpp>
#include <croco/models/files/xgboost_file.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/onnx/model.hpp>
#include <croco/models/trees/tree_model.hpp>

namespace {

std::shared_ptr<const croco::Model> load(const std::string& path, std::size_t width,
                                         const croco::RoundChoice& rounds) {
  const std::string text = croco::read_file(path);
  if (path.ends_with(".onnx")) {
    croco::onnx::SourceColumns columns{.width = width};
    for (std::size_t j = 0; j < width; ++j) {
      columns.columns.push_back({.name = "c" + std::to_string(j), .column = j});
    }
    return croco::onnx::make_model(croco::onnx::parse_onnx(text, path), columns, path).model;
  }
  const croco::TreeEnsemble trees =
      croco::format_of(text) == croco::ModelFormat::catboost
          ? croco::parse_catboost(text, path, rounds)
      : path.ends_with(".txt")  ? croco::parse_lightgbm(text, path, rounds)
      : path.ends_with(".json") ? croco::parse_xgboost(text, path, rounds)
                                : croco::parse_xgboost_ubjson(text, path, rounds);
  return std::make_shared<croco::TreeModel>(trees, croco::InputColumns::identity(trees.width));
}

}  // namespace

int main(int count, char** words) {
  if (count != 3 && count != 4) {
    std::fputs("usage: score_rows MODEL WIDTH [ROUNDS] < rows > logits\n", stderr);
    return 2;
  }
  try {
    const std::size_t width = std::stoul(words[2]);
    const auto rounds = count == 4 ? croco::parse_rounds(words[3]) : croco::RoundChoice{};
    const auto model = load(words[1], width, rounds);
    croco::Vector rows;
    for (double value = 0; std::fread(&value, sizeof value, 1, stdin) == 1;) rows.push_back(value);
    croco::Vector logits(rows.size() / width);
    model->logits({rows, width}, logits);
    return std::fwrite(logits.data(), sizeof(double), logits.size(), stdout) == logits.size() ? 0
                                                                                              : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
