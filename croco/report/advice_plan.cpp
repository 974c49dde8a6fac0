// SPDX-License-Identifier: Apache-2.0
#include <croco/report/advice_plan.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/data/decimal.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/noise_words.hpp>
#include <croco/report/recommended_value.hpp>
#include <croco/space/distance.hpp>
#include <croco/space/levels.hpp>

namespace croco {
namespace {

/// More steps than these are a list, not a sentence.
constexpr std::size_t kMostInASentence = 3;
/// Features beside the plan that are named; more are counted.
constexpr std::size_t kMostNamed = 2;

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (k > 0) out += k + 1 == parts.size() ? " and " : ", ";
    out += parts[k];
  }
  return out;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] += 'A' - 'a';
  return text;
}

/// A label is a noun phrase, a column's name is not.
std::string noun(const Feature& feature) {
  return feature.label.empty() ? feature.name : "the " + feature.label;
}

/// How far a number goes, as people would write it.
std::string distance_text(const Feature& feature, double from, double to) {
  const double size = std::max(std::abs(from), std::abs(to));
  return with_unit(feature, grouped(decimal_text(std::abs(to - from), size)));
}

/// The schema's words for a change, or else the usual ones.
std::string phrase_of(const Feature& feature, const PlanStep& step, std::string_view before,
                      std::string_view after, double from, double to) {
  const AdviceValues values{.from = step.from,
                            .to = step.to,
                            .by = step.category ? "" : distance_text(feature, from, to)};
  const std::string_view key = step.category ? after : to > from ? "up" : "down";
  std::string words = feature.advice.any.empty() ? feature.advice.find(key) : feature.advice.any;
  for (const CategoryMove& move : feature.moves) {
    if (move.from == before && move.to == after && !move.advice.empty()) words = move.advice;
  }
  if (!words.empty()) return filled(words, values);
  if (step.category) {
    return fmt::format("change {} from '{}' to '{}'", noun(feature), step.from, step.to);
  }
  return fmt::format("{} {} from {} to {}", to > from ? "raise" : "lower", noun(feature), step.from,
                     step.to);
}

/// Puts a plan together, piece by piece.
class Planner {
 public:
  Planner(const ReportContext& context, const ProposedChange& change)
      : context_(context),
        change_(change),
        codec_(context.codec),
        features_(context.codec.schema().features) {}

  AdvicePlan plan() {
    plan_.cost = change_.distance.cost;
    plan_.level_price = change_.distance.level_price;
    add_steps();
    add_noise();
    plan_.action = action();
    add_promise();
    plan_.outlook = outlook();
    return std::move(plan_);
  }

 private:
  void add_steps() {
    std::map<std::size_t, double> prices;
    for (std::size_t j = 0; j < change_.point.size(); ++j) {
      if (change_.origin[j] == change_.point[j]) continue;
      const Column& column = codec_.space().columns[j];
      prices[codec_.feature_of(j)] +=
          column.continuous
              ? way_price(column, change_.origin[j], change_.point[j]) + column.touch_price
              : 0;
    }
    for (const OneHotGroup& group : codec_.space().groups) {
      const double price = level_price(codec_.space(), group, level_at(group, change_.origin),
                                       level_at(group, change_.point));
      // Encoded columns are features of their own; the one that is reached stands for the move.
      if (price > 0) {
        prices[codec_.feature_of(group.first + level_at(group, change_.point))] += price;
      }
    }
    for (const auto& [f, price] : prices) plan_.steps.push_back(step(f, price));
  }

  [[nodiscard]] PlanStep step(std::size_t f, double price) const {
    const Feature& feature = features_[f];
    PlanStep out{.feature = f,
                 .name = feature.display_name(),
                 .category = feature.type == FeatureType::categorical,
                 .from = recommended_value(feature, shortened(feature, change_.before[f],
                                                              parse_number(change_.after[f]))),
                 .to = recommended_value(feature, change_.after[f]),
                 .price = price};
    const std::size_t column = codec_.column_of(f);
    out.phrase = phrase_of(feature, out, change_.before[f], change_.after[f],
                           codec_.decode_number(f, change_.origin[column]),
                           codec_.decode_number(f, change_.point[column]));
    return out;
  }

  void add_noise() {
    const std::vector<std::size_t> missing = codec_.missing_features(change_.after);
    for (const NoiseOf& one : noise_by_feature(context_)) {
      // What stays missing has no noise.
      if (std::ranges::binary_search(missing, codec_.feature_of(one.column))) continue;
      const bool flips = one.kind == "flip";
      const Feature& feature = features_[codec_.feature_of(one.column)];
      if (flips || feature.type == FeatureType::numeric) {
        add_noise(one, flips);
      } else {
        add_blur(one, feature);
      }
    }
  }

  void add_noise(const NoiseOf& one, bool flips) {
    for (PlanStep& step : plan_.steps) {
      const std::size_t column = codec_.column_of(step.feature);
      if (column < one.column || column >= one.column + one.columns || step.noise) continue;
      step.noise = flips ? flip_noise(one) : number_noise(one);
      return;
    }
    const bool touched_only = context_.noise.scope == NoiseScope::changed && !flips;
    if (touched_only) return;
    const std::size_t first = codec_.feature_of(one.column);
    // Encoded one-hot columns are features of their own, named together.
    const bool several = codec_.feature_of(one.column + one.columns - 1) != first;
    plan_.other_noise.push_back(several ? one.name : noun(features_[first]));
  }

  /// Noise on one-hot columns has no meaning in the feature's terms.
  void add_blur(const NoiseOf& one, const Feature& feature) {
    for (PlanStep& step : plan_.steps) {
      if (&features_[step.feature] != &feature) continue;
      const double scale = std::max(one.value, step.noise ? step.noise->value : 0.0);
      step.noise =
          StepNoise{.kind = "blur", .value = scale, .text = "noise on its encoded columns"};
      return;
    }
    if (context_.noise.scope == NoiseScope::changed) return;
    const std::string name = noun(feature);
    if (std::ranges::find(plan_.other_noise, name) == plan_.other_noise.end()) {
      plan_.other_noise.push_back(name);
    }
  }

  [[nodiscard]] StepNoise number_noise(const NoiseOf& one) const {
    const Feature& feature = features_[codec_.feature_of(one.column)];
    return {.kind = one.kind,
            .value = one.value,
            .text = fmt::format("{} {}", one.kind == "half_width" ? "up to" : "about",
                                amount_text(feature, one.value))};
  }

  /// Of the level that is recommended.
  [[nodiscard]] std::optional<StepNoise> flip_noise(const NoiseOf& one) const {
    const auto flips = std::ranges::find_if(context_.noise.flips, [&](const LevelFlips& candidate) {
      return candidate.group().first == one.column;
    });
    const OneHotGroup& group = flips->group();
    const std::size_t level = level_at(group, change_.point);
    double wrong = 0;
    for (std::size_t to = 0; to < group.count; ++to) {
      if (to != level) wrong += flips->probability(level, to);
    }
    if (wrong == 0) return std::nullopt;
    return StepNoise{.kind = one.kind,
                     .value = wrong,
                     .text = fmt::format("{} of 100 cases", amount_text({}, 100 * wrong))};
  }

  [[nodiscard]] std::string action() const {
    if (plan_.steps.empty()) return "Change nothing.";
    std::vector<std::string> phrases;
    for (const PlanStep& step : plan_.steps) phrases.push_back(step.phrase);
    if (phrases.size() <= kMostInASentence) return capitalised(listed(phrases)) + ".";
    return fmt::format("Do all of this: {}.", fmt::join(phrases, "; "));
  }

  void add_promise() {
    if (!change_.certificate || !change_.valid) return;
    const Certificate& certificate = *change_.certificate;
    plan_.promise = PlanPromise{.cases = cases_of_hundred(certificate.upper),
                                .confidence = certificate.confidence,
                                .exact = certificate.bound == BoundKind::exact};
    if (context_.target) plan_.promise->target_met = certificate.upper <= *context_.target;
  }

  /// "you miss the amount by about 250 DM and the savings in 2 of 100 cases"; empty when every step
  /// is taken as exact.
  [[nodiscard]] std::string misses() const {
    const bool short_of = context_.noise.falls_short;
    std::vector<std::string> numbers;
    std::vector<std::string> categories;
    for (const PlanStep& step : plan_.steps) {
      if (!step.noise || step.noise->kind == "blur") continue;
      const bool flips = step.noise->kind == "flip";
      (flips ? categories : numbers)
          .push_back(fmt::format("{} {} {}", noun(features_[step.feature]), flips ? "in" : "by",
                                 step.noise->text));
    }
    if (short_of && !numbers.empty()) {
      const std::string fall = "fall short of " + listed(numbers);
      return categories.empty() ? fall : fmt::format("{} and miss {}", fall, listed(categories));
    }
    numbers.insert(numbers.end(), categories.begin(), categories.end());
    return numbers.empty() ? "" : "miss " + listed(numbers);
  }

  /// "Even if you miss ..., with the rest done as said and noise on 4 other entries,"
  [[nodiscard]] std::string condition() const {
    const std::string missed = misses();
    std::vector<std::string> beside;
    const bool some_exact =
        std::ranges::any_of(plan_.steps, [](const PlanStep& step) { return !step.noise; });
    if (!missed.empty() && some_exact) beside.emplace_back("the rest done as said");
    const std::string noisy = noisy_beside();
    if (!noisy.empty()) beside.push_back("noise on " + noisy);
    const std::string with = beside.empty() ? "" : ", with " + listed(beside);
    if (!missed.empty()) return fmt::format("Even if you {}{},", missed, with);
    const bool blurred = std::ranges::any_of(
        plan_.steps, [](const PlanStep& step) { return step.noise.has_value(); });
    if (!blurred) return fmt::format("Carried out exactly{},", with);
    return fmt::format("Carried out with {},", listed(beside));
  }

  /// What has noise and cannot be said as a miss: categories of the plan whose encoded columns are
  /// noisy, and entries beside the plan.
  [[nodiscard]] std::string noisy_beside() const {
    std::vector<std::string> names;
    for (const PlanStep& step : plan_.steps) {
      if (step.noise && step.noise->kind == "blur") names.push_back(noun(features_[step.feature]));
    }
    const std::vector<std::string>& others = plan_.other_noise;
    if (others.size() <= kMostNamed) {
      names.insert(names.end(), others.begin(), others.end());
    } else {
      names.push_back(fmt::format("{} other entries", others.size()));
    }
    return listed(names);
  }

  [[nodiscard]] std::string outlook() const {
    const std::string wanted = class_name(context_, context_.goal.wanted());
    if (!change_.valid) return fmt::format("The answer does not become {} with this.", wanted);
    if (!plan_.promise) return "No certificate says how often noise undoes this.";
    const bool exact =
        plan_.other_noise.empty() && std::ranges::none_of(plan_.steps, [](const PlanStep& step) {
          return step.noise.has_value();
        });
    if (exact) return fmt::format("Carried out exactly, this makes the answer {}.", wanted);
    std::string text =
        fmt::format("{} the answer stays {} in at least {} of 100 cases ({})", condition(), wanted,
                    cases_text(plan_.promise->cases), confidence_phrase(*change_.certificate));
    if (plan_.promise->target_met == false) {
      text += fmt::format(", fewer than the {} asked for",
                          cases_text(100 * (1 - context_.target.value_or(0))));
    }
    return text + ".";
  }

  const ReportContext& context_;
  const ProposedChange& change_;
  const Codec& codec_;
  const std::vector<Feature>& features_;
  AdvicePlan plan_;
};

}  // namespace

AdvicePlan make_advice_plan(const ReportContext& context, const ProposedChange& change) {
  return Planner(context, change).plan();
}

std::optional<AdvicePlan> advice_plan(const ReportContext& context,
                                      const Explanation& explanation) {
  if (!explanation.has_advice()) return std::nullopt;
  return make_advice_plan(context, {.before = explanation.before,
                                    .after = explanation.after,
                                    .origin = explanation.origin,
                                    .point = explanation.point,
                                    .certificate = explanation.certificate,
                                    .distance = explanation.distance,
                                    .valid = explanation.valid});
}

std::string outcome_and_promise(const ReportContext& context, const Explanation& explanation,
                                const AdvicePlan& plan) {
  const std::string then = outcome(context, explanation);
  return explanation.valid ? fmt::format("{} {}", then, plan.outlook) : then;
}

}  // namespace croco
