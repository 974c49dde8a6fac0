// SPDX-License-Identifier: Apache-2.0
/// Judges advice that any tool made: is it valid, how far is it, how often does noise undo it?
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/data/codec.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/explain/missing_values.hpp>
#include <croco/robustness/certificate.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// A person and the record that a tool advised.
struct AdvisedPerson {
  Person before;
  Person after;
};

/// One answer per pair, in their order: `found` when the model gives the wanted answer at the
/// advised record, `unmet` when it does not, `error` when a record cannot be read. The points are
/// certified as they are: not rounded, not clamped; `broken` says which rules they break. Under
/// MissingPolicy::keep both records of a pair must lack the same values. Empty when `stop` is
/// requested on the way.
[[nodiscard]] std::vector<Explanation> assess(const Problem& problem, const Codec& codec,
                                              std::span<const AdvisedPerson> people,
                                              const CertifyOptions& options,
                                              std::optional<double> target, unsigned threads,
                                              const std::stop_token& stop = {},
                                              const MissingValues& missing = {});

/// Certifies every answer that has advice, and compares the bound with the target; does nothing
/// when `stop` is requested on the way.
void add_certificates(const Problem& problem, const CertifyOptions& options,
                      std::optional<double> target, unsigned threads,
                      std::span<Explanation* const> answers, const std::stop_token& stop = {});

}  // namespace croco
