// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/sample_cache.hpp>

#include <gmock/gmock.h>

#include <croco/robustness/bound_samples.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/robustness/problem.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

struct CachedWorld {
  std::shared_ptr<const Model> model =
      std::make_shared<const Mlp>(fixtures::random_mlp({3, 8}, Activation::relu, 5));
  Space space = fixtures::free_space(3);
  Noise noise{.scale = 0.3};

  [[nodiscard]] Problem problem(SampleCache* cache, bool shared = true) const {
    return {*model,
            space,
            noise,
            Goal(),
            7,
            shared,
            cache == nullptr ? nullptr : cache->of(model, noise, space)};
  }
};

std::size_t failures(const Problem& problem, std::size_t samples = 20'000) {
  const Vector point{0.3, -0.2, 0.5};
  const Advice advice{point, point, 3};
  return certify(problem, {&advice, 1}, {.samples = samples, .sequential = false}, 1).at(0).invalid;
}

TEST(SampleCache, GivesTheSameCountsAndKeepsSamples) {
  const CachedWorld world;
  SampleCache cache(std::size_t{64} << 20);
  const std::size_t expected = failures(world.problem(nullptr));
  EXPECT_EQ(failures(world.problem(&cache)), expected);
  const SampleCache::Counts first = cache.counts();
  EXPECT_EQ(first.hits, 0U);
  EXPECT_GT(first.bytes, 0U);
  EXPECT_EQ(failures(world.problem(&cache)), expected);
  EXPECT_EQ(cache.counts().hits, first.misses);
  EXPECT_EQ(cache.counts().bytes, first.bytes);
}

TEST(SampleCache, KeepsToItsLimit) {
  const CachedWorld world;
  const std::size_t one = 4096 * world.model->evaluator_bytes_per_draw();
  SampleCache cache(2 * one);
  const std::size_t expected = failures(world.problem(nullptr));
  EXPECT_EQ(failures(world.problem(&cache)), expected);
  EXPECT_LE(cache.counts().bytes, 2 * one);
  EXPECT_EQ(failures(world.problem(&cache)), expected);
  SampleCache nothing(0);
  EXPECT_EQ(failures(world.problem(&nothing)), expected);
  EXPECT_EQ(nothing.counts().bytes, 0U);
}

TEST(SampleCache, CountsWhatIsUsedAlthoughItIsNoLongerKept) {
  const CachedWorld world;
  const std::size_t one = 100 * world.model->evaluator_bytes_per_draw();
  SampleCache cache(one);
  const auto samples = cache.of(world.model, world.noise, world.space);
  auto first = samples->bound({7, Purpose::certify, Stream::kShared}, 0, 100);
  EXPECT_EQ(cache.counts().alive, one);
  const auto second = samples->bound({7, Purpose::certify, Stream::kShared}, 100, 100);
  EXPECT_EQ(cache.counts().bytes, one);
  EXPECT_EQ(cache.counts().alive, 2 * one);
  first.reset();
  EXPECT_EQ(cache.counts().alive, one);
}

TEST(SampleCache, KeepsNoSamplesOfOnePersonAlone) {
  const CachedWorld world;
  SampleCache cache(std::size_t{64} << 20);
  EXPECT_EQ(failures(world.problem(&cache, false)), failures(world.problem(nullptr, false)));
  EXPECT_EQ(cache.counts().bytes, 0U);
}

TEST(SampleCache, TellsNoisesApart) {
  CachedWorld world;
  SampleCache cache(std::size_t{64} << 20);
  static_cast<void>(failures(world.problem(&cache)));
  world.noise.scale = 0.6;
  EXPECT_EQ(failures(world.problem(&cache)), failures(world.problem(nullptr)));
  EXPECT_EQ(cache.counts().hits, 0U);
}

TEST(SampleCache, LetsGoOfTheModelAtItsEnd) {
  const CachedWorld world;
  {
    SampleCache cache(std::size_t{64} << 20);
    static_cast<void>(failures(world.problem(&cache)));
    EXPECT_GT(world.model.use_count(), 1);
  }
  EXPECT_EQ(world.model.use_count(), 1);
}

TEST(SampleCache, SamplesOutliveTheCacheWhileTheyAreUsed) {
  const CachedWorld world;
  std::shared_ptr<const BoundSamples> samples;
  {
    SampleCache cache(std::size_t{64} << 20);
    samples = cache.of(world.model, world.noise, world.space);
  }
  const auto bound = samples->bound({7, Purpose::certify, Stream::kShared}, 0, 100);
  EXPECT_EQ(bound->count(), 100U);
}

}  // namespace
}  // namespace croco
