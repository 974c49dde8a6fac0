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
#include <croco/models/pool/model_pool.hpp>
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
          std::shared_ptr<const BoundSamples> kept = {},
          std::shared_ptr<const ModelPool> pool = {});

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
  /// For searches whose changes have to survive retraining: what answers for noise samples in place
  /// of the model, which still has to accept the point itself; may be null.
  std::shared_ptr<const ModelPool> pool;

  /// What noise samples are bound to.
  [[nodiscard]] const Model& noisy_model() const noexcept { return pool ? *pool : model; }
  /// What answers for one sample of what was bound.
  [[nodiscard]] const Model& model_of(std::size_t sample) const noexcept {
    return pool ? pool->member_of(sample) : model;
  }
  /// Whether all of them have a gradient.
  [[nodiscard]] bool has_gradient() const noexcept {
    return model.gradient() != nullptr && (!pool || pool->gradient() != nullptr);
  }
  /// The stream of draws for a purpose and a person.
  [[nodiscard]] Stream stream(Purpose purpose, std::uint64_t person) const noexcept {
    return {seed, purpose, shared_draws ? Stream::kShared : person};
  }
};

/// Throws InvalidArgument or ModelError when the parts do not fit: the model's width, the noise.
void validate(const Problem& problem);

}  // namespace croco
