// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/audit_table.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/report/obstacle_text.hpp>

namespace croco {
namespace {

/// Costs at which curves are given, from 0 on.
constexpr std::size_t kCurvePoints = 50;
/// Costs beyond this quantile of the certified ones are not drawn.
constexpr double kCurveEnd = 0.98;

class TableMaker {
 public:
  TableMaker(std::span<const AuditedPerson> people, const std::vector<AuditAttribute>& attributes,
             const ReportContext& context, const GapOptions& options)
      : people_(people), context_(context) {
    out_.attributes = attributes;
    out_.options = options;
    for (std::size_t a = 0; a < attributes.size(); ++a) groupings_.push_back(grouping_of(a));
    for (const AuditedPerson& person : people) {
      if (!person.recourse) {
        ++out_.failed;
        continue;
      }
      ++out_.people;
      out_.refused += *person.recourse == Recourse::accepted ? 0U : 1U;
      numbers_.recourse.push_back(*person.recourse);
      numbers_.cost.push_back(person.cost);
      numbers_.plain.push_back(person.plain);
      numbers_.score.push_back(person.score);
    }
  }

  [[nodiscard]] AuditTable make() {
    const GroupStatements stated = state_gaps(numbers_, groupings_, out_.options);
    add_run(stated);
    for (std::size_t a = 0; a < groupings_.size(); ++a) {
      add_shares(a);
      for (const GroupStatement& one : stated.statements) {
        if (one.grouping == a && one.statistic.view == GapView::own) add_statement(one);
      }
      for (const GroupStatement& one : stated.statements) {
        if (one.grouping == a && one.statistic.view != GapView::own) add_statement(one);
      }
      add_support(a);
      add_levers(a);
      add_limits(a);
      add_curves(a);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] const AuditAttribute& attribute(std::size_t a) const { return out_.attributes[a]; }

  /// What a yes costs a person as a member of a group.
  [[nodiscard]] static std::optional<double> cost_as(const AuditedPerson& person, std::size_t a,
                                                     std::size_t group) {
    if (person.groups[a] == group) return person.cost;
    for (const AuditedPerson::Swap& swap : person.swaps) {
      if (swap.attribute == a && swap.group == group) return swap.cost;
    }
    return std::nullopt;
  }

  [[nodiscard]] Grouping grouping_of(std::size_t a) const {
    const AuditAttribute& of = attribute(a);
    Grouping out{.groups = of.groups.size(), .reference = of.reference};
    std::vector<std::vector<SwappedPerson>> swapped(of.groups.size());
    for (const AuditedPerson& person : people_) {
      if (!person.recourse) continue;
      const std::size_t place = out.group.size();
      out.group.push_back(person.groups[a]);
      for (std::size_t g = 0; g < of.groups.size(); ++g) {
        if (g == of.reference || (person.groups[a] != g && person.groups[a] != of.reference)) {
          continue;
        }
        const std::optional<double> own = cost_as(person, a, g);
        const std::optional<double> other = cost_as(person, a, of.reference);
        // Who is accepted either way says nothing of what a yes costs.
        if (own && other && (*own > 0 || *other > 0)) swapped[g].push_back({place, *own, *other});
      }
    }
    const auto is_empty = [](const auto& some) { return some.empty(); };
    if (!std::ranges::all_of(swapped, is_empty)) out.swapped = std::move(swapped);
    return out;
  }

  void add_run(const GroupStatements& stated) {
    const auto add = [&](const std::string& measure, double value) {
      out_.rows.push_back({.section = AuditSection::run,
                           .measure = measure,
                           .people = out_.people,
                           .value = value});
    };
    add("people", static_cast<double>(out_.people));
    add("refused", static_cast<double>(out_.refused));
    add("failed", static_cast<double>(out_.failed));
    if (context_.target) add("target", *context_.target);
    add("threshold", context_.goal.threshold());
    add("confidence", out_.options.confidence);
    add("resamples", static_cast<double>(out_.options.replicates));
    add("strata", static_cast<double>(out_.options.strata));
    add("least_people", static_cast<double>(out_.options.least_people));
    add("joint_statements", static_cast<double>(stated.joint));
    add("critical_value", stated.critical);
  }

  [[nodiscard]] AuditRow row_of(AuditSection section, std::size_t a, std::size_t group) const {
    return {
        .section = section, .attribute = attribute(a).column, .group = attribute(a).groups[group]};
  }

  void add_share(AuditRow row, std::size_t successes, std::size_t trials) {
    if (trials == 0) return;
    row.people = trials;
    row.value = static_cast<double>(successes) / static_cast<double>(trials);
    row.interval = wilson_interval(successes, trials, out_.options.confidence);
    row.small = trials < out_.options.least_people;
    out_.rows.push_back(std::move(row));
  }

  void add_shares(std::size_t a) {
    const GroupComparison groups(numbers_, groupings_[a], 0);
    for (std::size_t g = 0; g < groups.groups(); ++g) {
      const auto add = [&](std::string_view measure, std::size_t successes, std::size_t trials) {
        AuditRow row = row_of(AuditSection::group, a, g);
        row.measure = measure;
        add_share(std::move(row), successes, trials);
      };
      const std::size_t refused = groups.refused_of(g);
      add("refused", refused, groups.people_of(g));
      for (const Recourse one : {Recourse::certified, Recourse::impossible, Recourse::undecided}) {
        constexpr std::array<std::string_view, 4> kNames{"accepted", "certified", "impossible",
                                                         "undecided"};
        add(kNames[static_cast<std::size_t>(one)], groups.count_of(g, one), refused);
      }
    }
  }

  void add_statement(const GroupStatement& one) {
    const bool own = one.statistic.view == GapView::own;
    AuditRow row = row_of(own ? AuditSection::group : AuditSection::gap, one.grouping, one.group);
    row.measure = name_of(one.statistic.measure);
    if (one.statistic.quantile > 0) row.item = format_number(one.statistic.quantile);
    row.people = one.people;
    row.value = one.value.gap;
    row.interval = one.interval;
    row.joint = one.joint;
    row.small = one.small;
    if (!own) {
      row.view = name_of(one.statistic.view);
      row.reference = attribute(one.grouping).groups[attribute(one.grouping).reference];
      row.reference_people = one.reference_people;
      row.group_value = one.value.group;
      row.reference_value = one.value.reference;
    }
    out_.rows.push_back(std::move(row));
  }

  /// The share of the refused that standardised gaps are about.
  void add_support(std::size_t a) {
    if (out_.options.strata < 2) return;
    const GroupComparison groups(numbers_, groupings_[a], out_.options.strata);
    for (std::size_t g = 0; g < groups.groups(); ++g) {
      if (g == attribute(a).reference) continue;
      AuditRow row = row_of(AuditSection::gap, a, g);
      row.reference = attribute(a).groups[attribute(a).reference];
      row.view = name_of(GapView::standardised);
      row.measure = "common_support";
      row.people = groups.refused_of(g);
      row.reference_people = groups.refused_of(attribute(a).reference);
      row.value = groups.common_support(g);
      out_.rows.push_back(std::move(row));
    }
  }

  /// Counts something of people in one group, by its index.
  template <typename Items>
  [[nodiscard]] std::map<std::size_t, std::size_t> count_items(std::size_t a, std::size_t group,
                                                               bool certified, const Items& items,
                                                               std::size_t& trials) const {
    std::map<std::size_t, std::size_t> out;
    for (const AuditedPerson& person : people_) {
      if (!person.recourse || person.groups[a] != group) continue;
      const bool counts = certified ? *person.recourse == Recourse::certified
                                    : *person.recourse == Recourse::impossible ||
                                          *person.recourse == Recourse::undecided;
      if (!counts) continue;
      ++trials;
      for (const std::size_t item : items(person)) ++out[item];
    }
    return out;
  }

  /// A row for every item that any group has, in every group.
  template <typename Items, typename Name>
  void add_items(AuditSection section, std::size_t a, const Items& items, const Name& name) {
    const std::size_t count = attribute(a).groups.size();
    std::vector<std::map<std::size_t, std::size_t>> counts(count);
    std::vector<std::size_t> trials(count);
    std::map<std::size_t, std::size_t> all;
    for (std::size_t g = 0; g < count; ++g) {
      counts[g] = count_items(a, g, section == AuditSection::lever, items, trials[g]);
      for (const auto& [item, times] : counts[g]) all[item] += times;
    }
    std::vector<std::pair<std::size_t, std::size_t>> order(all.begin(), all.end());
    std::ranges::stable_sort(order, std::greater<>(), [](const auto& one) { return one.second; });
    for (const auto& [item, total] : order) {
      for (std::size_t g = 0; g < count; ++g) {
        AuditRow row = row_of(section, a, g);
        row.measure = section == AuditSection::lever ? "changed" : "held_back";
        row.item = name(item);
        add_share(std::move(row), counts[g][item], trials[g]);
      }
    }
  }

  void add_levers(std::size_t a) {
    add_items(
        AuditSection::lever, a, [](const AuditedPerson& person) { return person.changed; },
        [&](std::size_t feature) {
          return context_.codec.schema().features[feature].display_name();
        });
  }

  void add_limits(std::size_t a) {
    // A limit as one number: kind and feature, or relation.
    const auto items = [](const AuditedPerson& person) {
      std::vector<std::size_t> out;
      for (const Limit& limit : person.limits) {
        out.push_back(limit.feature * kLimitKinds + static_cast<std::size_t>(limit.kind));
      }
      std::ranges::sort(out);
      out.erase(std::ranges::unique(out).begin(), out.end());
      return out;
    };
    add_items(AuditSection::limit, a, items, [&](std::size_t item) {
      return limit_phrase(context_,
                          {item / kLimitKinds, static_cast<LimitKind>(item % kLimitKinds)});
    });
  }

  /// Where curves end: nearly all certified costs are below.
  [[nodiscard]] double curve_end() const {
    Vector costs;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (numbers_.recourse[i] == Recourse::certified) costs.push_back(numbers_.cost[i]);
    }
    if (costs.empty()) return 0;
    std::ranges::sort(costs);
    const auto rank = static_cast<std::size_t>(kCurveEnd * static_cast<double>(costs.size() - 1));
    const double end = costs[rank];
    if (!(end > 0)) return costs.back();
    // The next number of two digits, so that points of the curve are short numbers.
    const double unit = std::pow(10, std::floor(std::log10(end)) - 1);
    return std::ceil(end / unit) * unit;
  }

  void add_curves(std::size_t a) {
    const double end = curve_end();
    if (!(end > 0)) return;
    for (std::size_t g = 0; g < attribute(a).groups.size(); ++g) {
      Vector costs;
      for (std::size_t i = 0; i < numbers_.size(); ++i) {
        if (groupings_[a].group[i] == g && numbers_.recourse[i] != Recourse::accepted) {
          costs.push_back(numbers_.cost[i]);
        }
      }
      if (costs.empty()) continue;
      std::ranges::sort(costs);
      const double band = distribution_band(costs.size(), out_.options.confidence);
      for (std::size_t k = 0; k <= kCurvePoints; ++k) {
        const double at = end * static_cast<double>(k) / static_cast<double>(kCurvePoints);
        AuditRow row = row_of(AuditSection::curve, a, g);
        row.measure = "within_cost";
        row.item = format_fixed(at, 6);
        row.people = costs.size();
        row.value = static_cast<double>(std::ranges::upper_bound(costs, at) - costs.begin()) /
                    static_cast<double>(costs.size());
        row.interval = {std::max(0.0, row.value - band), std::min(1.0, row.value + band)};
        row.small = costs.size() < out_.options.least_people;
        out_.rows.push_back(std::move(row));
      }
    }
  }

  std::span<const AuditedPerson> people_;
  const ReportContext& context_;
  AuditTable out_;
  RecoursePopulation numbers_;  ///< of people who were answered
  std::vector<Grouping> groupings_;
};

}  // namespace

std::string_view name_of(AuditSection section) noexcept {
  constexpr std::array<std::string_view, 6> kNames{"run",   "group", "gap",
                                                   "lever", "limit", "curve"};
  return kNames[static_cast<std::size_t>(section)];
}

std::vector<const AuditRow*> AuditTable::of(AuditSection section,
                                            std::string_view attribute) const {
  std::vector<const AuditRow*> out;
  for (const AuditRow& row : rows) {
    if (row.section == section && row.attribute == attribute) out.push_back(&row);
  }
  return out;
}

AuditTable audit_table(std::span<const AuditedPerson> people,
                       const std::vector<AuditAttribute>& attributes, const ReportContext& context,
                       const GapOptions& options) {
  validate(options);
  return TableMaker(people, attributes, context, options).make();
}

}  // namespace croco
