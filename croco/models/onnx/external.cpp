// SPDX-License-Identifier: Apache-2.0
// Values of tensors that exporters of large models write into a file beside the model.
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/sha256.hpp>
#include <croco/models/model_budget.hpp>
#include <croco/models/onnx/file.hpp>
#include <croco/models/onnx/tensor.hpp>

namespace croco::onnx {
namespace {

constexpr std::string_view kOneFile =
    "save the model as one file: torch.onnx.export(..., external_data=False), or "
    "onnx.save_model(onnx.load(\"m.onnx\"), \"one.onnx\", save_as_external_data=False)";

[[noreturn]] void fail(const Tensor& tensor, const std::string& what) {
  throw ModelError(fmt::format("the tensor '{}' has its values in '{}', {}", tensor.name,
                               tensor.external->location.substr(0, 200), what));
}

/// The file that a location names, in the folder of the model.
std::filesystem::path place_of(const Tensor& tensor, const std::filesystem::path& given) {
  const std::string& location = tensor.external->location;
  const bool plain = !location.empty() && location != "." && location != ".." &&
                     location.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
  if (!plain) {
    fail(tensor, "which is no name of a file in the model's folder; others are not read");
  }
  const std::filesystem::path folder = given.empty() ? std::filesystem::path(".") : given;
  const std::filesystem::path path = folder / location;
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (error) {
    fail(tensor, fmt::format("which is not beside the model; put it there, or {}", kOneFile));
  }
  const std::filesystem::path home = std::filesystem::canonical(folder, error);
  if (error || real.parent_path() != home || !std::filesystem::is_regular_file(real, error)) {
    fail(tensor, "which is no file of the model's folder; links out of it are not followed");
  }
  return real;
}

/// The contents of the files, each read once.
class DataFiles {
 public:
  DataFiles(File& file, const std::filesystem::path& folder) : file_(file), folder_(folder) {}

  void fill(Tensor& tensor) {
    const std::string_view bytes = contents(tensor);
    const ExternalData& external = *tensor.external;
    const std::uint64_t length = external.length.value_or(
        bytes.size() - std::min<std::uint64_t>(external.offset, bytes.size()));
    if (external.offset > bytes.size() || length > bytes.size() - external.offset) {
      fail(tensor, fmt::format("{} bytes from place {} on; the file has {}", length,
                               external.offset, bytes.size()));
    }
    set_raw(tensor, bytes.substr(external.offset, length), file_.budget);
  }

 private:
  const std::string& contents(const Tensor& tensor) {
    const std::string& location = tensor.external->location;
    if (const auto found = contents_.find(location); found != contents_.end()) {
      return found->second;
    }
    const std::filesystem::path path = place_of(tensor, folder_);
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error || size > kMaxModelBytes - total_) {
      fail(tensor, fmt::format("which has {} bytes; the files of a model may have {} together",
                               size, kMaxModelBytes));
    }
    total_ += size;
    file_.budget.add_file(size);
    file_.budget.borrow(total_, 1, fmt::format("the file '{}'", location));
    const std::string& bytes = contents_[location] = read_file(path, size);
    file_.data_files.push_back({location, sha256(bytes)});
    return bytes;
  }

  File& file_;
  const std::filesystem::path& folder_;
  std::uintmax_t total_ = 0;
  std::map<std::string, std::string> contents_;
};

}  // namespace

void read_external(File& file, const std::optional<std::filesystem::path>& folder) {
  std::vector<Tensor*> tensors;
  for (Tensor& tensor : file.initializers) {
    if (tensor.external) tensors.push_back(&tensor);
  }
  for (Node& node : file.nodes) {
    for (Attribute& attribute : node.attributes) {
      if (attribute.t.external) tensors.push_back(&attribute.t);
    }
  }
  if (tensors.empty()) return;
  if (!folder) fail(*tensors.front(), fmt::format("and no folder is given; {}", kOneFile));
  DataFiles files(file, *folder);
  for (Tensor* tensor : tensors) files.fill(*tensor);
}

std::string fingerprint(std::string_view bytes, const File& file) {
  std::string out = sha256(bytes);
  if (file.data_files.empty()) return out;
  for (const DataFile& data : file.data_files) {
    out += fmt::format(" {} {}", data.location, data.sha256);
  }
  return sha256(out);
}

}  // namespace croco::onnx
