// SPDX-License-Identifier: Apache-2.0
#include <croco/data/written_number.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <croco/base/ascii.hpp>
#include <croco/base/numbers.hpp>

namespace croco {
namespace {

struct Currency {
  std::string_view sign;
  std::string_view code;
};

constexpr std::array<Currency, 6> kCurrencies = {{{"$", "USD"},
                                                  {"\xE2\x82\xAC", "EUR"},
                                                  {"\xC2\xA3", "GBP"},
                                                  {"\xC2\xA5", "JPY"},
                                                  {"\xE2\x82\xB9", "INR"},
                                                  {"CHF", "CHF"}}};
constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
constexpr std::string_view kNarrowNoBreakSpace = "\xE2\x80\xAF";

/// Without blanks around it, those that keep a line together included.
std::string_view bare(std::string_view text) noexcept {
  while (true) {
    text = trimmed(text);
    const std::size_t size = text.size();
    for (const std::string_view blank : {kNoBreakSpace, kNarrowNoBreakSpace}) {
      if (text.starts_with(blank)) text.remove_prefix(blank.size());
      if (text.ends_with(blank)) text.remove_suffix(blank.size());
    }
    if (text.size() == size) return text;
  }
}

/// A number without its sign and its unit.
struct Parts {
  bool negative = false;
  std::string_view unit;
  std::string_view digits;
};

bool take_sign(std::string_view& text, bool& negative) noexcept {
  if (!text.starts_with('-') && !text.starts_with('+')) return false;
  negative = text.front() == '-';
  text = bare(text.substr(1));
  return true;
}

std::string_view unit_in_front(std::string_view text) noexcept {
  for (const Currency& currency : kCurrencies) {
    for (const std::string_view unit : {currency.sign, currency.code}) {
      if (text.starts_with(unit)) return unit;
    }
  }
  return {};
}

std::string_view unit_behind(std::string_view text) noexcept {
  if (text.ends_with('%')) return "%";
  for (const Currency& currency : kCurrencies) {
    for (const std::string_view unit : {currency.sign, currency.code}) {
      if (text.ends_with(unit)) return unit;
    }
  }
  return {};
}

Parts parts_of(std::string_view text) noexcept {
  Parts parts;
  text = bare(text);
  // Accountants write what is owed in parentheses.
  bool has_sign = text.size() > 2 && text.starts_with('(') && text.ends_with(')');
  if (has_sign) {
    text = bare(text.substr(1, text.size() - 2));
    parts.negative = true;
  } else {
    has_sign = take_sign(text, parts.negative);
  }
  parts.unit = unit_in_front(text);
  text = bare(text.substr(parts.unit.size()));
  if (!parts.unit.empty() && !has_sign) take_sign(text, parts.negative);
  if (parts.unit.empty()) {
    parts.unit = unit_behind(text);
    text = bare(text.substr(0, text.size() - parts.unit.size()));
  }
  parts.digits = text;
  return parts;
}

/// Runs of digits and what stands between them; empty for anything else.
struct Runs {
  std::vector<std::string_view> digits;
  std::vector<std::string_view> between;
};

Runs runs_of(std::string_view text) {
  constexpr std::array<std::string_view, 6> kBetween = {",", ".",           " ",
                                                        "'", kNoBreakSpace, kNarrowNoBreakSpace};
  Runs runs;
  while (true) {
    const auto end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) -
                                              text.begin());
    if (end == 0) return {};
    runs.digits.push_back(text.substr(0, end));
    text.remove_prefix(end);
    if (text.empty()) return runs;
    const auto* const found = std::ranges::find_if(
        kBetween, [&](std::string_view separator) { return text.starts_with(separator); });
    if (found == kBetween.end()) return {};
    runs.between.push_back(*found);
    text.remove_prefix(found->size());
  }
}

/// Whether the first `count` runs are thousands with one separator between them: "1", "006", "250".
bool are_thousands(const Runs& runs, std::size_t count) {
  const std::string_view first = runs.digits.front();
  if (count < 2 || first.size() > 3 || first.front() == '0') return false;
  for (std::size_t k = 1; k < count; ++k) {
    if (runs.digits[k].size() != 3 || runs.between[k - 1] != runs.between[0]) return false;
  }
  return true;
}

std::string joined(const Runs& runs, bool negative, bool decimals) {
  std::string plain = negative ? "-" : "";
  for (std::size_t k = 0; k < runs.digits.size(); ++k) {
    if (decimals && k + 1 == runs.digits.size()) plain += '.';
    plain += runs.digits[k];
  }
  return plain;
}

}  // namespace

std::optional<WrittenNumber> written_number(std::string_view text) {
  if (const std::optional<double> number = parse_number(text)) {
    if (!std::isfinite(*number)) return std::nullopt;
    return WrittenNumber{std::string(trimmed(text)), {}, false};
  }
  const Parts parts = parts_of(text);
  if (parts.digits.empty() || !(is_digit(parts.digits.front()) || parts.digits.front() == '.')) {
    return std::nullopt;
  }
  if (const std::optional<double> number = parse_number(parts.digits)) {
    if (!std::isfinite(*number)) return std::nullopt;
    return WrittenNumber{(parts.negative ? "-" : "") + std::string(parts.digits), parts.unit,
                         false};
  }
  const Runs runs = runs_of(parts.digits);
  if (runs.between.empty() || runs.between.front() != ",") return std::nullopt;
  const bool decimals = runs.between.back() == ".";
  if (!are_thousands(runs, runs.digits.size() - (decimals ? 1 : 0))) return std::nullopt;
  return WrittenNumber{joined(runs, parts.negative, decimals), parts.unit,
                       runs.between.size() == 1};
}

std::optional<std::string> foreign_number(std::string_view text) {
  const Parts parts = parts_of(text);
  const Runs runs = runs_of(parts.digits);
  if (runs.between.empty()) return std::nullopt;
  const std::size_t count = runs.digits.size();
  const std::string_view first = runs.between.front();
  const std::string_view last = runs.between.back();
  if (last == ",") {  // 3,5 and 1.006,74
    const bool decimal = count == 2 || (first != "," && are_thousands(runs, count - 1));
    return decimal ? std::optional(joined(runs, parts.negative, true)) : std::nullopt;
  }
  if (first == "," || (first == "." && count == 2)) return std::nullopt;
  const bool decimals = last == "." && first != ".";  // 1 006.74, unlike 1.006.250
  if (!are_thousands(runs, count - (decimals ? 1 : 0))) return std::nullopt;
  return joined(runs, parts.negative, decimals);
}

bool same_currency(std::string_view a, std::string_view b) noexcept {
  return a == b || std::ranges::any_of(kCurrencies, [&](const Currency& currency) {
           return (a == currency.sign && b == currency.code) ||
                  (b == currency.sign && a == currency.code);
         });
}

bool is_currency(std::string_view unit) noexcept {
  return std::ranges::any_of(kCurrencies, [&](const Currency& currency) {
    return unit == currency.sign || unit == currency.code;
  });
}

std::string plain_cell(std::string_view cell, std::string_view unit, char separator) {
  // Plain numbers stay as they are written, to the last blank.
  if (parse_number(cell)) return std::string(cell);
  const std::optional<WrittenNumber> number = written_number(cell);
  if (!number || (number->ambiguous && separator == ';')) return std::string(cell);
  const bool other_unit = number->unit == "%" ? unit != "%"
                                              : is_currency(number->unit) && is_currency(unit) &&
                                                    !same_currency(number->unit, unit);
  return other_unit ? std::string(cell) : number->plain;
}

}  // namespace croco
