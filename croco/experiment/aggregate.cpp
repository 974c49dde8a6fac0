// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/aggregate.hpp>

#include <algorithm>
#include <utility>

#include <croco/base/numbers.hpp>
#include <croco/base/statistics.hpp>
#include <croco/data/csv.hpp>

namespace croco {
namespace {

double share(std::size_t count, std::size_t total) {
  return total == 0 ? 0 : static_cast<double>(count) / static_cast<double>(total);
}

std::string text_of(double value) { return format_fixed(value, 6); }
std::string text_of(const std::optional<double>& value) { return value ? text_of(*value) : ""; }

std::vector<std::string> key_of(const Experiment& experiment, const Configuration& cell) {
  return {experiment.datasets[cell.dataset].name, experiment.noises[cell.noise].name,
          cell.target ? format_number(*cell.target) : "", experiment.methods[cell.method].name};
}

}  // namespace

Aggregate aggregate(const ConfigurationResult& result) {
  Aggregate out;
  out.people = result.people.size();
  std::vector<double> l1;
  std::vector<double> l2;
  std::vector<double> cost;
  std::vector<double> changed;
  std::vector<double> rate;
  std::vector<double> soft;
  std::vector<double> bound;
  std::vector<double> upper;
  std::size_t valid = 0;
  std::size_t met = 0;
  std::size_t rate_above = 0;
  std::size_t upper_above = 0;
  std::size_t bound_met = 0;
  const std::optional<double> target = result.configuration.target;
  for (const PersonResult& person : result.people) {
    if (person.status == Status::already || person.status == Status::error) continue;
    ++out.asked;
    if (!person.has_advice()) continue;
    ++out.advised;
    valid += person.valid ? 1U : 0U;
    met += person.status == Status::found ? 1U : 0U;
    l1.push_back(person.l1);
    l2.push_back(person.l2);
    cost.push_back(person.cost);
    changed.push_back(static_cast<double>(person.features_changed));
    rate.push_back(person.rate);
    soft.push_back(person.soft_rate);
    bound.push_back(person.paper_bound);
    upper.push_back(person.upper);
    out.paper_bound_broken += person.rate > person.paper_bound ? 1U : 0U;
    if (!target) continue;
    rate_above += person.rate > *target ? 1U : 0U;
    upper_above += person.upper > *target ? 1U : 0U;
    bound_met += person.paper_bound <= *target ? 1U : 0U;
    out.contradicted += person.upper <= *target && person.rate > *target ? 1U : 0U;
  }
  out.validity = share(valid, out.asked);
  out.rule_met = share(met, out.asked);
  out.l1_mean = mean_of(l1);
  out.l1_sd = deviation_of(l1);
  out.l1_median = median_of(std::move(l1));
  out.l2_mean = mean_of(l2);
  out.cost_mean = mean_of(cost);
  out.features_changed_mean = mean_of(changed);
  out.rate_mean = mean_of(rate);
  out.rate_sd = deviation_of(rate);
  out.rate_max = rate.empty() ? 0 : *std::ranges::max_element(rate);
  out.soft_rate_mean = mean_of(soft);
  out.paper_bound_mean = mean_of(bound);
  out.upper_mean = mean_of(upper);
  if (target && out.advised > 0) {
    out.rate_above_target = share(rate_above, out.advised);
    out.upper_above_target = share(upper_above, out.advised);
    out.paper_bound_met = share(bound_met, out.advised);
  }
  std::vector<double> over;
  for (const std::optional<double>& ratio : result.over_lower) {
    if (ratio) over.push_back(*ratio);
  }
  out.proved = over.size();
  if (!over.empty()) {
    out.over_lower_mean = mean_of(over);
    out.over_lower_max = *std::ranges::max_element(over);
  }
  if (result.time && out.asked > 0) {
    const double per_person = 1e3 / static_cast<double>(out.asked);
    out.ms_per_person = result.time->elapsed * per_person;
    out.processor_ms_per_person = result.time->processor * per_person;
  }
  return out;
}

std::string summary_csv(const Experiment& experiment, std::span<const ConfigurationResult> results,
                        std::span<const Aggregate> aggregates) {
  std::string out = csv_record({"dataset",
                                "noise",
                                "target",
                                "method",
                                "people",
                                "asked",
                                "advised",
                                "validity",
                                "rule_met",
                                "l1_mean",
                                "l1_sd",
                                "l1_median",
                                "l2_mean",
                                "cost_mean",
                                "features_changed",
                                "rate_mean",
                                "rate_sd",
                                "rate_max",
                                "rate_above_target",
                                "soft_rate_mean",
                                "paper_bound_mean",
                                "paper_bound_met",
                                "paper_bound_broken",
                                "upper_mean",
                                "upper_above_target",
                                "contradicted",
                                "proved",
                                "over_lower_mean",
                                "over_lower_max"});
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Aggregate& a = aggregates[i];
    std::vector<std::string> fields = key_of(experiment, results[i].configuration);
    fields.insert(fields.end(), {std::to_string(a.people),
                                 std::to_string(a.asked),
                                 std::to_string(a.advised),
                                 text_of(a.validity),
                                 text_of(a.rule_met),
                                 text_of(a.l1_mean),
                                 text_of(a.l1_sd),
                                 text_of(a.l1_median),
                                 text_of(a.l2_mean),
                                 text_of(a.cost_mean),
                                 text_of(a.features_changed_mean),
                                 text_of(a.rate_mean),
                                 text_of(a.rate_sd),
                                 text_of(a.rate_max),
                                 text_of(a.rate_above_target),
                                 text_of(a.soft_rate_mean),
                                 text_of(a.paper_bound_mean),
                                 text_of(a.paper_bound_met),
                                 std::to_string(a.paper_bound_broken),
                                 text_of(a.upper_mean),
                                 text_of(a.upper_above_target),
                                 std::to_string(a.contradicted),
                                 std::to_string(a.proved),
                                 text_of(a.over_lower_mean),
                                 text_of(a.over_lower_max)});
    out += csv_record(fields);
  }
  return out;
}

std::string times_csv(const Experiment& experiment, std::span<const ConfigurationResult> results,
                      std::span<const Aggregate> aggregates) {
  std::string out = csv_record({"dataset", "noise", "target", "method", "asked", "ms_per_person",
                                "processor_ms_per_person"});
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!aggregates[i].ms_per_person) continue;
    std::vector<std::string> fields = key_of(experiment, results[i].configuration);
    fields.insert(fields.end(),
                  {std::to_string(aggregates[i].asked), text_of(aggregates[i].ms_per_person),
                   text_of(aggregates[i].processor_ms_per_person)});
    out += csv_record(fields);
  }
  return out;
}

}  // namespace croco
