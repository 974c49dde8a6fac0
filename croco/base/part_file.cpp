// SPDX-License-Identifier: Apache-2.0
#include <croco/base/part_file.hpp>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
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

constexpr mode_t kNewFile = 0666;  // less the process's mask

/// Both, one after the other.
class JoinedBytes final : public ByteSource {
 public:
  JoinedBytes(std::unique_ptr<ByteSource> first, std::string second)
      : first_(std::move(first)), second_(std::move(second)), rest_(bytes_of_text(second_)) {}

  std::size_t read(std::span<char> into) override {
    const std::size_t got = first_->read(into);
    return got > 0 ? got : rest_->read(into);
  }

 private:
  std::unique_ptr<ByteSource> first_;
  std::string second_;
  std::unique_ptr<ByteSource> rest_;
};

}  // namespace

std::filesystem::path part_path(const std::filesystem::path& file) {
  std::filesystem::path out = file;
  out += ".part";
  return out;
}

std::filesystem::path final_path(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path out = std::filesystem::canonical(path, error);
  return error ? path : out;
}

PartFile::PartFile(const std::filesystem::path& path, Compression compression)
    : PartFile(path, compression, {}, O_CREAT) {}

PartFile::PartFile(const std::filesystem::path& path, Compression compression, Extent extent)
    : PartFile(path, compression, std::move(extent), 0) {}

PartFile::PartFile(const std::filesystem::path& path, Compression compression, Extent extent,
                   int flags)
    : target_(final_path(path)),
      part_(part_path(target_)),
      compression_(compression),
      frames_(compression, std::move(extent.pending)),
      bytes_(extent.bytes) {
  struct stat old{};
  const bool replaces = ::stat(target_.c_str(), &old) == 0;
  if (replaces && S_ISDIR(old.st_mode)) {
    throw IoError(fmt::format("{}: is a directory, not a file", path.string()));
  }
  // A rename would replace even a file that its owner protected against writing.
  if (replaces && ::access(target_.c_str(), W_OK) != 0) fail_file(path, "open for writing", errno);
  remove_unfinished_files_once(folder_of(target_));
  file_ = open_descriptor(part_, O_RDWR | flags, kNewFile);
  if (!file_.is_open()) {
    const int error = errno;
    if (flags == 0) fail_file(part_, "open", error);
    fail_file(path, fmt::format("create a file in the folder '{}'", folder_of(target_).string()),
              error);
  }
  lock();
  struct stat now{};
  if (::fstat(file_.get(), &now) != 0) fail_file(part_, "open", errno);
  if (static_cast<std::uintmax_t>(now.st_size) < bytes_) {
    throw IoError(fmt::format("{}: has {} bytes, and {} were written; it was changed since",
                              part_.string(), now.st_size, bytes_));
  }
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes_)) != 0) fail_file(part_, "write", errno);
  if (::lseek(file_.get(), static_cast<off_t>(bytes_), SEEK_SET) < 0)
    fail_file(part_, "write", errno);
  // Best effort: the permissions of a file that belongs to somebody else cannot be kept.
  if (replaces) static_cast<void>(::fchmod(file_.get(), old.st_mode & kPermissions));
}

void PartFile::lock() {
  // A file system may know no locks.
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw IoError(fmt::format("{}: another process is writing it", part_.string()));
  }
  if (!is_there()) {
    throw IoError(fmt::format("{}: another process has just finished it", part_.string()));
  }
}

void PartFile::write(std::string_view text) { append(frames_.add(text)); }

void PartFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file_.get(), bytes.data(), bytes.size());
    if (put < 0) {
      if (errno == EINTR) continue;
      fail_file(part_, "write", errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
    bytes_ += static_cast<std::uintmax_t>(put);
  }
}

void PartFile::sync() {
  if (::fdatasync(file_.get()) != 0) fail_file(part_, "write", errno);
}

std::unique_ptr<ByteSource> PartFile::read() const {
  std::unique_ptr<ByteSource> written = first_bytes_of(file_.get(), bytes_, part_.string());
  if (compression_ == Compression::none) return written;
  return std::make_unique<JoinedBytes>(decompressed(std::move(written), part_.string()),
                                       frames_.pending());
}

void PartFile::restore() {
  if (is_there()) return;
  std::error_code error;
  std::filesystem::create_directories(folder_of(part_), error);
  Descriptor copy = open_descriptor(part_, O_RDWR | O_CREAT | O_EXCL, kNewFile);
  if (!copy.is_open()) fail_file(part_, "write again", errno);
  const std::unique_ptr<ByteSource> written = first_bytes_of(file_.get(), bytes_, part_.string());
  std::swap(file_, copy);
  bytes_ = 0;
  std::array<char, std::size_t{1} << 16U> block{};
  while (const std::size_t got = written->read(block)) append({block.data(), got});
  sync();
}

bool PartFile::is_there() const {
  struct stat open{};
  struct stat named{};
  return ::fstat(file_.get(), &open) == 0 && ::stat(part_.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

void PartFile::publish() {
  append(frames_.finish());
  if (::fsync(file_.get()) != 0 || ::rename(part_.c_str(), target_.c_str()) != 0) {
    fail_file(target_, "write", errno);
  }
  file_.close();
}

void PartFile::discard() noexcept {
  if (file_.is_open() && is_there()) ::unlink(part_.c_str());
  file_.close();
}

}  // namespace croco
