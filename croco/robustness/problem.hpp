// SPDX-License-Identifier: Apache-2.0
/// The question that every method answers: which point of this space, near a person, does the
/// model accept, and how often does noise undo that?
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include <croco/base/types.hpp>
#include <croco/models/model.hpp>
#include <croco/noise/sample.hpp>
#include <croco/robustness/goal.hpp>
#include <croco/space/space.hpp>

namespace croco {

class BoundSamples;

/// What all people of a run have in common. The model and the space must outlive it.
struct Problem {
  /// The goal becomes clear of the model's tolerance: what is not clearly the wanted answer is
  /// none.
  Problem(const Model& model, const Space& space, Noise noise, const Goal& goal,
          std::uint64_t seed = 0, bool shared_draws = true,
          std::shared_ptr<const BoundSamples> kept = {});

  const Model& model;
  const Space& space;
  Noise noise;
  Goal goal;
  std::uint64_t seed = 0;
  /// Whether all people meet the same draws. Each certificate holds either way; with draws of their
  /// own, people's certificates are independent too.
  bool shared_draws = true;
  /// Samples of this noise that may be bound to this model already; may be null.
  std::shared_ptr<const BoundSamples> kept;

  /// The stream of draws for a purpose and a person.
  [[nodiscard]] Stream stream(Purpose purpose, std::uint64_t person) const noexcept {
    return {seed, purpose, shared_draws ? Stream::kShared : person};
  }
};

/// Throws InvalidArgument or ModelError when the parts do not fit: the model's width, the noise.
void validate(const Problem& problem);

}  // namespace croco
