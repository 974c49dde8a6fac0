// SPDX-License-Identifier: Apache-2.0
#include <croco/base/files.hpp>

#include <array>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/file_fault.hpp>
#include <croco/base/temporary_file.hpp>

namespace croco {
namespace {

[[noreturn]] void fail_directory(const std::filesystem::path& path) {
  throw IoError(fmt::format("{}: is a directory, not a file", path.string()));
}

[[noreturn]] void fail_size(const std::filesystem::path& path, std::uintmax_t max_bytes) {
  throw IoError(
      fmt::format("{}: is larger than the {} bytes that are allowed", path.string(), max_bytes));
}

/// The open descriptor that a path such as /dev/stdout or /dev/fd/3 stands for. Opening such a path
/// anew would start at the beginning of a file that the shell opened for appending.
std::optional<int> inherited_descriptor(const std::filesystem::path& path) {
  const std::string text = path.lexically_normal().string();
  if (text == "/dev/stdout") return STDOUT_FILENO;
  if (text == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!text.starts_with(folder)) continue;
    const char* const end = text.data() + text.size();
    int number = -1;
    const auto [stop, error] = std::from_chars(text.data() + folder.size(), end, number);
    if (error == std::errc() && stop == end && number >= 0) return number;
  }
  return std::nullopt;
}

void sync_folder(const std::filesystem::path& folder) noexcept {
  // Best effort: some file systems cannot sync a folder, and the file itself is already safe.
  const Descriptor descriptor = open_descriptor(folder, O_RDONLY | O_DIRECTORY);
  if (descriptor.is_open()) ::fsync(descriptor.get());
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes) {
  const Descriptor descriptor = open_descriptor(path, O_RDONLY);
  if (!descriptor.is_open()) fail_file(path, "open", errno);
  struct stat status{};
  if (::fstat(descriptor.get(), &status) != 0) fail_file(path, "open", errno);
  if (S_ISDIR(status.st_mode)) fail_directory(path);

  std::string bytes;
  if (S_ISREG(status.st_mode)) {
    const auto size = static_cast<std::uintmax_t>(status.st_size);
    if (size > max_bytes) fail_size(path, max_bytes);
    bytes.reserve(size);
  }
  // The size is a hint only: pipes have none, and a file may grow while it is read.
  std::array<char, std::size_t{1} << 16U> block{};
  while (true) {
    const ssize_t got = ::read(descriptor.get(), block.data(), block.size());
    if (got == 0) return bytes;
    if (got < 0) {
      if (errno == EINTR) continue;
      fail_file(path, "read", errno);
    }
    bytes.append(block.data(), static_cast<std::size_t>(got));
    if (bytes.size() > max_bytes) fail_size(path, max_bytes);
  }
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)), target_(path_) {
  if (path_.empty()) throw IoError("the path of a file to write is empty");
  if (const auto inherited = inherited_descriptor(path_)) {
    direct_ = duplicate(*inherited);
    if (!direct_.is_open()) fail_file(path_, "open for writing", errno);
    return;
  }

  struct stat status{};
  if (::stat(path_.c_str(), &status) != 0) {
    if (errno != ENOENT) fail_file(path_, "open for writing", errno);
    if (!path_.has_filename()) fail_directory(path_);
    open_temporary();
    return;
  }
  if (S_ISDIR(status.st_mode)) fail_directory(path_);
  if (!S_ISREG(status.st_mode)) {
    direct_ = open_descriptor(path_, O_WRONLY);
    if (!direct_.is_open()) fail_file(path_, "open for writing", errno);
    return;
  }
  // A rename would replace even a file that its owner protected against writing.
  if (::access(path_.c_str(), W_OK) != 0) fail_file(path_, "open for writing", errno);
  std::error_code error;
  target_ = std::filesystem::canonical(path_, error);
  if (error) fail_file(path_, "open for writing", error.value());
  open_temporary();
  // Best effort: the permissions of a file that belongs to somebody else cannot be kept.
  static_cast<void>(::fchmod(temporary_->get(), status.st_mode & kPermissions));
}

void AtomicFile::open_temporary() {
  constexpr mode_t kAll = 0666;
  const std::filesystem::path folder = folder_of(target_);
  temporary_ = std::make_unique<TemporaryFile>(folder, kAll);
  if (!temporary_->is_open()) {
    const int error = errno;
    fail_file(path_, fmt::format("create a file in the folder '{}'", folder.string()), error);
  }
}

void AtomicFile::write(std::string_view bytes) {
  if (committed_) {
    throw InvalidArgument(fmt::format("{}: written to after its commit", path_.string()));
  }
  const int descriptor = temporary_ ? temporary_->get() : direct_.get();
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
    if (put < 0) {
      if (errno == EINTR) continue;
      fail_file(path_, "write", errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

void AtomicFile::commit() {
  if (std::exchange(committed_, true)) {
    throw InvalidArgument(fmt::format("{}: committed twice", path_.string()));
  }
  if (!temporary_) {
    // Pipes and terminals cannot be synced, and say so.
    static_cast<void>(::fsync(direct_.get()));
    direct_.close();
    return;
  }
  if (::fsync(temporary_->get()) != 0 || !temporary_->publish(target_)) {
    fail_file(path_, "write", errno);
  }
  temporary_.reset();
  sync_folder(folder_of(target_));
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace croco
