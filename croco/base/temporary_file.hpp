// SPDX-License-Identifier: Apache-2.0
/// Files that nobody sees until they are complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <sys/types.h>

#include <croco/base/descriptor.hpp>

namespace croco {

/// A file in a folder, gone with this object unless it is published. Where the file system allows
/// it, the file has no name, so that the system removes it even when the process is killed.
/// Elsewhere it has one, and is locked: what a killed process left has no lock any more, and is
/// removed when a process first writes into the folder.
class TemporaryFile {
 public:
  enum class Naming : std::uint8_t {
    if_needed,  ///< where files without a name are not to be had
    always,
  };

  /// Creates it with `mode`, less the process's mask. Not open when that fails, with the reason in
  /// errno.
  TemporaryFile(const std::filesystem::path& folder, mode_t mode,
                Naming naming = Naming::if_needed);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] bool is_open() const noexcept { return file_.is_open(); }
  [[nodiscard]] int get() const noexcept { return file_.get(); }
  /// Puts it in the place of `target`, in the same folder, whether that exists or not. False when
  /// that fails, with the reason in errno.
  [[nodiscard]] bool publish(const std::filesystem::path& target);

 private:
  void open_without_name(mode_t mode);
  void open_with_name(mode_t mode);
  [[nodiscard]] bool link_as(const std::filesystem::path& name) const;

  std::filesystem::path folder_;
  std::filesystem::path name_;  ///< empty while it has none
  Descriptor file_;
};

/// Removes what killed processes left of files that they were writing, in `folder` and below. Those
/// of running processes stay.
void remove_unfinished_files(const std::filesystem::path& folder);
/// The same in `folder` alone, when the process first writes into it: looking through a large
/// folder for every file would take its time.
void remove_unfinished_files_once(const std::filesystem::path& folder);

}  // namespace croco
