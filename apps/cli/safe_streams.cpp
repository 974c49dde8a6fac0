// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/safe_streams.hpp>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <unistd.h>

#include <croco/base/printable.hpp>

namespace croco::cli {
namespace {

/// Where a character begins that the end of the text cuts short; its end if there is none.
std::size_t whole_characters(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xc0U) == 0x80U) continue;
    const std::size_t size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return size > back ? text.size() - back : text.size();
  }
  return text.size();
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(file, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

}  // namespace

/// One of the two, in place of the original.
struct SafeStreams::Stream {
  Stream(std::FILE*& standard, int file, int buffering)
      : standard_(standard), original_(standard), file_(file) {
    cookie_io_functions_t functions{};
    functions.write = &Stream::write;
    if (std::FILE* const safe = ::fopencookie(this, "w", functions)) {
      std::setvbuf(safe, nullptr, buffering, BUFSIZ);
      standard = safe;
    }
  }
  ~Stream() {
    if (standard_ == original_) return;
    std::fclose(standard_);
    standard_ = original_;
    write_all(file_, printable(rest_));
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

 private:
  static ssize_t write(void* self, const char* data, std::size_t size) {
    auto& stream = *static_cast<Stream*>(self);
    try {
      stream.rest_.append(data, size);
      // A buffer may end within a character.
      const std::size_t end = whole_characters(stream.rest_);
      const std::string text = printable(std::string_view(stream.rest_).substr(0, end));
      stream.rest_.erase(0, end);
      return write_all(stream.file_, text) ? static_cast<ssize_t>(size) : 0;
    } catch (...) {
      return 0;
    }
  }

  std::FILE*& standard_;
  std::FILE* original_;
  int file_;
  std::string rest_;
};

SafeStreams::SafeStreams() {
  if (::isatty(STDOUT_FILENO) == 1) {
    output_ = std::make_unique<Stream>(stdout, STDOUT_FILENO, _IOLBF);
  }
  errors_ = std::make_unique<Stream>(stderr, STDERR_FILENO, _IONBF);
}

SafeStreams::~SafeStreams() = default;

}  // namespace croco::cli
