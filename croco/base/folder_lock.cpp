// SPDX-License-Identifier: Apache-2.0
#include <croco/base/folder_lock.hpp>

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <system_error>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {

namespace fs = std::filesystem;

FolderLock::FolderLock(const fs::path& folder)
    : folder_(open_descriptor(folder, O_RDONLY | O_DIRECTORY)) {
  if (!folder_.is_open()) {
    throw IoError(fmt::format("{}: cannot open the folder: {}", folder.string(),
                              std::generic_category().message(errno)));
  }
  // Some network file systems have no locks; there the user is trusted.
  if (::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw IoError(
        fmt::format("{}: another croco is writing here; wait for it, or choose another folder",
                    folder.string()));
  }
}

}  // namespace croco
