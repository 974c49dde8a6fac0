// SPDX-License-Identifier: Apache-2.0
/// The results of one configuration in a few numbers, and of all of them in a table.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <croco/base/stopwatch.hpp>
#include <croco/experiment/configuration.hpp>
#include <croco/experiment/person_result.hpp>

namespace croco {

/// A finished cell of the grid.
struct ConfigurationResult {
  Configuration configuration;
  std::vector<PersonResult> people = {};
  /// Cost over the proven lower bound of the target, for each of `people` for whom one is known.
  std::vector<std::optional<double>> over_lower = {};
  std::optional<Duration> time = {};
};

/// Means, medians and standard deviations (of the population) are over the people with advice.
struct Aggregate {
  std::size_t people = 0;
  std::size_t asked = 0;  ///< whom the model rejects, and whose row could be read
  std::size_t advised = 0;
  double validity = 0.0;  ///< share of the asked with valid advice
  double rule_met = 0.0;  ///< share of the asked with the method's own rule met
  double l1_mean = 0.0;
  double l1_sd = 0.0;
  double l1_median = 0.0;
  double l2_mean = 0.0;
  double cost_mean = 0.0;
  double features_changed_mean = 0.0;
  double rate_mean = 0.0;
  double rate_sd = 0.0;
  double rate_max = 0.0;
  double soft_rate_mean = 0.0;
  double paper_bound_mean = 0.0;
  std::size_t paper_bound_broken = 0;  ///< measured rate above the paper's bound
  double upper_mean = 0.0;
  // Against the target, for methods that have one.
  std::optional<double> rate_above_target = {};  ///< share of the advised
  std::optional<double> upper_above_target = {};
  std::optional<double> paper_bound_met = {};
  std::size_t contradicted = 0;  ///< certified to meet the target, but measured above it
  std::size_t proved = 0;        ///< people with a proven lower bound
  std::optional<double> over_lower_mean = {};
  std::optional<double> over_lower_max = {};
  std::optional<double> ms_per_person = {};  ///< elapsed, per asked person
  std::optional<double> processor_ms_per_person = {};
};

[[nodiscard]] Aggregate aggregate(const ConfigurationResult& result);

/// The table of all configurations as CSV; without times, so that it is reproducible.
[[nodiscard]] std::string summary_csv(const Experiment& experiment,
                                      std::span<const ConfigurationResult> results,
                                      std::span<const Aggregate> aggregates);
/// The times alone.
[[nodiscard]] std::string times_csv(const Experiment& experiment,
                                    std::span<const ConfigurationResult> results,
                                    std::span<const Aggregate> aggregates);

}  // namespace croco
