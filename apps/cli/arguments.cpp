// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/arguments.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <croco/base/numbers.hpp>
#include <croco/data/suggest.hpp>

namespace croco::cli {
namespace {

/// Why a text is no count, or an empty text. Leading zeros go, which CLI11 takes for octal.
std::string check_count(std::string& text) {
  if (text.starts_with('-')) return fmt::format("is {}; it must not be negative", text);
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) {
    return fmt::format("is {}; it must be a whole number, at most {}", text,
                       std::numeric_limits<std::uint64_t>::max());
  }
  text = fmt::format("{}", value);
  return {};
}

std::string check_number(std::string& text) {
  const std::optional<double> value = parse_number(text);
  if (value && std::isfinite(*value)) return {};
  return fmt::format(
      "is {}; it must be a {}", text,
      is_out_of_range(text) ? "number within the range of double precision" : "finite number");
}

/// The type without what CLI11 appends for checks, as in "UINT:POSITIVE".
std::string type_of(const Option& option) {
  const std::string type = option.type();
  return type.substr(0, type.find(':'));
}

bool is_count(const Option& option) {
  return type_of(option) == "UINT" || type_of(option) == "NUMBER";
}

bool is_number(const Option& option) {
  return type_of(option) == "FLOAT" || type_of(option) == "SECONDS";
}

/// "--lable=x" is about "--lable".
std::string flag_of(const std::string& word) { return word.substr(0, word.find('=')); }

bool looks_like_option(const std::string& word) {
  if (word.size() < 2 || word[0] != '-' || word == "--") return false;
  return word[1] == '-' || std::isalpha(static_cast<unsigned char>(word[1])) != 0;
}

void add_flags(const Command& command, std::vector<std::string>& flags) {
  for (const Option& option : command.options()) {
    if (!option.long_name().empty()) flags.push_back("--" + option.long_name());
  }
}

}  // namespace

Command chosen_command(const Command& program) {
  Command command = program;
  while (const std::optional<Command> part = command.chosen()) command = *part;
  return command;
}

std::vector<std::string> path_of(const Command& command) {
  std::vector<std::string> out;
  Command one = command;
  for (std::optional<Command> parent = one.parent(); parent; parent = one.parent()) {
    out.push_back(one.name());
    one = *parent;
  }
  std::ranges::reverse(out);
  return out;
}

std::string full_name(const Command& command) {
  const std::vector<std::string> path = path_of(command);
  return path.empty() ? "croco" : fmt::format("croco {}", fmt::join(path, " "));
}

void add_number_checks(const Command& command) {
  for (Option option : command.options()) {
    if (is_count(option)) option.check(check_count);
    if (is_number(option)) option.check(check_number);
  }
  for (const Command& part : command.commands()) add_number_checks(part);
}

std::string unknown_command(const Command& program, const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : program.commands()) names.push_back(command.name());
  const std::string meant = did_you_mean(word, names);
  return fmt::format("there is no command '{}'{}", word,
                     meant.empty() ? "; `croco --help` lists the commands" : meant);
}

std::optional<std::string> unknown_option(const Command& program) {
  const Command command = chosen_command(program);
  const std::vector<std::string> words = program.all_remaining();
  const auto unknown = std::ranges::find_if(words, looks_like_option);
  if (unknown == words.end()) return std::nullopt;
  std::vector<std::string> flags;
  for (std::optional<Command> one = command; one; one = one->parent()) add_flags(*one, flags);
  const std::string flag = flag_of(*unknown);
  const std::string meant = did_you_mean(flag, flags);
  return fmt::format("{} has no option '{}'{}", full_name(command), flag,
                     meant.empty()
                         ? fmt::format("; `{} --help` lists those that it has", full_name(command))
                         : meant);
}

}  // namespace croco::cli
