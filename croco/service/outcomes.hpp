// SPDX-License-Identifier: Apache-2.0
/// What noise makes of a recommended record: outcomes for people to look at, from samples that
/// certify nothing.
#pragma once

#include <cstddef>
#include <stop_token>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// A feature that may deviate.
struct NoisyFeature {
  std::size_t feature = 0;
  bool category = false;
  std::size_t first = 0;  ///< encoded columns
  std::size_t columns = 1;
  double scale = 0.0;  ///< of the noise, in encoded units; 0 for a category
};

struct Outcome {
  bool reached = false;
  double logit = 0.0;
  Vector point = {};
  /// Of a failing outcome: places among the noisy features that, done exactly, would have saved it.
  std::vector<std::size_t> culprits = {};
};

struct Outcomes {
  std::vector<NoisyFeature> features = {};
  std::vector<Outcome> outcomes = {};
};

/// `count` outcomes of a point, from the samples of `Purpose::show`. Who made an outcome fail is
/// found out by asking the model again without one deviation, unless its answers are expensive.
/// Throws Stopped.
[[nodiscard]] Outcomes make_outcomes(const Problem& problem, const Codec& codec, View origin,
                                     View point, std::size_t count, const std::stop_token& stop);

}  // namespace croco
