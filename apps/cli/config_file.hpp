// SPDX-License-Identifier: Apache-2.0
/// `--config`: options from a TOML file, with messages that name the file, the line and the key.
#pragma once

#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace croco::cli {

class ConfigFile final : public CLI::ConfigBase {
 public:
  /// The program must have its commands when a file is read, and outlive this.
  explicit ConfigFile(const CLI::App& program) : program_(program) {}

  /// Throws InvalidArgument naming the line for what is no TOML, for a section that is no command
  /// and for a key that is no option of it.
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

  /// "croco.toml:2: key 'target': " when `message` is about an option whose value is from the file,
  /// and not from the words of the command line; empty when it is not.
  [[nodiscard]] std::string place_of(std::string_view message,
                                     std::span<const std::string> words) const;

 private:
  struct Key {
    std::vector<std::string> parents;
    std::string name;
    std::vector<std::string> values;
    std::string place;
  };

  const CLI::App& program_;
  mutable std::vector<Key> keys_;  ///< CLI11 reads files through a const member
};

}  // namespace croco::cli
