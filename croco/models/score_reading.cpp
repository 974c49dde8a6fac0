// SPDX-License-Identifier: Apache-2.0
#include <croco/models/score_reading.hpp>

#include <fmt/format.h>

#include <croco/base/error.hpp>

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

}  // namespace croco
