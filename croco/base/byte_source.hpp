// SPDX-License-Identifier: Apache-2.0
/// Bytes that are read from the front to the end, in pieces: files of any size, pipes, texts.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <croco/base/descriptor.hpp>

namespace croco {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `into` from its beginning and returns how many bytes there were; 0 at the end, and only
  /// there. Throws IoError naming the source.
  [[nodiscard]] virtual std::size_t read(std::span<char> into) = 0;
};

/// A file, pipe or device. Throws IoError naming the path and the reason.
[[nodiscard]] std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path);
/// An open file, from its present offset; `name` is for messages.
[[nodiscard]] std::unique_ptr<ByteSource> bytes_of(Descriptor file, std::string name);
/// The first `count` bytes of an open file, whose offset stays where it is.
[[nodiscard]] std::unique_ptr<ByteSource> first_bytes_of(int file, std::size_t count,
                                                         std::string name);
/// A text that outlives the source.
[[nodiscard]] std::unique_ptr<ByteSource> bytes_of_text(std::string_view text);

/// The same bytes; reading more than `max_bytes` of them throws IoError naming `name`.
[[nodiscard]] std::unique_ptr<ByteSource> limited_bytes(std::unique_ptr<ByteSource> source,
                                                        std::string name, std::size_t max_bytes);

/// Everything up to the end. Throws IoError naming `name` when there are more than `max_bytes`.
[[nodiscard]] std::string read_all(ByteSource& source, const std::string& name,
                                   std::size_t max_bytes);

}  // namespace croco
