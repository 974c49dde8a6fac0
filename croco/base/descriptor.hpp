// SPDX-License-Identifier: Apache-2.0
/// Files that are open.
#pragma once

#include <filesystem>
#include <sys/types.h>
#include <utility>

namespace croco {

/// Closes on destruction. Above 2 whenever `open_descriptor` or `duplicate` made it: whatever
/// prints to a standard stream that its process was started without must not reach a file.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }

  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  void close() noexcept;

 private:
  int number_ = -1;
};

/// open(2) with O_CLOEXEC; not open when that fails, with the reason in errno.
[[nodiscard]] Descriptor open_descriptor(const std::filesystem::path& path, int flags,
                                         mode_t mode = 0) noexcept;

/// Another descriptor of the same open file; not open when that fails, with the reason in errno.
[[nodiscard]] Descriptor duplicate(int number) noexcept;

}  // namespace croco
