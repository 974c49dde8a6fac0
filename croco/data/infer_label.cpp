// SPDX-License-Identifier: Apache-2.0
#include <croco/data/infer_label.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/column_words.hpp>
#include <croco/data/missing.hpp>
#include <croco/data/suggest.hpp>

namespace croco {
namespace {

bool is_one_of(std::string_view value, std::span<const std::string_view> words) {
  std::string lower(value);
  std::ranges::transform(lower, lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return std::ranges::find(words, lower) != words.end();
}

/// Good news whatever the label is called.
bool is_good_news(std::string_view value) {
  constexpr std::string_view kWords[] = {
      "accept",     "accepted", "admitted",   "approve", "approved",  "favorable",
      "favourable", "good",     "grant",      "granted", "hired",     "pass",
      "passed",     "repaid",   "fully paid", "success", "successful"};
  return is_one_of(value, kWords);
}

/// "Yes" or "no" to what the label is called.
std::optional<bool> affirms(std::string_view value) {
  constexpr std::string_view kYes[] = {"1", "1.0", "true", "t", "y", "yes"};
  constexpr std::string_view kNo[] = {"0", "0.0", "-1", "-1.0", "false", "f", "n", "no"};
  if (is_one_of(value, kYes)) return true;
  if (is_one_of(value, kNo)) return false;
  return std::nullopt;
}

/// 0 or 1: which of the two values is favourable; throws when that is not clear.
std::size_t guess(const std::string& source, const std::string& name,
                  const std::vector<std::string>& values) {
  const bool first_good = is_good_news(values[0]);
  if (first_good != is_good_news(values[1])) return first_good ? 0 : 1;
  const std::optional<bool> first = affirms(values[0]);
  const std::optional<bool> second = affirms(values[1]);
  const bool answers = first && second && *first != *second;
  if (answers && !names_the_unwanted(name)) return *first ? 0 : 1;
  throw InvalidArgument(fmt::format(
      "{}, column '{}': which of '{}' and '{}' do people hope for? {}, so it is not guessed; say "
      "it "
      "with --favourable '{}' or --favourable '{}'",
      source, name, values[0], values[1],
      answers ? "The label is named like something to be avoided" : "The values do not say",
      values[0], values[1]));
}

}  // namespace

LabelColumn infer_label(const CsvTable& table, std::size_t column, const std::string& favourable,
                        std::vector<std::string>& notes) {
  const std::string& name = table.header[column];
  std::size_t missing = 0;
  std::set<std::string_view> distinct;
  for (const CsvRow& row : table.rows) {
    const std::string_view text = trimmed(row.fields[column]);
    if (is_missing(text)) {
      ++missing;
    } else {
      distinct.insert(text);
    }
  }
  std::vector<std::string> values(distinct.begin(), distinct.end());
  if (values.size() != 2) {
    constexpr std::size_t kShown = 5;
    const std::size_t count = values.size();
    values.resize(std::min(count, kShown));
    throw DataError(
        fmt::format("{}, column '{}': a label needs exactly two values, but there {} {}{}{}{}{}",
                    table.source, name, count == 1 ? "is" : "are", count, count == 0 ? "" : ": ",
                    quoted_list(values), count > kShown ? ", ..." : "",
                    count > 2 ? "; make a column of two values from it, such as whether it is the "
                                "one that people hope for"
                              : ""));
  }
  if (missing != 0) {
    notes.push_back(
        fmt::format("Label '{}' is missing in {} of {} rows.", name, missing, table.rows.size()));
  }
  std::size_t chosen = 0;
  if (favourable.empty()) {
    chosen = guess(table.source, name, values);
    notes.push_back(fmt::format(
        "Label '{}': '{}' was guessed to be the favourable value and '{}' the unfavourable one; "
        "--favourable says otherwise.",
        name, values[chosen], values[1 - chosen]));
  } else {
    const auto found = std::ranges::find(values, favourable);
    if (found == values.end()) {
      throw DataError(
          fmt::format("{}, column '{}': '{}' cannot be the favourable value; the values are {}",
                      table.source, name, favourable, quoted_list(values)));
    }
    chosen = static_cast<std::size_t>(found - values.begin());
  }
  return {name, values[chosen], values[1 - chosen]};
}

}  // namespace croco
