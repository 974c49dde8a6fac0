// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/time_limit.hpp>

#include <variant>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

Obstacle out_of_time(const Explanation& answer) {
  return {.kind = ObstacleKind::time,
          .cut_short = true,
          .record = answer.before,
          .point = answer.origin,
          .score = answer.score_before};
}

}  // namespace

void validate_time_limit(const ExplainOptions& options) {
  if (!options.time_limit) return;
  if (!(*options.time_limit > 0)) {
    throw InvalidArgument(
        fmt::format("the time limit is {} s; it must be more than 0", *options.time_limit));
  }
  if (!std::holds_alternative<Certified>(options.method)) {
    throw InvalidArgument(fmt::format("a time limit is for method certified; method {} has none",
                                      name_of(options.method)));
  }
}

void end_search(Counterfactual& found, Explanation& answer) {
  if (found.termination != Termination::cancelled) return;
  found.termination = found.point.empty() ? Termination::infeasible : Termination::unmet;
  if (found.point.empty()) answer.obstacle = out_of_time(answer);
}

void end_reasons(std::span<Explanation> answers) {
  for (Explanation& answer : answers) {
    if (answer.status != Status::infeasible && answer.status != Status::unmet &&
        answer.status != Status::undecided) {
      continue;
    }
    if (!answer.obstacle || answer.obstacle->kind == ObstacleKind::time) {
      answer.obstacle = out_of_time(answer);
    }
    answer.obstacle->cut_short = true;
  }
}

}  // namespace croco
