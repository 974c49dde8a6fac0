// SPDX-License-Identifier: Apache-2.0
// Several alternatives: each freezes what would make it an earlier one.
#include <algorithm>
#include <utility>

#include <croco/explain/explainer_impl.hpp>
#include <croco/space/features.hpp>

namespace croco {
namespace {

/// The sets of features of which one is to be frozen, so that no earlier
/// alternative is part of the next.
std::vector<FeatureSet> to_freeze(const std::vector<FeatureSet>& earlier, bool disjoint) {
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

std::vector<std::vector<Explanation>> Explainer::Impl::find_alternatives(
    std::span<const Person> people, std::span<const Explanation> answers,
    const std::stop_token& stop) const {
  std::vector<std::vector<Explanation>> others;
  std::vector<std::vector<FeatureSet>> earlier(answers.size());
  const auto remember = [&](std::size_t i, const Explanation& one) {
    if (one.has_advice()) {
      earlier[i].push_back(changed_features(codec_.space(), one.origin, one.point));
    }
  };
  for (std::size_t i = 0; i < answers.size(); ++i) remember(i, answers[i]);
  for (std::size_t round = 1; round < derived_.alternatives; ++round) {
    std::vector<Explanation>& found = others.emplace_back();
    std::vector<Pending> asked;
    std::vector<OtherWay> requests;
    found.reserve(answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      found.push_back(person_of(answers[i]));
      if (earlier[i].size() < round) continue;  // nothing was found the last time
      asked.push_back({&people[i], &found[i]});
      requests.push_back({found[i].origin, to_freeze(earlier[i], derived_.disjoint)});
    }
    recommend_all(asked, search_->find_others(requests, derived_.threads, stop), 0);
    for (std::size_t i = 0; i < answers.size(); ++i) remember(i, found[i]);
  }
  return others;
}

void Explainer::Impl::gather(std::vector<std::vector<Explanation>> others,
                             std::vector<Explanation>& answers) const {
  if (others.empty()) return;
  const auto cost = [](const Explanation& one) { return one.distance.cost; };
  for (std::size_t i = 0; i < answers.size(); ++i) {
    std::vector<Explanation> found;
    const auto take = [&](Explanation& one) {
      if (one.has_advice() && one.target_met.value_or(false)) found.push_back(std::move(one));
    };
    const bool certified = answers[i].target_met.value_or(false);
    take(answers[i]);
    for (std::vector<Explanation>& round : others) take(round[i]);
    if (found.empty()) continue;  // the first answer stays, with what it says
    std::ranges::stable_sort(found, {}, cost);
    std::vector<Explanation> kept;
    std::vector<FeatureSet> features;
    for (Explanation& one : found) {
      // Rounding and further attempts may have made two alternatives alike.
      FeatureSet changed = changed_features(codec_.space(), one.origin, one.point);
      const bool differs = std::ranges::none_of(features, [&](const FeatureSet& earlier) {
        return derived_.disjoint ? has_common(changed, earlier) : contains(changed, earlier);
      });
      if (!differs) continue;
      features.push_back(std::move(changed));
      one.alternative = kept.size() + 1;
      kept.push_back(std::move(one));
    }
    if (!certified) kept.front().steps += answers[i].steps;
    answers[i] = std::move(kept.front());
    answers[i].alternatives.assign(std::make_move_iterator(kept.begin() + 1),
                                   std::make_move_iterator(kept.end()));
  }
}

}  // namespace croco
