// SPDX-License-Identifier: Apache-2.0
/// Whole files in, whole files out: a file that croco writes is either complete or not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace croco {

/// The bytes of a file. Throws IoError naming the path and the reason; files above `max_bytes` are
/// refused.
[[nodiscard]] std::string read_file(const std::filesystem::path& path,
                                    std::uintmax_t max_bytes = std::uintmax_t{4} << 30);

/// Writes into a temporary file beside `path`; `commit` renames it over `path`. Destroyed without
/// `commit`, it removes the temporary file and leaves `path` as it was. A symbolic link keeps
/// pointing where it did. What cannot be renamed over (a device, a pipe, `/dev/stdout`) is written
/// directly.
class AtomicFile {
 public:
  /// Throws IoError when the folder cannot be written.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends; throws IoError naming the path when the disk is full.
  void write(std::string_view bytes);
  /// Flushes to the disk and renames. Throws IoError.
  void commit();
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  void open_temporary(unsigned mode);

  std::filesystem::path path_;
  std::filesystem::path target_;     ///< `path_` with links followed
  std::filesystem::path temporary_;  ///< empty when the target is written directly
  int descriptor_ = -1;
};

/// AtomicFile in one call.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace croco
