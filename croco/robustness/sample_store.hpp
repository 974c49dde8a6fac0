// SPDX-License-Identifier: Apache-2.0
/// What a sample cache holds, by what it was made from; the oldest use goes first.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <croco/base/purpose.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/sample_cache.hpp>

namespace croco {

class SampleCache::Store {
 public:
  struct Key {
    const void* source = nullptr;  ///< of model, noise and scales
    std::uint64_t seed = 0;
    Purpose purpose = Purpose::search;
    std::uint64_t first = 0;
    std::size_t count = 0;

    auto operator<=>(const Key&) const = default;
  };
  using Bound = std::shared_ptr<const DrawEvaluator>;

  explicit Store(std::size_t limit) : limit_(limit) {}

  /// Null when it is not there.
  [[nodiscard]] Bound find(const Key& key);
  /// What is there from now on: another thread may have been faster.
  [[nodiscard]] Bound keep(const Key& key, Bound bound, std::size_t bytes);
  [[nodiscard]] Counts counts() const;

  /// Those that were asked for before and are still in use or kept.
  [[nodiscard]] std::shared_ptr<const BoundSamples> known(const Model& model, const Noise& noise,
                                                          View scales);
  void remember(std::shared_ptr<const BoundSamples> samples);
  /// Lets go of everything, and keeps nothing from now on.
  void close();

 private:
  struct Entry {
    Key key;
    Bound bound;
    std::size_t bytes;
  };
  static constexpr std::size_t kSources = 16;

  mutable std::mutex mutex_;
  std::size_t limit_;
  Counts counts_;
  std::list<Entry> entries_;  ///< the latest use first
  std::map<Key, std::list<Entry>::iterator> places_;
  std::list<std::shared_ptr<const BoundSamples>> sources_;  ///< the latest use first
};

}  // namespace croco
