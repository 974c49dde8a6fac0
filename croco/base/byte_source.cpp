// SPDX-License-Identifier: Apache-2.0
#include <croco/base/byte_source.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

[[noreturn]] void fail_source(const std::string& name, std::string_view action) {
  throw IoError(
      fmt::format("{}: cannot {}: {}", name, action, std::generic_category().message(errno)));
}

class FileBytes final : public ByteSource {
 public:
  FileBytes(Descriptor file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

  std::size_t read(std::span<char> into) override {
    while (true) {
      const ssize_t got = ::read(file_.get(), into.data(), into.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail_source(name_, "read");
    }
  }

 private:
  Descriptor file_;
  std::string name_;
};

class FirstBytes final : public ByteSource {
 public:
  FirstBytes(int file, std::size_t count, std::string name)
      : file_(file), count_(count), name_(std::move(name)) {}

  std::size_t read(std::span<char> into) override {
    const std::size_t most = std::min(into.size(), count_ - at_);
    while (true) {
      const ssize_t got = ::pread(file_, into.data(), most, static_cast<off_t>(at_));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_source(name_, "read");
      at_ += static_cast<std::size_t>(got);
      return static_cast<std::size_t>(got);
    }
  }

 private:
  int file_;
  std::size_t count_;
  std::size_t at_ = 0;
  std::string name_;
};

class TextBytes final : public ByteSource {
 public:
  explicit TextBytes(std::string_view text) : rest_(text) {}

  std::size_t read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), rest_.size());
    std::copy_n(rest_.data(), count, into.data());
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

[[noreturn]] void fail_too_large(const std::string& name, std::size_t max_bytes) {
  throw IoError(fmt::format("{}: is larger than the {} bytes that are allowed", name, max_bytes));
}

class LimitedBytes final : public ByteSource {
 public:
  LimitedBytes(std::unique_ptr<ByteSource> source, std::string name, std::size_t max_bytes)
      : source_(std::move(source)), name_(std::move(name)), max_bytes_(max_bytes) {}

  std::size_t read(std::span<char> into) override {
    const std::size_t got = source_->read(into);
    if (got > max_bytes_ - count_) fail_too_large(name_, max_bytes_);
    count_ += got;
    return got;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::size_t max_bytes_;
  std::size_t count_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> limited_bytes(std::unique_ptr<ByteSource> source, std::string name,
                                          std::size_t max_bytes) {
  return std::make_unique<LimitedBytes>(std::move(source), std::move(name), max_bytes);
}

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path) {
  Descriptor file = open_descriptor(path, O_RDONLY);
  struct stat status{};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) fail_source(path.string(), "open");
  if (S_ISDIR(status.st_mode)) {
    throw IoError(fmt::format("{}: is a directory, not a file", path.string()));
  }
  return bytes_of(std::move(file), path.string());
}

std::unique_ptr<ByteSource> bytes_of(Descriptor file, std::string name) {
  return std::make_unique<FileBytes>(std::move(file), std::move(name));
}

std::unique_ptr<ByteSource> first_bytes_of(int file, std::size_t count, std::string name) {
  return std::make_unique<FirstBytes>(file, count, std::move(name));
}

std::unique_ptr<ByteSource> bytes_of_text(std::string_view text) {
  return std::make_unique<TextBytes>(text);
}

std::string read_all(ByteSource& source, const std::string& name, std::size_t max_bytes) {
  std::string out;
  std::array<char, std::size_t{1} << 16U> block{};
  while (const std::size_t got = source.read(block)) {
    if (got > max_bytes - out.size()) fail_too_large(name, max_bytes);
    out.append(block.data(), got);
  }
  return out;
}

}  // namespace croco
