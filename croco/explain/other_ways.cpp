// SPDX-License-Identifier: Apache-2.0
// Several ways to the wanted answer: each leaves alone what would make it an earlier one.
#include <algorithm>
#include <utility>

#include <croco/explain/explainer.hpp>
#include <croco/space/features.hpp>

namespace croco {
namespace {

/// The sets of features of which one is to be left alone, so that no earlier way is part of the
/// next.
std::vector<FeatureSet> to_leave_alone(const std::vector<FeatureSet>& earlier, bool disjoint) {
  if (!disjoint) return hitting_sets(earlier);
  FeatureSet all;
  for (const FeatureSet& features : earlier)
    all.insert(all.end(), features.begin(), features.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return {all};
}

bool has_common(const FeatureSet& a, const FeatureSet& b) {
  return std::ranges::any_of(a, [&](std::size_t feature) { return contains(b, feature); });
}

/// What is known of a person before any search.
Explanation person_of(const Explanation& answer) {
  Explanation out;
  out.row = answer.row;
  out.where = answer.where;
  out.kept = answer.kept;
  out.status = Status::infeasible;
  out.before = answer.before;
  out.score_before = answer.score_before;
  out.origin = answer.origin;
  return out;
}

}  // namespace

std::vector<std::vector<Explanation>> Explainer::other_ways(std::span<const Person> people,
                                                            std::span<const Explanation> answers,
                                                            const std::stop_token& stop) const {
  std::vector<std::vector<Explanation>> others;
  std::vector<std::vector<FeatureSet>> earlier(answers.size());
  const auto remember = [&](std::size_t i, const Explanation& way) {
    if (way.has_advice()) {
      earlier[i].push_back(changed_features(codec_.space(), way.origin, way.point));
    }
  };
  for (std::size_t i = 0; i < answers.size(); ++i) remember(i, answers[i]);
  for (std::size_t round = 1; round < options_.options; ++round) {
    std::vector<Explanation>& ways = others.emplace_back();
    std::vector<Told> asked;
    std::vector<OtherWay> requests;
    ways.reserve(answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      ways.push_back(person_of(answers[i]));
      if (earlier[i].size() < round) continue;  // nothing was found the last time
      asked.push_back({&people[i], &ways[i]});
      requests.push_back({ways[i].origin, to_leave_alone(earlier[i], options_.disjoint)});
    }
    tell_all(asked, search_->find_others(requests, options_.threads, stop), 0);
    for (std::size_t i = 0; i < answers.size(); ++i) remember(i, ways[i]);
  }
  return others;
}

void Explainer::gather(std::vector<std::vector<Explanation>> others,
                       std::vector<Explanation>& answers) const {
  if (others.empty()) return;
  const auto cost = [](const Explanation& way) { return way.distance.cost; };
  for (std::size_t i = 0; i < answers.size(); ++i) {
    std::vector<Explanation> ways;
    const auto take = [&](Explanation& way) {
      if (way.has_advice() && way.target_met.value_or(false)) ways.push_back(std::move(way));
    };
    const bool certified = answers[i].target_met.value_or(false);
    take(answers[i]);
    for (std::vector<Explanation>& round : others) take(round[i]);
    if (ways.empty()) continue;  // the first answer stays, with what it says
    std::ranges::stable_sort(ways, {}, cost);
    std::vector<Explanation> kept;
    std::vector<FeatureSet> features;
    for (Explanation& way : ways) {
      // Rounding and further attempts may have made two ways alike.
      FeatureSet changed = changed_features(codec_.space(), way.origin, way.point);
      const bool differs = std::ranges::none_of(features, [&](const FeatureSet& one) {
        return options_.disjoint ? has_common(changed, one) : contains(changed, one);
      });
      if (!differs) continue;
      features.push_back(std::move(changed));
      way.option = kept.size() + 1;
      kept.push_back(std::move(way));
    }
    if (!certified) kept.front().steps += answers[i].steps;
    answers[i] = std::move(kept.front());
    answers[i].others.assign(std::make_move_iterator(kept.begin() + 1),
                             std::make_move_iterator(kept.end()));
  }
}

}  // namespace croco
