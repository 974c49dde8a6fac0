// SPDX-License-Identifier: Apache-2.0
/// What a query budget is spent on: the surrogate that everybody shares, and the plan for a person.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>

#include <croco/explain/explain_options.hpp>
#include <croco/explain/surrogate_cache.hpp>
#include <croco/methods/surrogate/surrogate_search.hpp>
#include <croco/robustness/problem.hpp>
#include <croco/robustness/query_plan.hpp>

namespace croco {

/// Throws InvalidArgument naming the option and the rule; for a budget that is too small with the
/// number of rows that is needed. Does nothing without a budget.
void validate_query_budget(const LoadedModel& loaded, const ExplainOptions& options);

/// Certificates of advice that is there already, within `rows` rows a person: the samples that
/// they leave, and looks early enough to save some. Throws InvalidArgument when too few are left to
/// pass the target, if there is one, without a failure.
[[nodiscard]] CertifyOptions certificates_within(const LoadedModel& loaded, CertifyOptions options,
                                                 std::optional<double> target, std::size_t rows);

struct Spending {
  std::shared_ptr<const KeptSurrogate> surrogate;
  std::size_t rows = 0;  ///< of the model, for one alternative of a person
  QueryPlan plan;
  /// Of all certificates: with the target, the attempts, and samples that never overlap.
  CertifyOptions certify;
};

/// Asks the model for the shared rows, or takes the surrogate from the options' cache. `problem` is
/// of the model itself. None without a budget. `stop` ends it by Stopped.
[[nodiscard]] std::optional<Spending> spending(const LoadedModel& loaded, const Problem& problem,
                                               const ExplainOptions& options,
                                               const std::stop_token& stop = {});

/// The search on the surrogate; `problem` is of the surrogate, and must outlive it.
[[nodiscard]] std::unique_ptr<SurrogateSearch> make_surrogate_search(const Spending& spending,
                                                                     const Problem& problem,
                                                                     const ExplainOptions& options);

}  // namespace croco
