// SPDX-License-Identifier: Apache-2.0
#include <croco/report/obstacle_text.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/recommended_value.hpp>

namespace croco {
namespace {

/// More is in the JSON report.
constexpr std::size_t kMostLimits = 4;
constexpr std::size_t kMostFeatures = 3;

const RelationRule& relation_of(const ReportContext& context, const Limit& limit) {
  return context.codec.schema().relations[limit.feature];
}

const Feature& feature_of(const ReportContext& context, const Limit& limit) {
  return context.codec.schema().features[limit.feature];
}

/// What nobody can change is named, but nothing is said of a world in which it could be.
bool is_inherent(const ReportContext& context, const Limit& limit) {
  return limit.kind != LimitKind::relation &&
         feature_of(context, limit).changeable_by == ChangeableBy::nobody;
}

std::string number_text(const std::optional<double>& value, const Feature& feature) {
  return with_unit(feature, fmt::format("{:.6g}", value.value_or(0)));
}

/// "Income 40 k -> 75 k, debt 10 -> 2.5"; "no change" when there is none.
std::string change_list(const ReportContext& context, const Record& before, const Record& after) {
  const std::vector<Feature>& features = context.codec.schema().features;
  std::vector<std::string> parts;
  for (std::size_t f = 0; f < std::min({features.size(), before.size(), after.size()}); ++f) {
    if (before[f] == after[f]) continue;
    parts.push_back(fmt::format("{} {} -> {}", features[f].display_name(),
                                shortened(features[f], before[f], parse_number(after[f])),
                                with_unit(features[f], after[f])));
  }
  return parts.empty() ? "no change" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string lowest_phrase(const Certificate& lowest) {
  return fmt::format("{} (at most {}, {} confidence, from {} samples of its own)",
                     percent(lowest.rate), percent(lowest.upper),
                     confidence_text(lowest.confidence), with_thousands(lowest.samples));
}

/// A search that finds nothing proves nothing, and neither does the sentence then.
std::string reach_phrase(const Obstacle& obstacle) {
  if (!obstacle.proved) return "seems out of reach";
  return obstacle.out_of_reach < 1
             ? fmt::format("is out of reach of every admissible change (proved, {} confidence)",
                           confidence_text(obstacle.out_of_reach))
             : std::string("is out of reach of every admissible change (proved)");
}

std::string kind_sentence(const ReportContext& context, const Explanation& explanation,
                          const Obstacle& obstacle) {
  const Certificate lowest = obstacle.lowest.value_or(Certificate{});
  const std::string wanted = class_name(context, context.goal.wanted());
  const std::string best = change_list(context, explanation.before, obstacle.record);
  const std::string target = percent(context.target.value_or(0));
  switch (obstacle.kind) {
    case ObstacleKind::relations:
      return "No admissible change keeps all relations between the features.";
    case ObstacleKind::no_valid_point:
      return fmt::format(
          "No admissible change {} after which the answer is {}, even if it is carried out "
          "exactly{}; the best score found is {:.3f}, with {}.",
          obstacle.proved ? "exists" : "was found", wanted,
          obstacle.proved             ? " (proved)"
          : obstacle.out_of_reach > 0 ? fmt::format("; that none meets the target of {} is proved, "
                                                    "{} confidence",
                                                    target, confidence_text(obstacle.out_of_reach))
                                      : std::string(),
          obstacle.score, best);
    case ObstacleKind::steps:
      return fmt::format(
          "A solution exists between the steps in which values are given; on the steps none {}.",
          obstacle.proved ? "exists" : "was found");
    case ObstacleKind::target:
      return fmt::format("The target of {} {}: the lowest failure rate found is {}, with {}.",
                         target, reach_phrase(obstacle), lowest_phrase(lowest), best);
    case ObstacleKind::time:
      return "The time limit was reached before it was known why.";
    case ObstacleKind::models:
      return fmt::format(
          "The model in use is no obstacle to the target of {}, but retrained models disagree "
          "about "
          "this person{}.",
          target,
          explanation.model_change ? "" : ": no change was found that enough of them accept");
    case ObstacleKind::samples:
      break;
  }
  const std::string could =
      obstacle.samples_needed
          ? fmt::format("about {} could", with_thousands(*obstacle.samples_needed))
          : std::string("and the gap is too small for any number");
  return fmt::format(
      "A failure rate of {} is within reach, below the target of {}, but {} samples could not "
      "certify it; {}. It takes: {}.",
      lowest_phrase(lowest), target, with_thousands(lowest.samples), could, best);
}

std::string limits_sentence(const ReportContext& context, const Obstacle& obstacle) {
  if (obstacle.limits.empty()) return "No limit of a feature holds it up there.";
  std::vector<std::string> parts;
  for (const Limit& limit : obstacle.limits) {
    if (parts.size() == kMostLimits) break;
    parts.push_back(limit_phrase(context, limit));
  }
  std::string text = fmt::format("What holds it there: {}", fmt::join(parts, "; "));
  if (obstacle.limits.size() > parts.size()) {
    text += fmt::format("; and {} more", obstacle.limits.size() - parts.size());
  }
  return text + ".";
}

/// "age could change"
std::string condition(const ReportContext& context, const Limit& limit) {
  if (limit.kind == LimitKind::relation) {
    return fmt::format("the relation '{}' need not hold", relation_of(context, limit).name);
  }
  const Feature& feature = feature_of(context, limit);
  const std::string& name = feature.display_name();
  switch (limit.kind) {
    case LimitKind::fixed:
      return fmt::format("{} could change", name);
    case LimitKind::levels:
      return fmt::format("{} could go to any of its levels", name);
    case LimitKind::no_rise:
      return fmt::format("{} could rise", name);
    case LimitKind::no_fall:
      return fmt::format("{} could fall", name);
    case LimitKind::minimum:
      return fmt::format("{} could go below {}", name, number_text(feature.minimum, feature));
    case LimitKind::maximum:
      return fmt::format("{} could go above {}", name, number_text(feature.maximum, feature));
    case LimitKind::max_change:
      return fmt::format("{} could change by more than {}", name,
                         number_text(feature.max_change, feature));
    case LimitKind::step:
    case LimitKind::relation:
      break;
  }
  return fmt::format("{} could be given more finely than in steps of {}", name,
                     with_unit(feature, format_number(feature.step)));
}

/// What could be decided by whoever sets the rules.
std::string setting_sentence(const ReportContext& context, const Explanation& explanation,
                             const Obstacle& obstacle) {
  std::vector<std::string> parts;
  for (const Relaxation& relaxation : obstacle.relaxations) {
    const std::string change = change_list(context, explanation.before, relaxation.after);
    if (relaxation.kind == RelaxationKind::target) {
      parts.push_back(fmt::format("with a target of {} ({})", percent(relaxation.value), change));
    } else if (relaxation.kind == RelaxationKind::noise) {
      parts.push_back(fmt::format("with {:.4g} times the noise{} ({})", relaxation.value,
                                  context.noise.flips.empty() ? "" : " and the flips", change));
    }
  }
  if (parts.empty()) return {};
  return fmt::format("It would be certified {}.", fmt::join(parts, ", or "));
}

/// Never advice: a limit may be there because nobody can change the feature.
std::string feature_sentence(const ReportContext& context, const Explanation& explanation,
                             const Obstacle& obstacle) {
  std::vector<std::string> parts;
  std::size_t more = 0;
  for (const Relaxation& relaxation : obstacle.relaxations) {
    const bool limit =
        relaxation.kind == RelaxationKind::feature || relaxation.kind == RelaxationKind::relation;
    if (!limit) continue;
    if (parts.size() == kMostFeatures) {
      ++more;
      continue;
    }
    const CostKind kind = context.codec.cost_kind();
    parts.push_back(
        fmt::format("if {} ({}; {} {:.3g})", condition(context, relaxation.limit),
                    change_list(context, explanation.before, relaxation.after),
                    kind == CostKind::l1 ? "cost" : fmt::format("{} cost", name_of(kind)),
                    relaxation.distance.cost));
  }
  if (parts.empty()) {
    const bool liftable = std::ranges::any_of(
        obstacle.limits, [&](const Limit& limit) { return !is_inherent(context, limit); });
    return liftable && !obstacle.cut_short
               ? "Lifting one of these limits alone gives no certified answer."
               : "";
  }
  std::string text = fmt::format("It would be possible {}", fmt::join(parts, ", or "));
  if (more > 0) text += fmt::format("; lifting one of {} other limits would give it too", more);
  return text + ". This says what decides, not what anybody should change.";
}

}  // namespace

std::string limit_phrase(const ReportContext& context, const Limit& limit) {
  if (limit.kind == LimitKind::relation) {
    const RelationRule& rule = relation_of(context, limit);
    return fmt::format("the relation '{}' ({})", rule.name,
                       relation_text(context.codec.schema(), rule));
  }
  const Feature& feature = feature_of(context, limit);
  const std::string& name = feature.display_name();
  switch (limit.kind) {
    case LimitKind::fixed:
      return name + (is_inherent(context, limit) ? ", which nobody can change" : " cannot change");
    case LimitKind::levels:
      return fmt::format("{} may only go to some of its levels", name);
    case LimitKind::no_rise:
      return fmt::format("{} may only fall", name);
    case LimitKind::no_fall:
      return fmt::format("{} may only rise", name);
    case LimitKind::minimum:
      return fmt::format("{} ends at {}", name, number_text(feature.minimum, feature));
    case LimitKind::maximum:
      return fmt::format("{} ends at {}", name, number_text(feature.maximum, feature));
    case LimitKind::max_change:
      return fmt::format("{} may change by {} at most", name,
                         number_text(feature.max_change, feature));
    case LimitKind::step:
    case LimitKind::relation:
      break;
  }
  return fmt::format("{} is given in steps of {}", name,
                     with_unit(feature, format_number(feature.step)));
}

std::string most_changes_phrase(const ReportContext& context) {
  return fmt::format("advice may change {} features at most", context.codec.space().most_changed);
}

std::string broken_sentence(const ReportContext& context, const Explanation& explanation) {
  if (!explanation.broken || !explanation.broken->any()) return {};
  std::vector<std::string> parts;
  for (const Limit& limit : explanation.broken->limits) {
    parts.push_back(limit_phrase(context, limit));
  }
  if (explanation.broken->too_many_changes) parts.push_back(most_changes_phrase(context));
  return fmt::format("It breaks {} of the schema: {}.", parts.size() == 1 ? "a rule" : "rules",
                     fmt::join(parts, "; "));
}

std::string broken_field(const ReportContext& context, const Explanation& explanation) {
  if (!explanation.broken) return {};
  std::vector<std::string> parts;
  for (const Limit& limit : explanation.broken->limits) {
    parts.push_back(fmt::format("{}:{}", name_of(limit.kind),
                                limit.kind == LimitKind::relation
                                    ? relation_of(context, limit).name
                                    : feature_of(context, limit).name));
  }
  if (explanation.broken->too_many_changes) parts.emplace_back("max_changes");
  return fmt::format("{}", fmt::join(parts, " "));
}

std::vector<std::string> obstacle_sentences(const ReportContext& context,
                                            const Explanation& explanation) {
  if (!explanation.obstacle) return {};
  const Obstacle& obstacle = *explanation.obstacle;
  std::vector<std::string> out{kind_sentence(context, explanation, obstacle)};
  if (obstacle.kind == ObstacleKind::time) return out;
  const bool no_limits = obstacle.kind == ObstacleKind::models && obstacle.limits.empty();
  if (no_limits) {
    const std::string setting = setting_sentence(context, explanation, obstacle);
    if (!setting.empty()) out.push_back(setting);
    return out;
  }
  if (!obstacle.cut_short || !obstacle.limits.empty()) {
    out.push_back(limits_sentence(context, obstacle));
  }
  for (std::string sentence : {setting_sentence(context, explanation, obstacle),
                               feature_sentence(context, explanation, obstacle)}) {
    if (!sentence.empty()) out.push_back(std::move(sentence));
  }
  if (obstacle.cut_short) {
    out.emplace_back(
        "The look for more ended early, by the time limit or because the model takes long to ask.");
  }
  return out;
}

std::string relaxations_field(const ReportContext& context, const Explanation& explanation) {
  if (!explanation.obstacle) return {};
  std::vector<std::string> parts;
  for (const Relaxation& relaxation : explanation.obstacle->relaxations) {
    if (relaxation.kind == RelaxationKind::relation) {
      parts.push_back("relation:" + relation_of(context, relaxation.limit).name);
      continue;
    }
    parts.push_back(
        relaxation.kind == RelaxationKind::feature
            ? fmt::format("{}:{}", name_of(relaxation.limit.kind),
                          feature_of(context, relaxation.limit).name)
            : fmt::format("{}={}", name_of(relaxation.kind), format_number(relaxation.value)));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace croco
