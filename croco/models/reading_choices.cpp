// SPDX-License-Identifier: Apache-2.0
#include <croco/models/reading_choices.hpp>

#include <cmath>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>

namespace croco {

ScoreKind parse_score_kind(std::string_view text) {
  if (text.empty()) return ScoreKind::proven;
  if (text == "logit") return ScoreKind::logit;
  if (text == "probability") return ScoreKind::probability;
  throw InvalidArgument(fmt::format("score is '{}'; it must be logit or probability", text));
}

DecidedBy parse_decided_by(std::string_view text) {
  if (text.empty()) return DecidedBy::unstated;
  if (text == "label") return DecidedBy::label;
  if (text == "probability") return DecidedBy::probability;
  throw InvalidArgument(fmt::format("decision is '{}'; it must be label or probability", text));
}

RoundChoice parse_rounds(const std::string& text) {
  if (text == "best") return {.kind = RoundChoice::Kind::best};
  if (text == "all") return {.kind = RoundChoice::Kind::all};
  const std::optional<double> number = parse_number(text);
  if (!number || !(*number >= 1) || *number != std::floor(*number) || *number > 1e15) {
    throw InvalidArgument(
        fmt::format("rounds is '{}'; it must be best, all or a whole number of at least 1", text));
  }
  return {.kind = RoundChoice::Kind::first, .count = static_cast<std::size_t>(*number)};
}

}  // namespace croco
