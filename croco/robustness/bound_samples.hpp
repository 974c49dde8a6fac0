// SPDX-License-Identifier: Apache-2.0
/// Samples of one noise, bound to one model: made when they are asked for, or taken from a cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <croco/base/random.hpp>
#include <croco/base/types.hpp>
#include <croco/models/model.hpp>
#include <croco/noise/noise.hpp>
#include <croco/robustness/sample_cache.hpp>

namespace croco {

/// Binds samples `first .. first + count - 1` of a stream, flips included. `scales` are those of
/// `scoped_scales`. The model must outlive the result, and so must the noise if it has flips.
[[nodiscard]] std::unique_ptr<DrawEvaluator> bind_samples(const Model& model, const Noise& noise,
                                                          View scales, const Stream& stream,
                                                          std::uint64_t first, std::size_t count);

/// Immutable but for the cache behind it; thread-safe.
class BoundSamples {
 public:
  BoundSamples(std::shared_ptr<const Model> model, Noise noise, Vector scales,
               std::shared_ptr<SampleCache::Store> store);

  /// The same as `bind_samples`, from the cache where it has them. Samples that people do not share
  /// are never kept: nobody else asks for them.
  [[nodiscard]] std::shared_ptr<const DrawEvaluator> bound(const Stream& stream,
                                                           std::uint64_t first,
                                                           std::size_t count) const;
  /// The samples of a search, which come in pairs e, -e: `draws`, with the flips of the first ones
  /// of the stream. Whoever names this stream must bring these very draws.
  [[nodiscard]] std::shared_ptr<const DrawEvaluator> bound_pairs(const Stream& stream,
                                                                 Rows draws) const;
  [[nodiscard]] bool is_of(const Model& model, const Noise& noise, View scales) const;

 private:
  /// What the bound samples refer to lives as long as any of them.
  struct Source {
    std::shared_ptr<const Model> model;
    Noise noise;
    Vector scales;
  };
  class Owned;
  using Bound = std::shared_ptr<const DrawEvaluator>;
  /// Keeps what `make` binds for the next who asks for it, where people share it.
  template <typename Make>
  [[nodiscard]] Bound kept(const Stream& stream, std::uint64_t first, std::size_t count, bool pairs,
                           const Make& make) const;

  std::shared_ptr<const Source> source_;
  std::shared_ptr<SampleCache::Store> store_;
};

}  // namespace croco
