// SPDX-License-Identifier: Apache-2.0
/// A file that is written over a long time: under another name until it is complete, and so that a
/// killed process can go on with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <croco/base/byte_source.hpp>
#include <croco/base/compression.hpp>
#include <croco/base/descriptor.hpp>

namespace croco {

/// The name of an unfinished file: "advice.csv.part".
[[nodiscard]] std::filesystem::path part_path(const std::filesystem::path& file);
/// The file that a link leads to; the path itself when it is no link, or leads nowhere.
[[nodiscard]] std::filesystem::path final_path(const std::filesystem::path& path);

/// Appends text to FILE.part, which nobody else may write meanwhile, and gives it its own name in
/// the end. Left as it is when it is not published: what has been written stays.
class PartFile {
 public:
  /// How far it is: what can be continued.
  struct Extent {
    std::uintmax_t bytes = 0;  ///< of the file
    std::string pending = {};  ///< text of a frame that is not complete, and not in the file
  };

  /// Begins anew. Text is compressed as `compression` says. Throws IoError when the folder or an
  /// existing file cannot be written, or another process writes the same file.
  PartFile(const std::filesystem::path& path, Compression compression);
  /// Goes on: what is behind the extent is cut off. Throws IoError also when the file is shorter.
  PartFile(const std::filesystem::path& path, Compression compression, Extent extent);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  /// Throws IoError naming the file, such as for a full disk.
  void write(std::string_view text);
  [[nodiscard]] Extent extent() const { return {bytes_, frames_.pending()}; }
  /// To the disk.
  void sync();
  /// The text so far.
  [[nodiscard]] std::unique_ptr<ByteSource> read() const;
  /// Whether its name still leads to it.
  [[nodiscard]] bool is_there() const;
  /// Writes it again, folder and all, when somebody removed it while it was open.
  void restore();
  /// Completes the file and puts it in its place. Throws IoError.
  void publish();
  /// Removes it unpublished.
  void discard() noexcept;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return part_; }

 private:
  PartFile(const std::filesystem::path& path, Compression compression, Extent extent, int flags);
  void append(std::string_view bytes);
  void lock();

  std::filesystem::path target_;
  std::filesystem::path part_;
  Compression compression_;
  Frames frames_;
  Descriptor file_;
  std::uintmax_t bytes_ = 0;
};

}  // namespace croco
