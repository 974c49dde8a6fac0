// SPDX-License-Identifier: Apache-2.0
#include <croco/data/suggest.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include <fmt/format.h>

namespace croco {
namespace {

/// Longer words are hardly typed by hand, and the distance costs the product of the lengths.
constexpr std::size_t kLongestWord = 64;

char lower(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// Insertions, deletions and replacements that turn `a` into `b`; case is ignored.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > kLongestWord) return {};
  const std::string* best = nullptr;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t needed = edits(word, candidate);
    // A distance that replaces the whole candidate is no likeness.
    if (needed < fewest && needed < candidate.size()) {
      fewest = needed;
      best = &candidate;
    }
  }
  return best == nullptr ? std::string() : fmt::format("; did you mean '{}'?", *best);
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
  }
  return text;
}

}  // namespace croco
