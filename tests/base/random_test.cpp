// SPDX-License-Identifier: Apache-2.0
#include <croco/base/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace croco {
namespace {

using Words = std::array<std::uint32_t, 4>;

// The known answers that Random123 publishes for philox4x32, 10 rounds.
TEST(RandomWords, AreTheKnownAnswerForZeros) {
  EXPECT_EQ(random_words({0, Purpose::search, 0}, 0, 0),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(RandomWords, AreTheKnownAnswerForOnes) {
  const Stream stream{~std::uint64_t{0}, static_cast<Purpose>(0xff), Stream::kShared};
  EXPECT_EQ(random_words(stream, 0xff'ffffffff, 0xffff),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(RandomWords, AreTheKnownAnswerForDigitsOfPi) {
  // Counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822 299f31d0.
  const Stream stream{0x299f31d0'a4093822, static_cast<Purpose>(0xa3), 0x03707344'13198a2e};
  EXPECT_EQ(random_words(stream, 0x85'243f6a88, 0x08d3),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomWords, NeverCollideBetweenStreamsDrawsAndBlocks) {
  std::set<Words> seen;
  std::size_t asked = 0;
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32}) {
    for (const Purpose purpose :
         {Purpose::search, Purpose::check, Purpose::certify, Purpose::evaluate, Purpose::train}) {
      for (const std::uint64_t item :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, Stream::kShared}) {
        for (const std::uint64_t index : {0ULL, 1ULL, 2ULL, 1ULL << 16, 1ULL << 24, 1ULL << 31,
                                          1ULL << 32, (1ULL << 32) + 1, 1ULL << 39}) {
          for (const std::uint32_t block : {0U, 1U, 2U, 255U, 256U, 65535U}) {
            seen.insert(random_words({seed, purpose, item}, index, block));
            ++asked;
          }
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), asked);
}

TEST(ToUniform, StaysInsideTheOpenInterval) {
  EXPECT_EQ(to_uniform(0), 0x1p-33);
  EXPECT_EQ(to_uniform(0x80000000U), 0.5 + 0x1p-33);
  EXPECT_EQ(to_uniform(0xffffffffU), 1 - 0x1p-33);
}

TEST(Sequence, GivesTheWordsOfItsStreamInOrder) {
  const Stream stream{5, Purpose::train, 3};
  Sequence sequence(stream);
  for (std::uint64_t index = 0; index < 3; ++index) {
    for (const std::uint32_t word : random_words(stream, index, 0)) {
      EXPECT_EQ(sequence.word(), word);
    }
  }
}

TEST(Sequence, BelowIsUniformForSmallBounds) {
  constexpr std::uint32_t kBound = 7;
  constexpr double kExpected = 10'000;
  Sequence sequence({1, Purpose::train, 0});
  std::array<double, kBound> counts{};
  for (int k = 0; k < 70'000; ++k) ++counts.at(sequence.below(kBound));
  double chi_square = 0;
  for (const double count : counts) chi_square += (count - kExpected) * (count - kExpected);
  EXPECT_LT(chi_square / kExpected, 27.9);  // 99.99 % quantile with 6 degrees of freedom
}

TEST(Sequence, BelowHasNoBiasWhereTheBoundDoesNotDivideTheRange) {
  // With a plain remainder a quarter of all words would fall on the first third twice: 1/2.
  constexpr std::uint32_t kThird = std::uint32_t{1} << 30;
  constexpr int kTrials = 40'000;
  Sequence sequence({2, Purpose::train, 0});
  int low = 0;
  for (int k = 0; k < kTrials; ++k) {
    const std::uint32_t value = sequence.below(3 * kThird);
    ASSERT_LT(value, 3 * kThird);
    low += value < kThird ? 1 : 0;
  }
  EXPECT_NEAR(low / double{kTrials}, 1.0 / 3, 4 * std::sqrt(2.0 / 9 / kTrials));
}

TEST(Sequence, BelowOneIsZero) {
  Sequence sequence({3, Purpose::train, 0});
  for (int k = 0; k < 20; ++k) EXPECT_EQ(sequence.below(1), 0U);
}

TEST(Sequence, ShuffleIsAPermutation) {
  for (const std::size_t size : {0U, 1U, 2U, 3U, 100U}) {
    std::vector<std::size_t> expected(size);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    std::vector<std::size_t> values = expected;
    Sequence({4, Purpose::train, size}).shuffle(values);
    EXPECT_TRUE(std::is_permutation(values.begin(), values.end(), expected.begin()));
    if (size == 100) {
      EXPECT_NE(values, expected);
    }
  }
}

TEST(Sequence, ShuffleGivesEveryOrderEquallyOften) {
  constexpr double kExpected = 2'000;
  Sequence sequence({5, Purpose::train, 0});
  std::map<std::vector<std::size_t>, double> counts;
  for (int k = 0; k < 12'000; ++k) {
    std::vector<std::size_t> values{0, 1, 2};
    sequence.shuffle(values);
    ++counts[values];
  }
  ASSERT_EQ(counts.size(), 6U);
  double chi_square = 0;
  for (const auto& [order, count] : counts) {
    chi_square += (count - kExpected) * (count - kExpected) / kExpected;
  }
  EXPECT_LT(chi_square, 25.7);  // 99.99 % quantile with 5 degrees of freedom
}

}  // namespace
}  // namespace croco
