// SPDX-License-Identifier: Apache-2.0
/// What a sample cache holds, by what it was made from; the oldest use goes first.
#pragma once

#include <atomic>
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
    bool pairs = false;  ///< in pairs of opposite samples

    auto operator<=>(const Key&) const = default;
  };
  using Bound = std::shared_ptr<const DrawEvaluator>;
  using Bytes = std::shared_ptr<std::atomic<std::size_t>>;

  explicit Store(std::size_t limit) : limit_(limit) {}

  /// Null when it is not there.
  [[nodiscard]] Bound find(const Key& key);
  /// What is there from now on: another thread may have been faster.
  [[nodiscard]] Bound keep(const Key& key, Bound bound, std::size_t bytes);
  [[nodiscard]] Counts counts() const;
  /// What samples that may be kept add their bytes to for as long as they live.
  [[nodiscard]] const Bytes& alive() const noexcept { return alive_; }

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
  /// Apart from the store, which samples must not hold: it holds them.
  Bytes alive_ = std::make_shared<std::atomic<std::size_t>>(0);
  std::list<Entry> entries_;  ///< the latest use first
  std::map<Key, std::list<Entry>::iterator> places_;
  std::list<std::shared_ptr<const BoundSamples>> sources_;  ///< the latest use first
};

}  // namespace croco
