// SPDX-License-Identifier: Apache-2.0
/// Reads the golden values beside the tests; tests/golden/README.md says what they are.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include <croco/base/types.hpp>
#include <croco/models/files/model_file.hpp>

namespace croco::golden {

using Json = nlohmann::json;

/// The golden file `<name>.json`.
inline Json read(const std::string& name) {
  const std::string path = std::string(CROCO_GOLDEN_DIR) + "/" + name + ".json";
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path + ": cannot be read");
  return Json::parse(in);
}

/// A list in a golden file. A copy, so that a loop may run over the call itself.
inline Json list(const std::string& name, const std::string& key) {
  Json out = read(name).at(key);
  if (!out.is_array() || out.empty()) throw std::runtime_error(name + ": no list " + key);
  return out;
}

inline Vector vector(const Json& value) { return value.get<Vector>(); }

/// A list of rows of one width.
inline Matrix matrix(const Json& value) {
  Matrix out(0, value.at(0).size());
  for (const Json& row : value) out.append(vector(row));
  return out;
}

/// A model in croco's own format.
inline ModelFile model(const Json& value) {
  return parse_model(value.dump(), value.at("name").get<std::string>());
}

}  // namespace croco::golden
