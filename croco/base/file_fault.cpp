// SPDX-License-Identifier: Apache-2.0
#include <croco/base/file_fault.hpp>

#include <system_error>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {

void fail_file(const std::filesystem::path& path, std::string_view action, int error) {
  throw IoError(fmt::format("{}: cannot {}: {}", path.string(), action,
                            std::generic_category().message(error)));
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace croco
