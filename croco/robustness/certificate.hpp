// SPDX-License-Identifier: Apache-2.0
/// A statement about one point that holds with stated confidence: its invalidation rate is at most
/// `upper`. It rests on draws that no search ever saw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/base/bounds.hpp>
#include <croco/robustness/invalidation.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

struct CertifyOptions {
  BoundKind bound = BoundKind::clopper_pearson;
  std::size_t samples = 100'000;  ///< 1 .. 2^40
  double confidence = 0.999;      ///< in (0, 1)
  Purpose purpose = Purpose::certify;
  /// The draws used, when several attempts share one error budget: attempt i takes the i-th run of
  /// `samples` draws, and its bound the confidence that is left for it.
  std::size_t attempt = 0;
  std::optional<double> bound_confidence = {};
};

/// Throws InvalidArgument naming the field, the value and the rule.
void validate(const CertifyOptions& options);

struct Certificate {
  BoundKind bound = BoundKind::clopper_pearson;
  std::size_t samples = 0;
  std::size_t invalid = 0;
  double rate = 0.0;              ///< invalid / samples
  double upper = 1.0;             ///< the bound on the true rate
  double confidence = 0.0;        ///< of the statement, over all attempts
  double bound_confidence = 0.0;  ///< that the bound was computed with
  std::size_t attempt = 0;        ///< draws attempt * samples .. (attempt + 1) * samples - 1
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::certify;
  bool shared_draws = true;
};

/// One certificate per point, from the draws of the options' purpose; none at all when `stop` is
/// requested on the way.
[[nodiscard]] std::vector<Certificate> certify(const Problem& problem,
                                               std::span<const Advice> advice,
                                               const CertifyOptions& options, unsigned threads,
                                               const std::stop_token& stop = {});

}  // namespace croco
