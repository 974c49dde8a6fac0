// SPDX-License-Identifier: Apache-2.0
/// An ONNX file as plain values: what its bytes say, before anything is made of it. The names are
/// those of the ONNX specification; only what croco can use is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/model_budget.hpp>

namespace croco::onnx {

/// What the elements of a tensor are to a classifier of tables: numbers, counted or measured, truth
/// values, or texts.
enum class ElementType : std::uint8_t { floating, integer, boolean, text };

/// Where a tensor's values lie when they are in another file.
struct ExternalData {
  std::string location = {};
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length = {};  ///< to the end of the file
};

/// A tensor with its values, in row-major order. Numbers of every type are held as double, which
/// has all values of float and every integer up to 2^53.
struct Tensor {
  std::string name = {};
  ElementType type = ElementType::floating;
  std::vector<std::int64_t> shape = {};
  Vector numbers = {};
  std::vector<std::string> texts = {};
  std::int64_t data_type = 0;                 ///< as the file numbers them
  std::optional<ExternalData> external = {};  ///< until the values are read
};

struct Attribute {
  std::string name = {};
  double f = 0;
  std::int64_t i = 0;
  std::string s = {};
  Tensor t = {};
  bool has_tensor = false;
  bool has_graph = false;
  Vector floats = {};
  std::vector<std::int64_t> ints = {};
  std::vector<std::string> strings = {};
};

struct Node {
  std::string name = {};
  std::string op = {};
  std::string domain = {};
  std::vector<std::string> inputs = {};  ///< empty names stand for inputs that are left out
  std::vector<std::string> outputs = {};
  std::vector<Attribute> attributes = {};

  [[nodiscard]] const Attribute* find(std::string_view attribute) const noexcept {
    for (const Attribute& one : attributes) {
      if (one.name == attribute) return &one;
    }
    return nullptr;
  }
};

/// A dimension that the file leaves open.
inline constexpr std::int64_t kOpenDimension = -1;

/// An input or output of the graph.
struct ValueInfo {
  std::string name = {};
  ElementType type = ElementType::floating;
  bool is_tensor = false;  ///< not a sequence or map
  std::vector<std::int64_t> shape = {};
  bool is_double = false;  ///< floating-point numbers of 64 bits
  bool is_half = false;    ///< floating-point numbers of 16 bits
};

/// A file beside the model that has values of tensors.
struct DataFile {
  std::string location = {};
  std::string sha256 = {};
};

struct OpsetVersion {
  std::string domain = {};
  std::int64_t version = 0;
};

struct Property {
  std::string key = {};
  std::string value = {};
};

struct File {
  std::int64_t ir_version = 0;
  std::string producer = {};
  std::string name = {};
  std::vector<OpsetVersion> opsets = {};
  std::vector<Property> metadata = {};
  std::vector<Node> nodes = {};
  std::vector<Tensor> initializers = {};
  std::vector<ValueInfo> inputs = {};
  std::vector<ValueInfo> outputs = {};
  std::vector<DataFile> data_files = {};
  /// Of the file; what is read above is counted.
  ModelBudget budget = ModelBudget();

  /// The version of the operators of a domain; 0 when the file does not say.
  [[nodiscard]] std::int64_t opset(std::string_view domain) const noexcept {
    for (const OpsetVersion& one : opsets) {
      if (one.domain == domain) return one.version;
    }
    return 0;
  }
};

/// Reads a file. Values of tensors may lie in files of `folder`, and nowhere else: no paths, no
/// links that lead out. Throws ModelError naming `source` and what is wrong: bytes that are no ONNX
/// model, more nodes, values or dimensions than are allowed, more memory than its budget, tensors
/// whose values are missing, too many, in files that are not in the folder or of a type that has no
/// meaning here.
[[nodiscard]] File parse_onnx(std::string_view bytes, const std::string& source,
                              const std::optional<std::filesystem::path>& folder = {});

/// Of the file, and of what lies beside it.
[[nodiscard]] std::string fingerprint(std::string_view bytes, const File& file);

/// Reads what lies in other files; part of `parse_onnx`.
void read_external(File& file, const std::optional<std::filesystem::path>& folder);

}  // namespace croco::onnx
