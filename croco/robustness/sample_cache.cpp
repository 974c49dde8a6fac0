// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/sample_cache.hpp>

#include <algorithm>
#include <utility>

#include <croco/noise/sample.hpp>
#include <croco/robustness/bound_samples.hpp>
#include <croco/robustness/sample_store.hpp>

namespace croco {

SampleCache::Store::Bound SampleCache::Store::find(const Key& key) {
  const std::scoped_lock lock(mutex_);
  const auto place = places_.find(key);
  if (place == places_.end()) {
    ++counts_.misses;
    return nullptr;
  }
  ++counts_.hits;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->bound;
}

SampleCache::Store::Bound SampleCache::Store::keep(const Key& key, Bound bound, std::size_t bytes) {
  std::list<Entry> dropped;  // destroyed without the lock
  const std::scoped_lock lock(mutex_);
  if (const auto place = places_.find(key); place != places_.end()) return place->second->bound;
  if (bytes > limit_) return bound;
  while (counts_.bytes + bytes > limit_) {
    counts_.bytes -= entries_.back().bytes;
    places_.erase(entries_.back().key);
    dropped.splice(dropped.begin(), entries_, std::prev(entries_.end()));
  }
  entries_.push_front({key, bound, bytes});
  places_.emplace(key, entries_.begin());
  counts_.bytes += bytes;
  return bound;
}

SampleCache::Counts SampleCache::Store::counts() const {
  const std::scoped_lock lock(mutex_);
  Counts out = counts_;
  out.alive = *alive_;
  return out;
}

std::shared_ptr<const BoundSamples> SampleCache::Store::known(const Model& model,
                                                              const Noise& noise, View scales) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(
      sources_, [&](const auto& one) { return one->is_of(model, noise, scales); });
  if (found == sources_.end()) return nullptr;
  sources_.splice(sources_.begin(), sources_, found);
  return sources_.front();
}

void SampleCache::Store::remember(std::shared_ptr<const BoundSamples> samples) {
  const std::scoped_lock lock(mutex_);
  sources_.push_front(std::move(samples));
  if (sources_.size() > kSources) sources_.pop_back();
}

void SampleCache::Store::close() {
  std::list<Entry> entries;  // destroyed without the lock
  std::list<std::shared_ptr<const BoundSamples>> sources;
  const std::scoped_lock lock(mutex_);
  limit_ = 0;
  counts_.bytes = 0;
  places_.clear();
  entries.swap(entries_);
  sources.swap(sources_);
}

SampleCache::SampleCache(std::size_t bytes) : store_(std::make_shared<Store>(bytes)) {}
// Samples that are still in use hold the store, which must not hold them in turn.
SampleCache::~SampleCache() { store_->close(); }

std::shared_ptr<const BoundSamples> SampleCache::of(std::shared_ptr<const Model> model,
                                                    const Noise& noise, const Space& space) {
  Vector scales = scoped_scales(noise, space);
  if (auto known = store_->known(*model, noise, scales)) return known;
  auto made =
      std::make_shared<const BoundSamples>(std::move(model), noise, std::move(scales), store_);
  store_->remember(made);
  return made;
}

SampleCache::Counts SampleCache::counts() const { return store_->counts(); }

}  // namespace croco
