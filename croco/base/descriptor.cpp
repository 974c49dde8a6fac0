// SPDX-License-Identifier: Apache-2.0
#include <croco/base/descriptor.hpp>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace croco {

void Descriptor::close() noexcept {
  const int error = errno;
  if (number_ >= 0) ::close(number_);
  number_ = -1;
  errno = error;
}

Descriptor open_descriptor(const std::filesystem::path& path, int flags, mode_t mode) noexcept {
  Descriptor opened(::open(path.c_str(), flags | O_CLOEXEC, mode));
  if (opened.get() > STDERR_FILENO || !opened.is_open()) return opened;
  return duplicate(opened.get());
}

Descriptor duplicate(int number) noexcept {
  return Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

}  // namespace croco
