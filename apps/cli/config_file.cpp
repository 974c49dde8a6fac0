// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/config_file.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <apps/cli/arguments.hpp>
#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/suggest.hpp>

namespace croco::cli {
namespace {

/// A file that was parsed, on its way to the parser's items.
class Reading {
 public:
  struct Read {
    ConfigItem item;
    Option option;
    std::string place;
  };

  explicit Reading(std::string file) : file_(std::move(file)) {}

  void add_table(const toml::table& table, const Command& command,
                 const std::vector<std::string>& parents) {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      const std::string place = fmt::format("{}:{}", file_, key.source().begin.line);
      if (const toml::table* section = node.as_table()) {
        std::vector<std::string> path = parents;
        path.push_back(name);
        add_table(*section, command_of(command, name, place), path);
      } else {
        const Option option = option_of(command, name, place);
        items.push_back({{parents, name, values_of(node, name, place)}, option, place});
      }
    }
  }

  std::vector<Read> items;

 private:
  static Command command_of(const Command& command, const std::string& name,
                            const std::string& place) {
    std::vector<std::string> names;
    for (const Command& part : command.commands()) {
      if (part.name() == name) return part;
      names.push_back(part.name());
    }
    throw InvalidArgument(fmt::format("{}: section '{}': {} has no command of that name{}", place,
                                      name, full_name(command), did_you_mean(name, names)));
  }

  static Option option_of(const Command& command, const std::string& name,
                          const std::string& place) {
    if (const auto option = command.find_option("--" + name)) return *option;
    // Positional ones have a name as well.
    if (const auto option = command.find_option(name)) return *option;
    std::vector<std::string> names;
    for (const Option& option : command.options()) names.push_back(option.key());
    throw InvalidArgument(fmt::format(
        "{}: key '{}': {} has no option of that name{}", place, name, full_name(command),
        command.parent() ? did_you_mean(name, names)
                         : "; options of a command go into its section, such as [explain]"));
  }

  static std::optional<std::string> text_of(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
    if (const auto* number = node.as_floating_point()) return format_number(number->get());
    return std::nullopt;
  }

  static std::vector<std::string> values_of(const toml::node& node, const std::string& name,
                                            const std::string& place) {
    std::vector<std::string> out;
    const auto add = [&](const toml::node& one) {
      std::optional<std::string> text = text_of(one);
      if (!text) {
        throw InvalidArgument(fmt::format(
            "{}: key '{}': its value must be a text in quotes, a number, true or false, or an "
            "array of these",
            place, name));
      }
      out.push_back(std::move(*text));
    };
    if (const toml::array* list = node.as_array()) {
      for (const toml::node& one : *list) add(one);
    } else {
      add(node);
    }
    return out;
  }

  std::string file_;
};

/// Whether a message is about an option: "--target: ...", "Could not convert: --target = low", or,
/// from the library, "target is 1.5; ...".
bool is_about(std::string_view message, const std::string& name) {
  if (message.starts_with(name + " ") || message.starts_with(name + ":")) return true;
  const std::string flag = "--" + name;
  const std::size_t at = message.find(flag);
  if (at == std::string_view::npos) return false;
  const std::string_view rest = message.substr(at + flag.size());
  return rest.empty() || rest.front() == ':' || rest.front() == ' ';
}

/// Whether the command line gives an option, as "--target 0.1" or "--target=0.1".
bool is_given(std::span<const std::string> words, const std::string& name) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return word == "--" + name || word.starts_with("--" + name + "=");
  });
}

}  // namespace

std::vector<ConfigItem> ConfigFile::read(std::istream& input, const std::string& file) {
  toml::table table;
  try {
    table = toml::parse(input, file);
  } catch (const toml::parse_error& error) {
    throw InvalidArgument(
        fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
  }
  Reading reading(file);
  reading.add_table(table, program_, {});
  keys_.clear();
  std::vector<ConfigItem> out;
  for (const Reading::Read& read : reading.items) {
    keys_.push_back({read.item, read.option.all_keys(), read.place});
    out.push_back(read.item);
  }
  return out;
}

std::string ConfigFile::place_of(std::string_view message,
                                 std::span<const std::string> words) const {
  const std::vector<std::string> chosen = path_of(chosen_command(program_));
  const auto found = std::ranges::find_if(keys_, [&](const Key& key) {
    const auto is_meant = [&](const std::string& name) { return is_about(message, name); };
    if (std::ranges::none_of(key.spellings, is_meant)) return false;
    if (key.item.parents == chosen) {
      return std::ranges::none_of(key.spellings,
                                  [&](const std::string& name) { return is_given(words, name); });
    }
    // Values of other commands are converted too; what the message says must be this one.
    return std::ranges::any_of(key.item.values, [&](const std::string& value) {
      return !value.empty() && message.find(value) != std::string_view::npos;
    });
  });
  return found == keys_.end() ? "" : fmt::format("{}: key '{}': ", found->place, found->item.name);
}

}  // namespace croco::cli
