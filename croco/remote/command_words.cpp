// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/command_words.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include <croco/base/ascii.hpp>
#include <croco/base/error.hpp>
#include <croco/data/url.hpp>

namespace croco {
namespace {

/// Whether a word is what an option or variable with a secret is called.
bool names_secret(std::string_view word) {
  const std::string name = lower_case(word);
  constexpr std::array<std::string_view, 8> kParts{"password",   "passwd", "passphrase",
                                                   "secret",     "token",  "authorization",
                                                   "credential", "apikey"};
  return name.ends_with("key") || name.ends_with("-auth") || name.ends_with("bearer") ||
         std::ranges::any_of(
             kParts, [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

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
      throw InvalidArgument(fmt::format("command is '{}'; a backslash at its end quotes nothing",
                                        shown_command(text)));
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0') {
    throw InvalidArgument(
        fmt::format("command is '{}'; the quote {} is not closed", shown_command(text), quote));
  }
  if (words.empty() || words.front().empty()) {
    throw InvalidArgument(
        fmt::format("command is '{}'; it must begin with a program", shown_command(text)));
  }
  return words;
}

std::string shown_command(std::string_view text) {
  std::string out;
  bool hide = false;
  char quote = 0;  // of a hidden value that goes on
  while (!text.empty()) {
    const std::size_t blanks = std::min(text.find_first_not_of(" \t\n"), text.size());
    out += text.substr(0, blanks);
    text.remove_prefix(blanks);
    const std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
    text.remove_prefix(word.size());
    if (word.empty()) break;
    if (quote != 0) {
      if (word.ends_with(quote)) quote = 0;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
    const std::string_view hidden = hide ? word : names_secret(name) ? value : "";
    if (!hidden.empty()) {
      out += hide ? "" : fmt::format("{}=", name);
      out += "***";
      const char first = hidden.front();
      if ((first == '"' || first == '\'') && (hidden.size() == 1 || !hidden.ends_with(first))) {
        quote = first;
      }
      hide = false;
      continue;
    }
    hide = equals == std::string_view::npos && names_secret(word) &&
           (word.starts_with('-') || lower_case(word).ends_with("bearer"));
    out += word.find("://") == std::string_view::npos ? std::string(word) : shown_url(word);
  }
  return out;
}

}  // namespace croco
