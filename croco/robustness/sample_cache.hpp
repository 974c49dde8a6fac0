// SPDX-License-Identifier: Apache-2.0
/// Keeps samples that were bound to a model, for the next who needs the very same ones. Samples are
/// pure functions of seed, purpose and index, so people of one run share them, and so do runs that
/// differ in their target alone. One person alone is answered several times as fast with it; no
/// answer depends on it.
///
///     auto samples = std::make_shared<croco::SampleCache>(std::size_t{256} << 20);
///     const croco::Explainer first(model, {.method = croco::Certified{.target = 0.1},
///                                          .samples = samples});
#pragma once

#include <cstddef>
#include <memory>

#include <croco/models/model.hpp>
#include <croco/noise/noise.hpp>
#include <croco/space/space.hpp>

namespace croco {

class BoundSamples;

/// Thread-safe. What was not asked for the longest time goes first.
class SampleCache {
 public:
  /// `bytes` is what it keeps at most. Explainers that use some of it at the moment keep
  /// that alive beyond the limit; `Counts::alive` says how much there is of both.
  explicit SampleCache(std::size_t bytes);
  ~SampleCache();
  SampleCache(const SampleCache&) = delete;
  SampleCache& operator=(const SampleCache&) = delete;

  /// The samples of this noise, bound to this model.
  [[nodiscard]] std::shared_ptr<const BoundSamples> of(std::shared_ptr<const Model> model,
                                                       const Noise& noise, const Space& space);

  struct Counts {
    std::size_t hits = 0;
    std::size_t misses = 0;
    std::size_t bytes = 0;  ///< kept at the moment
    std::size_t alive = 0;  ///< the same, and what somebody uses although it is no longer kept
  };
  [[nodiscard]] Counts counts() const;

 private:
  friend class BoundSamples;
  class Store;
  std::shared_ptr<Store> store_;
};

}  // namespace croco
