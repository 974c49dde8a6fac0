// SPDX-License-Identifier: Apache-2.0
#include <croco/models/model_pool.hpp>

#include <algorithm>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

constexpr std::size_t kWidth = 4;

std::shared_ptr<const Mlp> network(std::uint64_t seed) {
  return std::make_shared<const Mlp>(fixtures::random_mlp({kWidth, 6, 1}, Activation::relu, seed));
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

TEST(ModelPool, PairsOfSamplesTakeTurns) {
  const auto members = networks(3);
  const ModelPool pool(members);
  for (std::size_t k = 0; k < 14; ++k) {
    EXPECT_EQ(&pool.member_of(k), members[k / 2 % 3].get()) << k;
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
