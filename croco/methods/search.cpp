// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/search.hpp>

#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>

namespace croco {

Counterfactual judged_point(const Attempt& attempt, const Judgement& judgement) {
  return {.point = Vector(attempt.point.begin(), attempt.point.end()),
          .termination = Termination::converged,
          .blocks = attempt.number + 1,
          .method_rate = judgement.rate};
}

std::vector<Counterfactual> Search::find_all(std::span<const View> origins, unsigned threads,
                                             const std::stop_token& stop) const {
  std::vector<Counterfactual> found(origins.size());
  parallel_for(origins.size(), threads, [&](std::size_t i) {
    found[i].termination = Termination::cancelled;
    if (!stop.stop_requested()) found[i] = find(origins[i], stop);
  });
  return found;
}

std::vector<Judgement> Search::judge_all(std::span<const Attempt> points, unsigned threads) const {
  std::vector<Judgement> judged(points.size());
  parallel_for(points.size(), threads, [&](std::size_t i) {
    judged[i] = judge(points[i].origin, points[i].point, points[i].number);
  });
  return judged;
}

std::vector<Counterfactual> Search::retry_all(std::span<const Attempt> failed, unsigned /*threads*/,
                                              const std::stop_token& /*stop*/) const {
  std::vector<Counterfactual> found;
  for (const Attempt& attempt : failed) {
    found.push_back({.point = Vector(attempt.point.begin(), attempt.point.end()),
                     .termination = Termination::unmet});
  }
  return found;
}

std::vector<Counterfactual> Search::find_others(std::span<const OtherWay> /*people*/,
                                                unsigned /*threads*/,
                                                const std::stop_token& /*stop*/) const {
  throw InvalidArgument("several options need method certified");
}

}  // namespace croco
