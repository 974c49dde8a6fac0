// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/time_limit.hpp>

#include <utility>
#include <variant>

#include <fmt/format.h>

#include <croco/base/deadline.hpp>
#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/base/stopped.hpp>
#include <croco/explain/explainer_impl.hpp>

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

std::vector<Explanation> Explainer::Impl::explain_alike(std::span<const Person> people,
                                                        const std::stop_token& stop) const {
  const auto answers_of = [&](std::span<const Person> some, const std::stop_token& limit) {
    try {
      return answer_all(some, stop, limit);
    } catch (const Stopped&) {
      if (!stop.stop_requested()) throw;
      return std::vector<Explanation>();
    }
  };
  if (!derived_.time_limit) return answers_of(people, stop);
  std::vector<std::vector<Explanation>> answers(people.size());
  parallel_for(people.size(), derived_.threads, [&](std::size_t i) {
    if (stop.stop_requested()) return;
    const Deadline deadline(*derived_.time_limit, stop);
    answers[i] = answers_of(people.subspan(i, 1), deadline.token());
  });
  std::vector<Explanation> out;
  for (std::vector<Explanation>& one : answers) {
    if (one.empty()) break;
    out.push_back(std::move(one.front()));
  }
  return out;
}

}  // namespace croco
