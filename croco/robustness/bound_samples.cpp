// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/bound_samples.hpp>

#include <algorithm>
#include <utility>

#include <croco/noise/sample.hpp>
#include <croco/robustness/sample_store.hpp>

namespace croco {

std::unique_ptr<DrawEvaluator> bind_samples(const Model& model, const Noise& noise, View scales,
                                            const Stream& stream, std::uint64_t first,
                                            std::size_t count) {
  Matrix draws(count, scales.size());
  sample(noise, scales, stream, first, draws);
  if (noise.flips.empty()) return model.bind(draws.rows());
  return model.bind_flips(draws.rows(), sample_flips(noise, stream, first, count));
}

/// Bound samples, with what they refer to. Counted for as long as they live.
class BoundSamples::Owned {
 public:
  Owned(std::shared_ptr<const Source> source, std::unique_ptr<const DrawEvaluator> bound,
        SampleCache::Store::Bytes alive, std::size_t bytes)
      : source_(std::move(source)),
        bound_(std::move(bound)),
        alive_(std::move(alive)),
        bytes_(bytes) {
    *alive_ += bytes_;
  }
  ~Owned() { *alive_ -= bytes_; }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  [[nodiscard]] const DrawEvaluator* bound() const noexcept { return bound_.get(); }

 private:
  std::shared_ptr<const Source> source_;
  std::unique_ptr<const DrawEvaluator> bound_;
  SampleCache::Store::Bytes alive_;
  std::size_t bytes_;
};

BoundSamples::BoundSamples(std::shared_ptr<const Model> model, Noise noise, Vector scales,
                           std::shared_ptr<SampleCache::Store> store)
    : source_(std::make_shared<const Source>(
          Source{std::move(model), std::move(noise), std::move(scales)})),
      store_(std::move(store)) {}

bool BoundSamples::is_of(const Model& model, const Noise& noise, View scales) const {
  return source_->model.get() == &model && source_->noise == noise &&
         std::ranges::equal(source_->scales, scales);
}

template <typename Make>
BoundSamples::Bound BoundSamples::kept(const Stream& stream, std::uint64_t first, std::size_t count,
                                       bool pairs, const Make& make) const {
  const bool shared = stream.item == Stream::kShared;
  const SampleCache::Store::Key key{source_.get(), stream.seed, stream.purpose,
                                    first,         count,       pairs};
  if (shared) {
    if (Bound known = store_->find(key)) return known;
  }
  const std::size_t bytes = shared ? count * source_->model->evaluator_bytes_per_draw() : 0;
  auto owned = std::make_shared<const Owned>(source_, make(), store_->alive(), bytes);
  Bound bound(owned, owned->bound());
  if (!shared) return bound;
  return store_->keep(key, std::move(bound), bytes);
}

std::shared_ptr<const DrawEvaluator> BoundSamples::bound(const Stream& stream, std::uint64_t first,
                                                         std::size_t count) const {
  return kept(stream, first, count, false, [&] {
    return bind_samples(*source_->model, source_->noise, source_->scales, stream, first, count);
  });
}

std::shared_ptr<const DrawEvaluator> BoundSamples::bound_pairs(const Stream& stream,
                                                               Rows draws) const {
  const Noise& noise = source_->noise;
  return kept(stream, 0, draws.count(), true, [&] {
    if (noise.flips.empty()) return source_->model->bind(draws);
    return source_->model->bind_flips(draws, sample_flips(noise, stream, 0, draws.count()));
  });
}

}  // namespace croco
