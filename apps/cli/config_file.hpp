// SPDX-License-Identifier: Apache-2.0
/// `--config`: options from a TOML file, with messages that name the file, the line and the key.
#pragma once

#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apps/cli/command_line.hpp>

namespace croco::cli {

class ConfigFile {
 public:
  /// The program must have its commands when a file is read.
  explicit ConfigFile(const Command& program) : program_(program) {}

  /// The values of the open file `file`. Throws InvalidArgument naming the line for what is no
  /// TOML, for a section that is no command and for a key that is no option of it.
  [[nodiscard]] std::vector<ConfigItem> read(std::istream& input, const std::string& file);

  /// "croco.toml:2: key 'target': " when `message` is about an option whose value is from the file,
  /// and not from the words of the command line; empty when it is not.
  [[nodiscard]] std::string place_of(std::string_view message,
                                     std::span<const std::string> words) const;

 private:
  struct Key {
    ConfigItem item;
    std::vector<std::string> spellings;  ///< of the option
    std::string place;
  };

  Command program_;
  std::vector<Key> keys_;
};

}  // namespace croco::cli
