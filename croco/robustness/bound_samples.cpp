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

BoundSamples::BoundSamples(std::shared_ptr<const Model> model, Noise noise, Vector scales,
                           std::shared_ptr<SampleCache::Store> store)
    : source_(std::make_shared<const Source>(
          Source{std::move(model), std::move(noise), std::move(scales)})),
      store_(std::move(store)) {}

bool BoundSamples::is_of(const Model& model, const Noise& noise, View scales) const {
  return source_->model.get() == &model && source_->noise == noise &&
         std::ranges::equal(source_->scales, scales);
}

std::shared_ptr<const DrawEvaluator> BoundSamples::bound(const Stream& stream, std::uint64_t first,
                                                         std::size_t count) const {
  const bool shared = stream.item == Stream::kShared;
  const SampleCache::Store::Key key{source_.get(), stream.seed, stream.purpose, first, count};
  if (shared) {
    if (auto kept = store_->find(key)) return kept;
  }
  struct Owned {
    std::shared_ptr<const Source> source;
    std::unique_ptr<const DrawEvaluator> bound;
  };
  auto owned = std::make_shared<const Owned>(
      Owned{source_,
            bind_samples(*source_->model, source_->noise, source_->scales, stream, first, count)});
  std::shared_ptr<const DrawEvaluator> bound(owned, owned->bound.get());
  if (!shared) return bound;
  return store_->keep(key, std::move(bound), count * source_->model->evaluator_bytes_per_draw());
}

}  // namespace croco
