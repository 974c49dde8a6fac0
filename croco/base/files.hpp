// SPDX-License-Identifier: Apache-2.0
/// Whole files in, whole files out: a file that croco writes is either complete or not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <croco/base/descriptor.hpp>
#include <croco/base/temporary_file.hpp>

namespace croco {

/// The bytes of a file. Throws IoError naming the path and the reason; files above `max_bytes` are
/// refused.
[[nodiscard]] std::string read_file(const std::filesystem::path& path,
                                    std::uintmax_t max_bytes = std::uintmax_t{4} << 30);

/// Writes into a temporary file in the folder of `path`; `commit` puts it in the place of `path`.
/// Destroyed without `commit`, it leaves no file, and `path` as it was. A symbolic link keeps
/// pointing where it did. What cannot be renamed over (a device, a pipe, `/dev/stdout`) is written
/// directly.
class AtomicFile {
 public:
  /// Throws IoError when the folder cannot be written.
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends; throws IoError naming the path when the disk is full.
  void write(std::string_view bytes);
  /// Flushes to the disk and renames. Throws IoError.
  void commit();
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  void open_temporary();

  std::filesystem::path path_;
  std::filesystem::path target_;  ///< `path_` with links followed
  std::unique_ptr<TemporaryFile> temporary_;
  Descriptor direct_;  ///< when there is no temporary file
  bool committed_ = false;
};

/// AtomicFile in one call.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace croco
