// SPDX-License-Identifier: Apache-2.0
#include <croco/data/date_text.hpp>

#include <array>
#include <cmath>
#include <cstddef>

#include <croco/base/ascii.hpp>
#include <croco/base/numbers.hpp>

namespace croco {
namespace {

constexpr int kFirstYear = 1800;
constexpr int kLastYear = 2200;

/// A run of digits or of letters.
struct Token {
  std::string_view text;
  int value = -1;  ///< of digits
};

struct Tokens {
  std::array<Token, 3> token{};
  std::array<char, 2> between{};
  std::size_t count = 0;
};

int value_of(std::string_view digits) noexcept {
  if (digits.empty() || digits.size() > 4) return -1;
  int value = 0;
  for (const char digit : digits) {
    if (!is_digit(digit)) return -1;
    value = 10 * value + (digit - '0');
  }
  return value;
}

/// "31-Mar-2024" as three tokens; none when there are more, or anything else between them.
Tokens tokens_of(std::string_view text) noexcept {
  Tokens tokens;
  while (tokens.count < tokens.token.size()) {
    const std::size_t end = std::min(text.find_first_of("-/. "), text.size());
    std::string_view word = text.substr(0, end);
    if (word.ends_with(',')) word.remove_suffix(1);
    if (word.empty()) return {};
    tokens.token[tokens.count++] = {word, value_of(word)};
    if (end == text.size()) return tokens;
    if (tokens.count == tokens.token.size()) return {};
    tokens.between[tokens.count - 1] = text[end];
    text.remove_prefix(end + 1);
  }
  return {};
}

bool is_month_name(std::string_view text) noexcept {
  constexpr std::array<std::string_view, 12> kMonths = {
      "january", "february", "march",     "april",   "may",      "june",
      "july",    "august",   "september", "october", "november", "december"};
  if (text.size() < 3) return false;
  for (const std::string_view month : kMonths) {
    if (text.size() != 3 && text.size() != month.size()) continue;
    bool same = true;
    for (std::size_t k = 0; k < text.size(); ++k) {
      same = same && (text[k] | 0x20) == month[k];
    }
    if (same) return true;
  }
  return false;
}

bool is_year(const Token& token) noexcept {
  return token.text.size() == 4 && token.value >= kFirstYear && token.value <= kLastYear;
}

bool is_within(const Token& token, int most) noexcept {
  return token.text.size() <= 2 && token.value >= 1 && token.value <= most;
}

bool is_short_year(const Token& token) noexcept {
  return token.text.size() == 2 && token.value >= 0;
}

bool is_year_and_month(const Tokens& tokens) noexcept {
  const auto& [first, second, third] = tokens.token;
  if (is_month_name(first.text)) return is_year(second) || is_short_year(second);
  return tokens.between[0] == '-' && is_year(first) && second.text.size() == 2 &&
         is_within(second, 12);
}

bool is_day(const Tokens& tokens) noexcept {
  const auto& [first, second, third] = tokens.token;
  if (is_month_name(second.text)) {
    return is_within(first, 31) && (is_year(third) || is_short_year(third));
  }
  if (is_month_name(first.text)) return is_within(second, 31) && is_year(third);
  if (tokens.between[0] != tokens.between[1] || tokens.between[0] == ' ') return false;
  if (is_year(first)) return is_within(second, 12) && is_within(third, 31);
  return is_within(first, 31) && is_within(second, 31) &&
         (first.value <= 12 || second.value <= 12) && (is_year(third) || is_short_year(third));
}

/// Drops "T10:30:00Z" or " 10:30 PM".
std::string_view without_time(std::string_view text) noexcept {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return text;
  const std::size_t start = text.find_last_of("T ", colon);
  if (start == std::string_view::npos || start + 1 == colon || !is_digit(text[start + 1]))
    return {};
  if (text.find_first_not_of("0123456789:.+-ZAPMapm ", start + 1) != std::string_view::npos) {
    return {};
  }
  return trimmed(text.substr(0, start));
}

}  // namespace

bool is_date(std::string_view text) noexcept {
  const Tokens tokens = tokens_of(without_time(trimmed(text)));
  if (tokens.count == 2) return is_year_and_month(tokens);
  return tokens.count == 3 && is_day(tokens);
}

bool is_compact_date(double number) noexcept {
  if (number != std::floor(number) || number < 1e4 * kFirstYear || number >= 1e4 * kLastYear) {
    return false;
  }
  const auto whole = static_cast<int>(number);
  const int day = whole % 100;
  const int month = whole / 100 % 100;
  return day >= 1 && day <= 31 && month >= 1 && month <= 12;
}

}  // namespace croco
