// SPDX-License-Identifier: Apache-2.0
/// The files of a run: none that it writes may be one that it reads, nor another that it writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

#include <apps/cli/command_line.hpp>

namespace croco::cli {

/// Files are the same when they are the same on the disk, whatever links and paths lead there. Only
/// regular files count: a device or a pipe may be used twice.
class RunFiles {
 public:
  /// `what` names it in messages, such as "--data".
  void reads(std::string_view what, const std::filesystem::path& path);
  /// Throws InvalidArgument when a file that is read, or another one that is written, is the same.
  void writes(std::string_view what, const std::filesystem::path& path);
  /// A folder in which these files and folders, by their names, are written.
  void writes_into(std::string_view what, const std::filesystem::path& folder,
                   const std::vector<std::string>& names);

 private:
  struct File {
    std::string what;
    std::filesystem::path path;
    std::filesystem::path real;                      ///< without links, as far as it exists
    std::optional<std::pair<dev_t, ino_t>> on_disk;  ///< when it exists
    bool regular = false;
  };
  [[nodiscard]] static File file_of(std::string_view what, const std::filesystem::path& path);
  void refuse_standard_streams(const File& file) const;

  std::vector<File> read_;
  std::vector<File> written_;
};

/// The files that the options of the chosen command name, inputs first; what `--output` and
/// `--extract` name is written. Throws InvalidArgument when two of them are the same. Results in a
/// folder are the business of the command that writes them.
[[nodiscard]] RunFiles files_of(const Command& program);

}  // namespace croco::cli
