// SPDX-License-Identifier: Apache-2.0
/// The options of `croco explain` about its answers: everything that decides what they say, apart
/// from the model and the people. A run is made again from these.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <apps/cli/command_line.hpp>
#include <apps/cli/options.hpp>
#include <apps/cli/retraining_options.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/report/context.hpp>

namespace croco::cli {

/// `--method` to `--time-limit`
struct AnswerOptions {
  NoiseOptions noise;
  GoalOptions goal;
  ProofOptions proof;
  MethodOptions search;
  RetrainingOptions retraining;
  std::string method = "certified";
  std::string missing = "error";
  std::string reasons = "on";
  std::size_t reason_codes = 0;
  bool plausibility = false;
  std::optional<double> time_limit;
  std::optional<std::size_t> query_budget;
  std::optional<std::size_t> shared_queries;
  std::optional<std::size_t> max_changes;
  std::size_t alternatives = 1;
  bool disjoint = false;
  bool prove = false;
  std::optional<double> prove_time;
  std::optional<double> prove_gap;
  std::optional<std::size_t> prove_samples;

  void add_to(Command& command);
  /// `people`: the rows of the run. The retrained models are for the caller to add. Throws
  /// InvalidArgument for options that do not fit together.
  [[nodiscard]] ExplainOptions resolve(const LoadedModel& loaded, Noise resolved_noise,
                                       std::size_t people) const;

 private:
  /// Throws InvalidArgument when --shared-queries is given without --query-budget.
  [[nodiscard]] std::optional<QueryBudget> resolve_budget() const;
  /// Throws InvalidArgument when a setting is given without --prove.
  [[nodiscard]] std::optional<ProveOptions> resolve_prove() const;
};

/// The options that were given and decide what the answers say, by name: not those that say where
/// the model and the people are or where reports go, nor how the work is divided.
[[nodiscard]] ReportRun report_run(const Command& command, std::size_t asked);

/// The options of a run as a manifest states them. Throws DataError naming `source` when they are
/// none of `croco explain`.
[[nodiscard]] AnswerOptions answer_options(const ReportRun& run, const std::string& source);

}  // namespace croco::cli
