// SPDX-License-Identifier: Apache-2.0
#include <croco/base/temporary_file.hpp>

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

namespace croco {
namespace {

namespace fs = std::filesystem;

fs::path next_name(const fs::path& folder) {
  static std::atomic<std::uint64_t> counter{0};
  return folder / fmt::format(".croco-{}-{}.tmp", ::getpid(), counter.fetch_add(1));
}

bool is_temporary_name(const std::string& name) {
  return name.starts_with(".croco-") && name.ends_with(".tmp");
}

/// Where the system shows an open file, which can be given a name from there.
std::string place_of(int file) { return fmt::format("/proc/self/fd/{}", file); }

bool is_same(const struct stat& a, const struct stat& b) noexcept {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Removes the file when the process that wrote it is gone, which its lock tells. Best effort: who
/// cannot remove it leaves it to somebody who can.
void remove_if_left(const fs::path& path) {
  // Neither links nor pipes of that name are followed or waited for.
  const Descriptor file = open_descriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status{};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return;
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return;
  // Only who holds the lock removes it, so that the name cannot come to mean another file below.
  struct stat named{};
  if (::lstat(path.c_str(), &named) != 0 || !is_same(status, named)) return;
  ::unlink(path.c_str());
}

void remove_unfinished_in(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (is_temporary_name(at->path().filename().string())) remove_if_left(at->path());
  }
}

}  // namespace

TemporaryFile::TemporaryFile(const fs::path& folder, mode_t mode, Naming naming) : folder_(folder) {
  remove_unfinished_files_once(folder_);
  if (naming == Naming::if_needed) open_without_name(mode);
  if (!is_open()) open_with_name(mode);
}

TemporaryFile::~TemporaryFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

void TemporaryFile::open_without_name(mode_t mode) {
  file_ = open_descriptor(folder_, O_TMPFILE | O_RDWR, mode);
  if (!is_open()) return;
  struct stat open{};
  struct stat shown{};
  const bool can_be_named = ::fstat(get(), &open) == 0 &&
                            ::stat(place_of(get()).c_str(), &shown) == 0 && is_same(open, shown);
  if (!can_be_named) return file_.close();
  // For the moment in which it has a name that is not yet its own.
  static_cast<void>(::flock(get(), LOCK_EX | LOCK_NB));
}

void TemporaryFile::open_with_name(mode_t mode) {
  while (true) {
    const fs::path name = next_name(folder_);
    file_ = open_descriptor(name, O_RDWR | O_CREAT | O_EXCL, mode);
    if (!is_open()) {
      if (errno == EEXIST) continue;
      return;
    }
    // A file system may know no locks; its leftovers stay.
    static_cast<void>(::flock(get(), LOCK_EX));
    struct stat status{};
    if (::fstat(get(), &status) == 0 && status.st_nlink == 0) continue;  // taken for a leftover
    name_ = name;
    return;
  }
}

bool TemporaryFile::link_as(const fs::path& name) const {
  return ::linkat(AT_FDCWD, place_of(get()).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) ==
         0;
}

bool TemporaryFile::publish(const fs::path& target) {
  if (name_.empty()) {
    if (link_as(target)) return true;
    if (errno != EEXIST) return false;
    // A link replaces nothing, but a rename does.
    fs::path name = next_name(folder_);
    while (!link_as(name)) {
      if (errno != EEXIST) return false;
      name = next_name(folder_);
    }
    name_ = name;
  }
  if (::rename(name_.c_str(), target.c_str()) != 0) return false;
  name_.clear();
  return true;
}

void remove_unfinished_files_once(const fs::path& folder) {
  static std::mutex mutex;
  static std::set<fs::path> done;
  {
    const std::lock_guard lock(mutex);
    std::error_code error;
    if (!done.insert(fs::absolute(folder, error)).second) return;
  }
  remove_unfinished_in(folder);
}

void remove_unfinished_files(const fs::path& folder) {
  remove_unfinished_in(folder);
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code unknown;
    if (at->is_directory(unknown) && !at->is_symlink(unknown)) remove_unfinished_in(at->path());
  }
}

}  // namespace croco
