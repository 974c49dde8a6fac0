// SPDX-License-Identifier: Apache-2.0
/// What `assess` and the explainer share: certificates of advice for a given problem.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/explain/assess.hpp>
#include <croco/loading/missing_values.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// See `assess`, for a problem whose noise, goal and seed are settled.
[[nodiscard]] std::vector<Explanation> assess(const Problem& problem, const Codec& codec,
                                              std::span<const AdvisedPerson> people,
                                              const CertifyOptions& options,
                                              std::optional<double> target, unsigned threads,
                                              const std::stop_token& stop = {},
                                              const MissingValues& missing = {});

/// Certifies every answer that has advice, and compares the bound with the target; does nothing
/// when `stop` is requested meanwhile.
void add_certificates(const Problem& problem, const CertifyOptions& options,
                      std::optional<double> target, unsigned threads,
                      std::span<Explanation* const> answers, const std::stop_token& stop = {});

}  // namespace croco
