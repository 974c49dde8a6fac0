// SPDX-License-Identifier: Apache-2.0
#include <croco/data/advice_words.hpp>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/schema.hpp>
#include <croco/data/suggest.hpp>

namespace croco {
namespace {

/// What is known of a change before its phrase is read.
enum class Known { nothing, direction, level };

class PhraseCheck {
 public:
  PhraseCheck(const Feature& feature, std::string_view phrase, Known known)
      : feature_(feature), phrase_(phrase), known_(known) {}

  void run() const {
    check_shape();
    const std::set<std::string> found = placeholders();
    if (found.contains("by") && known_ != Known::direction) {
      fail(feature_.type == FeatureType::numeric
               ? "{by} does not say in which direction; give 'up' and 'down' a phrase each"
               : "{by} is for numbers");
    }
    if (known_ != Known::level && !found.contains("to") && !found.contains("by")) {
      fail(known_ == Known::direction ? "it must hold {to} or {by}, or nobody knows how far to go"
                                      : "it must hold {to}, or nobody knows what to change to");
    }
  }

 private:
  [[noreturn]] void fail(std::string_view rule) const {
    throw DataError(fmt::format("feature '{}': advice '{}': {}", feature_.name, phrase_, rule));
  }

  void check_shape() const {
    if (trimmed(phrase_).empty()) {
      throw DataError(
          fmt::format("feature '{}': advice: a phrase is empty; leave it out for the usual words",
                      feature_.name));
    }
    if (phrase_.size() > kMaxAdviceLength) {
      throw DataError(fmt::format("feature '{}': advice: a phrase has {} bytes; {} are the most",
                                  feature_.name, phrase_.size(), kMaxAdviceLength));
    }
    if (std::ranges::any_of(phrase_, [](char c) { return c >= 0 && c < ' '; })) {
      fail("it must be one line, without control characters");
    }
    if (phrase_ != trimmed(phrase_)) fail("it must not begin or end with a blank");
    if (std::string_view(".!?;:,").find(phrase_.back()) != std::string_view::npos) {
      fail(fmt::format("it must not end with '{}', as it becomes a part of a sentence",
                       phrase_.back()));
    }
  }

  [[nodiscard]] std::set<std::string> placeholders() const {
    static const std::vector<std::string> known = {"from", "to", "by"};
    std::set<std::string> out;
    for (std::size_t at = phrase_.find_first_of("{}"); at != std::string_view::npos;
         at = phrase_.find_first_of("{}", at + 1)) {
      const std::size_t end = phrase_.find_first_of("{}", at + 1);
      if (phrase_[at] == '}' || end == std::string_view::npos || phrase_[end] == '{') {
        fail("a brace must belong to a placeholder: {from}, {to} or {by}");
      }
      std::string name(phrase_.substr(at + 1, end - at - 1));
      if (std::ranges::find(known, name) == known.end()) {
        fail(fmt::format("unknown placeholder '{}'{} (there are {})", name,
                         did_you_mean(name, known), quoted_list(known)));
      }
      out.insert(std::move(name));
      at = end;
    }
    return out;
  }

  const Feature& feature_;
  std::string_view phrase_;
  Known known_;
};

}  // namespace

const std::string& AdviceWords::find(std::string_view key) const noexcept {
  const auto found =
      std::ranges::find_if(of, [&](const auto& entry) { return entry.first == key; });
  return found == of.end() ? any : found->second;
}

std::string filled(std::string_view phrase, const AdviceValues& values) {
  std::string out;
  for (std::size_t at = 0; at < phrase.size();) {
    const std::size_t open = std::min(phrase.find('{', at), phrase.size());
    out += phrase.substr(at, open - at);
    if (open == phrase.size()) break;
    const std::size_t close = std::min(phrase.find('}', open), phrase.size());
    const std::string_view name = phrase.substr(open + 1, close - open - 1);
    out += name == "from" ? values.from : name == "to" ? values.to : values.by;
    at = close + 1;
  }
  return out;
}

void validate_advice(const Feature& feature) {
  const bool numeric = feature.type == FeatureType::numeric;
  if (!feature.advice.any.empty() && !feature.advice.of.empty()) {
    throw DataError(
        fmt::format("feature '{}': advice: has one phrase for all changes and others "
                    "beside it; it must be one of them",
                    feature.name));
  }
  if (!feature.advice.any.empty()) {
    PhraseCheck(feature, feature.advice.any, Known::nothing).run();
  }
  const std::vector<std::string> directions = {"up", "down"};
  const std::vector<std::string>& keys = numeric ? directions : feature.levels;
  std::set<std::string_view> seen;
  for (const auto& [key, phrase] : feature.advice.of) {
    if (std::ranges::find(keys, key) == keys.end()) {
      throw DataError(fmt::format("feature '{}': advice: '{}' is none of its {}{}", feature.name,
                                  key, numeric ? "directions, 'up' and 'down'" : "levels",
                                  did_you_mean(key, keys)));
    }
    if (!seen.insert(key).second) {
      throw DataError(fmt::format("feature '{}': advice: '{}' has two phrases", feature.name, key));
    }
    PhraseCheck(feature, phrase, numeric ? Known::direction : Known::level).run();
  }
  for (const CategoryMove& move : feature.moves) {
    if (!move.advice.empty()) PhraseCheck(feature, move.advice, Known::level).run();
  }
}

}  // namespace croco
