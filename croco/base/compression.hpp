// SPDX-License-Identifier: Apache-2.0
/// gzip and Zstandard. Both formats allow complete pieces (members, frames) one after the other, so
/// that a file can be cut behind any of them and continued.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <croco/base/byte_source.hpp>

namespace croco {

enum class Compression : std::uint8_t { none, gzip, zstd };

/// By the ending of a name: .gz, .zst or another.
[[nodiscard]] Compression compression_of(const std::filesystem::path& path);
/// The name without such an ending: "advice.csv" of "advice.csv.gz".
[[nodiscard]] std::filesystem::path without_compression(const std::filesystem::path& path);

/// A complete member or frame of these bytes, the same for the same bytes; the bytes themselves for
/// `none`, and nothing for no bytes.
[[nodiscard]] std::string compressed(Compression kind, std::string_view bytes);

/// A text that grows, as frames: of 1 MiB each, whatever the pieces are that it comes in, so that
/// the same text is always the same file. Without compression the pieces pass as they are.
class Frames {
 public:
  explicit Frames(Compression kind, std::string pending = {})
      : kind_(kind), pending_(std::move(pending)) {}

  /// The frames that are complete with this text.
  [[nodiscard]] std::string add(std::string_view text);
  /// The last one, of what is left.
  [[nodiscard]] std::string finish();
  /// Text of a frame that is not complete.
  [[nodiscard]] const std::string& pending() const noexcept { return pending_; }

 private:
  Compression kind_;
  std::string pending_;
};

/// What the source holds, decompressed when it begins as gzip or Zstandard does, whatever its name
/// is. Needs little memory however much comes out; frames whose window is above 128 MiB are
/// refused. Throws IoError naming `name` for a source that is damaged or ends too early.
[[nodiscard]] std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source,
                                                       std::string name);

}  // namespace croco
