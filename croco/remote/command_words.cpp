// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/command_words.hpp>

#include <cstddef>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

std::vector<std::string> command_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;  // of a word, which may be empty: ''
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\0' && is_blank(c)) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    const bool last = i + 1 == text.size();
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (c == '\\' && quote != '\'' && !last &&
               // Within "..." a backslash quotes what would mean something there.
               (quote == '\0' || text[i + 1] == '"' || text[i + 1] == '\\')) {
      words.back() += text[++i];
    } else if (c == '\\' && quote == '\0') {
      throw InvalidArgument(
          fmt::format("command is '{}'; a backslash at its end quotes nothing", text));
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0') {
    throw InvalidArgument(fmt::format("command is '{}'; the quote {} is not closed", text, quote));
  }
  if (words.empty() || words.front().empty()) {
    throw InvalidArgument(fmt::format("command is '{}'; it must begin with a program", text));
  }
  return words;
}

}  // namespace croco
