// SPDX-License-Identifier: Apache-2.0
#include <croco/models/pool/model_pool.hpp>

#include <algorithm>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>

#include "tests/fixtures.hpp"
#include "tests/flips.hpp"

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

constexpr std::size_t kWidth = 4;

std::shared_ptr<const Mlp> network(std::uint64_t seed) {
  return std::make_shared<const Mlp>(fixtures::random_mlp({kWidth, 6}, Activation::relu, seed));
}

std::vector<std::shared_ptr<const Model>> networks(std::size_t count) {
  std::vector<std::shared_ptr<const Model>> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(network(100 + i));
  return out;
}

Matrix draws(std::size_t count) {
  Matrix out(0, kWidth);
  for (std::size_t k = 0; k < count; ++k) out.append(fixtures::random_vector(kWidth, 7000 + k));
  return out;
}

Vector shifted(View point, View draw) {
  Vector out(point.begin(), point.end());
  for (std::size_t j = 0; j < out.size(); ++j) out[j] += draw[j];
  return out;
}

TEST(ModelPool, MembersTakeTurnsOfEightSamples) {
  const auto members = networks(3);
  const ModelPool pool(members);
  for (std::size_t k = 0; k < 60; ++k) {
    EXPECT_EQ(&pool.member_of(k), members[k / 8 % 3].get()) << k;
  }
}

TEST(ModelPool, ManySamplesOfAMemberAreAnsweredAlike) {
  // Few samples go through the table of all members, many are bound member by member.
  const ModelPool pool(networks(3));
  const Matrix samples = draws(300);
  const auto few = pool.bind(samples.rows().slice(0, 100));
  const auto many = pool.bind(samples.rows());
  const Vector point = fixtures::random_vector(kWidth, 3);
  std::vector<float> out(100);
  std::vector<float> others(100);
  few->logits(point, 0, out);
  many->logits(point, 0, others);
  for (std::size_t k = 0; k < out.size(); ++k) EXPECT_NEAR(out[k], others[k], 1e-5) << k;
}

TEST(ModelPool, AroundAPointAnswersAreTheSameAndSlopesAreThoseOfTheFreeColumns) {
  const std::vector<std::size_t> free{0, 2};
  const ModelPool pool(networks(5), free);
  const Matrix samples = draws(41);
  const auto bound = pool.bind(samples.rows());
  const auto fixed = bound->fixed_at(fixtures::random_vector(kWidth, 11));
  ASSERT_NE(fixed, nullptr);
  std::vector<float> weights(samples.count(), 0.0F);
  for (std::size_t k = 0; k < weights.size(); k += 3) weights[k] = 0.25F;
  for (const std::uint64_t seed :
       {11UL, 12UL, 13UL, 12UL}) {  // the point itself, others, one again
    const Vector point = fixtures::random_vector(kWidth, seed);
    std::vector<float> out(samples.count());
    fixed->logits(point, 0, out);
    for (std::size_t k = 0; k < out.size(); ++k) {
      EXPECT_NEAR(out[k], pool.member_of(k).logit(shifted(point, samples[k])), 1e-5) << k;
    }
    Vector all(kWidth);
    Vector some(kWidth);
    bound->add_gradient(point, 0, weights, all);
    fixed->add_gradient(point, 0, weights, some);
    for (const std::size_t j : free) EXPECT_NEAR(some[j], all[j], 1e-4);
    EXPECT_EQ(some[1], 0);
    EXPECT_EQ(some[3], 0);
  }
}

TEST(ModelPool, EverySampleIsAnsweredByItsMember) {
  // Odd counts, fewer samples than members, and windows that begin in the middle of a turn.
  for (const std::size_t count : {1UL, 3UL, 8UL, 41UL}) {
    const ModelPool pool(networks(5));
    const Matrix samples = draws(count);
    const auto bound = pool.bind(samples.rows());
    ASSERT_EQ(bound->count(), count);
    const Vector point = fixtures::random_vector(kWidth, 3);
    for (std::size_t first = 0; first < count; ++first) {
      std::vector<float> out(count - first);
      bound->logits(point, first, out);
      for (std::size_t k = 0; k < out.size(); ++k) {
        const double expected = pool.member_of(first + k).logit(shifted(point, samples[first + k]));
        EXPECT_NEAR(out[k], expected, 1e-5) << count << " from " << first;
      }
    }
  }
}

TEST(ModelPool, FlipsAreThoseOfThePointsLevels) {
  const Space space = fixtures::mixed_space(2, {3, 4});
  const std::vector<LevelFlips> categories = fixtures::random_flips(space, 0.4, 5);
  std::vector<std::shared_ptr<const Model>> members;
  for (std::uint64_t i = 0; i < 3; ++i) {
    members.push_back(std::make_shared<const Mlp>(
        fixtures::random_mlp({space.width(), 6, 1}, Activation::relu, i)));
  }
  const ModelPool pool(members, std::vector<std::size_t>{0, 1});
  const Noise noise{.shape = NoiseShape::gaussian, .scale = 0.1, .flips = categories};
  const Stream stream{3, Purpose::search, Stream::kShared};
  Matrix samples(50, space.width());
  sample(noise, scoped_scales(noise, space), stream, 0, samples);
  const DrawnFlips flips = sample_flips(noise, stream, 0, samples.count());
  const auto bound = pool.bind_flips(samples.rows(), flips);
  const Vector point = fixtures::random_person(space, 8);
  const auto fixed = bound->fixed_at(point);
  std::vector<float> out(samples.count());
  std::vector<float> around(samples.count());
  bound->logits(point, 0, out);
  fixed->logits(point, 0, around);
  for (std::size_t k = 0; k < out.size(); ++k) {
    Vector row(samples[k].begin(), samples[k].end());
    add_flips(flips.categories, flips.of(k), point, row);
    const double expected = pool.member_of(k).logit(shifted(point, row));
    EXPECT_NEAR(out[k], expected, 1e-5) << k;
    EXPECT_NEAR(around[k], expected, 1e-5) << k;
  }
}

TEST(ModelPool, WithoutAGradientTurnsAreLonger) {
  std::vector<std::shared_ptr<const Mlp>> inside;
  std::vector<std::shared_ptr<const Model>> members;
  for (std::uint64_t i = 0; i < 3; ++i) {
    inside.push_back(network(i));
    members.push_back(std::make_shared<const fixtures::PlainModel>(*inside.back(), false));
  }
  const ModelPool pool(members);
  EXPECT_EQ(&pool.member_of(127), members[0].get());
  EXPECT_EQ(&pool.member_of(128), members[1].get());
  const Matrix samples = draws(700);
  const auto bound = pool.bind(samples.rows());
  const Vector point = fixtures::random_vector(kWidth, 3);
  for (const std::size_t first : {0UL, 100UL, 391UL, 640UL}) {
    std::vector<float> out(samples.count() - first);
    bound->logits(point, first, out);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const double expected = pool.member_of(first + k).logit(shifted(point, samples[first + k]));
      ASSERT_NEAR(out[k], expected, 1e-5) << first + k;
    }
  }
}

TEST(ModelPool, TheGradientIsTheSumOfTheMembersOwn) {
  const ModelPool pool(networks(4));
  const Matrix samples = draws(19);
  const auto bound = pool.bind(samples.rows());
  const Vector point = fixtures::random_vector(kWidth, 5);
  constexpr std::size_t kFirst = 3;
  std::vector<float> weights(samples.count() - kFirst);
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = k % 3 == 0 ? 0.0F : 0.5F;
  Vector gradient(kWidth);
  bound->add_gradient(point, kFirst, weights, gradient);
  Vector expected(kWidth);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    Vector slope(kWidth);
    pool.member_of(kFirst + k)
        .gradient()
        ->logit_gradient(shifted(point, samples[kFirst + k]), slope);
    for (std::size_t j = 0; j < kWidth; ++j) expected[j] += double(weights[k]) * slope[j];
  }
  for (std::size_t j = 0; j < kWidth; ++j) EXPECT_NEAR(gradient[j], expected[j], 1e-4);
}

TEST(ModelPool, CountsAreThoseOfTheMembersAndUndecidedSamplesAreNamedInOrder) {
  const ModelPool pool(networks(3));
  const Matrix samples = draws(50);
  const auto bound = pool.bind(samples.rows());
  Matrix points(0, kWidth);
  points.append(fixtures::random_vector(kWidth, 8));
  points.append(fixtures::random_vector(kWidth, 9));
  const Cut cut{0.05, true};
  std::vector<std::size_t> failures(2);
  std::vector<PointDraw> undecided;
  bound->count_failures(points.rows(), cut, failures, &undecided);
  EXPECT_TRUE(std::ranges::is_sorted(undecided));
  for (const PointDraw& one : undecided) {
    const Vector row = shifted(points[one.point], samples[one.draw]);
    if (!cut.clears(pool.member_of(one.draw).logit(row))) ++failures[one.point];
  }
  for (std::size_t p = 0; p < 2; ++p) {
    std::size_t expected = 0;
    for (std::size_t k = 0; k < samples.count(); ++k) {
      if (!cut.clears(pool.member_of(k).logit(shifted(points[p], samples[k])))) ++expected;
    }
    EXPECT_EQ(failures[p], expected);
  }
}

TEST(ModelPool, HasAGradientWhenAllMembersHave) {
  auto members = networks(2);
  EXPECT_NE(ModelPool(members).gradient(), nullptr);
  const auto plain = network(1);
  members.push_back(std::make_shared<const fixtures::PlainModel>(*plain, false));
  EXPECT_EQ(ModelPool(members).gradient(), nullptr);
}

TEST(ModelPool, RefusesNoMembersAndOtherWidths) {
  EXPECT_THAT(message_of<InvalidArgument>([] { return ModelPool({}); }),
              HasSubstr("no model is left for the search"));
  auto members = networks(1);
  members.push_back(
      std::make_shared<const Mlp>(fixtures::random_mlp({3, 2, 1}, Activation::relu, 1)));
  EXPECT_THAT(message_of<ModelError>([&] { return ModelPool(members); }),
              HasSubstr("a model takes 4 columns and another 3"));
}

}  // namespace
}  // namespace croco
