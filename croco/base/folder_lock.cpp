// SPDX-License-Identifier: Apache-2.0
#include <croco/base/folder_lock.hpp>

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {

namespace fs = std::filesystem;

FolderLock::FolderLock(const fs::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw IoError(fmt::format("{}: cannot open the folder: {}", folder.string(),
                              std::generic_category().message(errno)));
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int error = errno;
  ::close(descriptor_);
  // Some network file systems have no locks; there the user is trusted.
  descriptor_ = -1;
  if (error == EWOULDBLOCK) {
    throw IoError(
        fmt::format("{}: another croco is writing here; wait for it, or choose another folder",
                    folder.string()));
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void remove_unfinished_files(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name.starts_with(".croco-") && name.ends_with(".tmp")) {
      found.push_back(entry.path());
    }
  }
  for (const fs::path& path : found) fs::remove(path);
}

}  // namespace croco
