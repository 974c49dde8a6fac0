// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/reasons/relaxations.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/random.hpp>
#include <croco/explain/derived_options.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/methods/certified_settings.hpp>
#include <croco/robustness/error_budget.hpp>

namespace croco {
namespace {

/// Targets that are tried for one person; each is further above the lowest rate.
constexpr std::size_t kTargetRounds = 3;
constexpr int kTargetSteps[kTargetRounds] = {0, 3, 8};
/// Factors of the noise are multiples of 1/20, found by bisection.
constexpr int kNoiseParts = 20;
constexpr std::size_t kNoiseRounds = 5;
/// Limits of features that are lifted for one person where queries are expensive, the most
/// effective first. Each takes a search of its own, and of a black box there may be dozens.
constexpr std::size_t kMostLifted = 4;

/// First numbers of the seeds of the relaxed problems: no sample serves two of them.
constexpr std::uint64_t kTargetLook = 0;
constexpr std::uint64_t kNoiseLook = 16;
constexpr std::uint64_t kFeatureLook = 64;

std::uint64_t seed_of(std::uint64_t seed, std::uint64_t look) {
  const auto words = random_words({seed, Purpose::reasons, Stream::kShared - 1}, look, 0);
  return std::uint64_t{words[0]} << 32 | words[1];
}

/// Options of a relaxed problem: one of `count` whose results can be reported, or picked from. What
/// its advice spends is a share of the error of that sentence. Where queries are expensive the
/// search does not go on after its first rows.
ExplainOptions relaxed(const ReasonsProblem& problem, std::uint64_t look, Sentence sentence,
                       std::size_t count) {
  const ExplainOptions& options = problem.options;
  ExplainOptions out = options;
  out.reasons = false;
  out.prove.reset();
  out.time_limit.reset();
  out.seed = seed_of(options.seed, look);
  out.certify.share = sentence_share(sentence, count);
  auto& method = std::get<Certified>(out.method);
  method.certificate.reset();
  method.certificate = certificate_plan(out);
  if (problem.model->queries_are_expensive()) {
    const CertifiedSettings settings = settings_of(method, true);
    method.search_budget = std::min(settings.search_budget, settings.soft_search_budget);
  }
  return out;
}

bool can_certify(const ExplainOptions& options) {
  const auto& method = std::get<Certified>(options.method);
  const CertifyOptions& certify = options.certify;
  if (person_error(certify.confidence, certify.family) * certify.share < kLeastError) return false;
  if (!can_certify_models(options)) return false;
  const CertificatePlan plan = method.certificate.value();
  return largest_passing_count(plan.samples, method.target, attempt_confidence(plan.confidence, 0))
      .has_value();
}

using Group = std::vector<Hindered>;
using Found = std::function<void(const Hindered&, const Explanation&)>;

/// Solves one relaxed problem for its people; `found` hears of those who get certified advice.
void solve(const ReasonsProblem& problem, const Codec& codec, const ExplainOptions& options,
           const Group& group, const std::stop_token& stop, const Found& found) {
  if (!can_certify(options)) return;
  std::vector<Person> people;
  people.reserve(group.size());
  for (const Hindered& one : group) people.push_back(*one.person);
  ExplainOptions alone = options;
  std::get<Certified>(alone.method).certificate.reset();  // the explainer's to derive
  const std::vector<Explanation> answers =
      Explainer(problem.model, codec, std::move(alone)).explain(people, stop);
  if (answers.size() < people.size()) return;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (answers[i].target_met.value_or(false)) found(group[i], answers[i]);
  }
}

Relaxation relaxation(RelaxationKind kind, double value, const Limit& limit,
                      const Explanation& answer) {
  return {.kind = kind,
          .value = value,
          .limit = limit,
          .after = answer.after,
          .distance = answer.distance,
          .certificate = answer.certificate.value_or(Certificate{})};
}

/// The next multiple of the second significant digit, `steps` further: 0.0831 -> 0.084.
double rounded_up(double value, int steps) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return std::round((std::ceil(value / unit - 1e-9) + steps) * unit * 1e9) / 1e9;
}

/// The least rounded target that a point of this rate is expected to be certified for.
double certifiable_target(double rate, const Certified& method) {
  const CertificatePlan plan = method.certificate.value();
  const auto samples = static_cast<double>(plan.samples);
  double target = rounded_up(std::max({rate, 1 / samples, method.target}), 0);
  while (target < 1) {
    const auto most =
        largest_passing_count(plan.samples, target, attempt_confidence(plan.confidence, 0));
    const double reserve = 2 * std::sqrt(samples * target * (1 - target));
    if (most && static_cast<double>(*most) - reserve >= rate * samples) return target;
    target = rounded_up(target, 1);
  }
  return target;
}

void add_targets(const ReasonsProblem& problem, Group people, const std::stop_token& stop) {
  for (std::size_t round = 0; round < kTargetRounds && !people.empty(); ++round) {
    ExplainOptions options =
        relaxed(problem, kTargetLook + round, Sentence::relaxed_target, kTargetRounds);
    auto& method = std::get<Certified>(options.method);
    const double asked = method.target;
    std::map<double, Group> groups;
    for (const Hindered& one : people) {
      const double rate = one.obstacle->lowest.value_or(Certificate{}).rate;
      const double target = rounded_up(certifiable_target(rate, method), kTargetSteps[round]);
      if (target > asked && target < 1) groups[target].push_back(one);
    }
    for (const auto& [target, group] : groups) {
      if (stop.stop_requested()) return;
      method.target = target;
      solve(problem, problem.codec, options, group, stop,
            [&, value = target](const Hindered& one, const Explanation& answer) {
              one.obstacle->relaxations.push_back(
                  relaxation(RelaxationKind::target, value, {}, answer));
              std::erase_if(people,
                            [&](const Hindered& other) { return other.answer == one.answer; });
            });
      method.target = asked;
    }
  }
}

void add_noises(const ReasonsProblem& problem, const Group& people, const std::stop_token& stop) {
  struct State {
    Hindered one;
    int works = 0;  ///< without noise a valid point is enough
    int fails = kNoiseParts;
    std::optional<Relaxation> best = {};
  };
  std::vector<State> states;
  for (const Hindered& one : people) states.push_back({one});
  for (std::size_t round = 0; round < kNoiseRounds; ++round) {
    std::map<int, std::vector<State*>> groups;
    for (State& state : states) {
      if (state.fails - state.works > 1) {
        groups[(state.works + state.fails) / 2].push_back(&state);
      }
    }
    for (const auto& [parts, members] : groups) {
      if (stop.stop_requested()) return;
      const double factor = static_cast<double>(parts) / kNoiseParts;
      ExplainOptions options = relaxed(problem, kNoiseLook + static_cast<std::uint64_t>(parts),
                                       Sentence::relaxed_noise, kNoiseRounds);
      options.noise = scaled(options.noise.value(), factor);
      Group group;
      for (const State* state : members) group.push_back(state->one);
      solve(problem, problem.codec, options, group, stop,
            [&, tried = parts](const Hindered& one, const Explanation& answer) {
              State& state = **std::ranges::find(members, one.answer,
                                                 [](const State* s) { return s->one.answer; });
              state.works = tried;
              state.best = relaxation(RelaxationKind::noise, factor, {}, answer);
            });
      for (State* state : members) {
        if (state->works < parts) state->fails = parts;
      }
    }
  }
  for (State& state : states) {
    if (state.best) state.one.obstacle->relaxations.push_back(std::move(*state.best));
  }
}

/// How far a lifted limit may be overstepped: to what the training data show or by half the range,
/// whichever is further, but not below zero where no datum is. None when that leads nowhere.
std::optional<double> lifted(const Feature& feature, const FeatureScale& scale, bool upper) {
  const double low = std::min(feature.minimum.value_or(scale.minimum), scale.minimum);
  const double high = std::max(feature.maximum.value_or(scale.maximum), scale.maximum);
  const double further = (high - low) / 2;
  double out = upper ? high + further : low - further;
  if (low >= 0 && out < 0) out = 0;
  if (high <= 0 && out > 0) out = 0;
  const double limit = upper ? feature.maximum.value_or(out) : feature.minimum.value_or(out);
  if (out == limit) return std::nullopt;
  return out;
}

/// The codec with one limit lifted. A freed column without a range of its own keeps to what the
/// training data show.
std::optional<Codec> freed(const Codec& codec, const Limit& limit) {
  Schema schema = codec.schema();
  if (limit.kind == LimitKind::relation) {
    schema.relations.erase(schema.relations.begin() + std::ptrdiff_t(limit.feature));
    return codec.with_schema(std::move(schema));
  }
  Feature& feature = schema.features[limit.feature];
  const FeatureScale& scale = codec.scales()[limit.feature];
  switch (limit.kind) {
    case LimitKind::levels:
      feature.moves.clear();
      feature.movement = Movement::both;
      break;
    case LimitKind::fixed:
      feature.movement = Movement::both;
      if (feature.type == FeatureType::categorical) break;
      if (!feature.minimum) feature.minimum = scale.minimum;
      if (!feature.maximum) feature.maximum = scale.maximum;
      break;
    case LimitKind::no_rise:
    case LimitKind::no_fall:
      feature.movement = Movement::both;
      break;
    case LimitKind::minimum:
      feature.minimum = lifted(feature, scale, false);
      if (!feature.minimum) return std::nullopt;
      break;
    case LimitKind::maximum:
      feature.maximum = lifted(feature, scale, true);
      if (!feature.maximum) return std::nullopt;
      break;
    case LimitKind::step:
      feature.step = 0;
      break;
    case LimitKind::max_change:
      feature.max_change.reset();
      break;
    case LimitKind::relation:
      break;
  }
  try {
    return codec.with_schema(std::move(schema));
  } catch (const DataError&) {
    return std::nullopt;  // such as a training range that holds no step
  }
}

/// Limits that can be reported of a person at most: of each feature what ends its range, or its
/// moves, and its steps; every relation.
std::size_t most_limits(const Schema& schema) {
  std::size_t count = schema.relations.size();
  for (const Feature& feature : schema.features) {
    if (feature.changeable_by == ChangeableBy::nobody) continue;
    count += feature.step > 0 ? 2 : 1;
  }
  return std::max<std::size_t>(count, 1);
}

void add_features(const ReasonsProblem& problem, const Group& people, const std::stop_token& stop) {
  const std::size_t most = most_limits(problem.codec.schema());
  const bool few = problem.model->queries_are_expensive();
  std::map<std::pair<std::size_t, LimitKind>, Group> groups;
  for (const Hindered& one : people) {
    std::size_t lifted = 0;
    for (const Limit& limit : one.obstacle->limits) {
      // What nobody can change is no relaxation: whoever sets the rules cannot lift it either.
      if (limit.kind == LimitKind::relation ||
          problem.codec.schema().features[limit.feature].changeable_by == ChangeableBy::nobody) {
        continue;
      }
      if (few && lifted == kMostLifted) {
        one.obstacle->cut_short = true;
        break;
      }
      ++lifted;
      groups[{limit.feature, limit.kind}].push_back(one);
    }
    // There are few relations, and one that does not bind at the best point may lead to another.
    for (std::size_t i = 0; i < problem.codec.schema().relations.size(); ++i) {
      groups[{i, LimitKind::relation}].push_back(one);
    }
  }
  std::map<const Explanation*, std::vector<Relaxation>> solved;
  for (const auto& [key, group] : groups) {
    if (stop.stop_requested()) return;
    const Limit limit{key.first, key.second};
    const std::optional<Codec> codec = freed(problem.codec, limit);
    if (!codec) continue;
    const std::uint64_t look =
        kFeatureLook + kLimitKinds * limit.feature + static_cast<std::uint64_t>(limit.kind);
    solve(problem, *codec, relaxed(problem, look, Sentence::relaxed_limit, most), group, stop,
          [&](const Hindered& one, const Explanation& answer) {
            const bool relation = limit.kind == LimitKind::relation;
            solved[one.answer].push_back(relaxation(
                relation ? RelaxationKind::relation : RelaxationKind::feature, 0, limit, answer));
          });
  }
  for (const Hindered& one : people) {
    std::vector<Relaxation>& list = solved[one.answer];
    std::ranges::stable_sort(list, {}, [](const Relaxation& r) { return r.distance.cost; });
    std::ranges::move(list, std::back_inserter(one.obstacle->relaxations));
  }
}

}  // namespace

void add_relaxations(const ReasonsProblem& problem, std::span<const Hindered> people,
                     const std::stop_token& stop) {
  Group reachable;
  Group all;
  for (const Hindered& one : people) {
    // Whoever was tried on certifying models has spent the error over models on that.
    if (one.answer->model_change) continue;
    all.push_back(one);
    if (one.obstacle->lowest) reachable.push_back(one);
  }
  add_targets(problem, reachable, stop);
  add_noises(problem, reachable, stop);
  add_features(problem, all, stop);
}

}  // namespace croco
