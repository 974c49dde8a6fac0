// SPDX-License-Identifier: Apache-2.0
/// One process at a time in a folder.
#pragma once

#include <filesystem>

namespace croco {

/// Holds a folder until destroyed; the system lets go of it too when the process dies. Leaves no
/// file behind.
class FolderLock {
 public:
  /// Throws IoError when the folder cannot be opened or another process holds it.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

/// Removes what killed processes left of files that they were writing, in `folder` and below. To be
/// called under a lock: those of a running process look the same.
void remove_unfinished_files(const std::filesystem::path& folder);

}  // namespace croco
