// SPDX-License-Identifier: Apache-2.0
/// One process at a time in a folder.
#pragma once

#include <filesystem>

#include <croco/base/descriptor.hpp>

namespace croco {

/// Holds a folder until destroyed; the system lets go of it too when the process dies. Leaves no
/// file behind.
class FolderLock {
 public:
  /// Throws IoError when the folder cannot be opened or another process holds it.
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  Descriptor folder_;
};

}  // namespace croco
