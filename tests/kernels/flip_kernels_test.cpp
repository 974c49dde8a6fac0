// SPDX-License-Identifier: Apache-2.0
// The kernels of flips against plain loops, on every instruction set that this processor has.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <croco/base/random.hpp>
#include <croco/kernels/normal_draws.hpp>
#include <croco/kernels/relu_bank.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using fixtures::random_vector;

std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> out;
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    out.push_back(rest & -rest);
  }
  return out;
}

class FlipKernels : public ::testing::TestWithParam<std::int64_t> {
 protected:
  FlipKernels() { hwy::SetSupportedTargetsForTest(GetParam()); }
  ~FlipKernels() override { hwy::SetSupportedTargetsForTest(0); }
};

TEST_P(FlipKernels, ReluSumsAreThePlainSumsRunByRun) {
  for (const std::size_t runs : {1U, 2U, 7U}) {
    const std::size_t units = runs * kUnitRun;
    constexpr std::size_t kDraws = 5;
    const Vector values = random_vector(kDraws * units, 1);
    const Vector base = random_vector(units, 2);
    const Vector deltas = random_vector(3 * units, 3);
    Vector signs(units, 1.0);
    for (std::size_t u = units / 2; u < units; ++u) signs[u] = u + 1 == units ? 0 : -1;
    const std::vector<std::uint32_t> begin{0, 0, 1, 3, 6, 7};
    const std::vector<std::uint32_t> ids{2, 0, 1, 0, 1, 2, 1};
    Vector found(kDraws);
    relu_sums({values.data(), base.data(), deltas.data(), signs.data(), units, begin, ids},
              found.data());
    for (std::size_t k = 0; k < kDraws; ++k) {
      double partial[kUnitRun] = {};
      for (std::size_t u = 0; u < units; ++u) {
        double value = values[k * units + u] + base[u];
        for (std::size_t e = begin[k]; e < begin[k + 1]; ++e) value += deltas[ids[e] * units + u];
        partial[u % kUnitRun] += signs[u] * std::max(0.0, value);
      }
      for (std::size_t width = kUnitRun / 2; width > 0; width /= 2) {
        for (std::size_t lane = 0; lane < width; ++lane) partial[lane] += partial[lane + width];
      }
      EXPECT_EQ(found[k], partial[0]) << runs << ", " << k;
    }
  }
}

TEST_P(FlipKernels, ReluCutsLeaveTheSumsAsTheyAre) {
  // constant + sum of sign max(P, cut) = sum of sign max(0, P + shift), for every |P| <= largest.
  constexpr std::size_t kUnits = 3 * kUnitRun;
  const Vector shifts = random_vector(kUnits, 1, -3, 3);
  const Vector largest = random_vector(kUnits, 2, 0, 1.5);
  Vector signs(kUnits, 1.0);
  for (std::size_t u = 9; u < kUnits; ++u) signs[u] = u + 3 >= kUnits ? 0 : -1;
  std::vector<float> cuts(kUnits);
  const ReluPlace place =
      relu_cuts(shifts.data(), largest.data(), signs.data(), kUnits, cuts.data());
  double magnitude = 0;
  for (std::size_t u = 0; u < kUnits; ++u) {
    magnitude += std::max(largest[u], std::abs(static_cast<double>(cuts[u])));
    EXPECT_LE(std::abs(cuts[u]), largest[u] * 1.00001);
  }
  EXPECT_NEAR(place.magnitude, magnitude, 1e-5);
  for (std::uint64_t seed = 3; seed < 40; ++seed) {
    const Vector share = random_vector(kUnits, seed);
    double expected = 0;
    double found = place.constant;
    for (std::size_t u = 0; u < kUnits; ++u) {
      const double value = share[u] * largest[u];
      expected += signs[u] * std::max(0.0, value + shifts[u]);
      found += signs[u] * std::max(value, static_cast<double>(cuts[u]));
    }
    EXPECT_NEAR(found, expected, 1e-5) << seed;
  }
}

TEST_P(FlipKernels, WordsAreThoseOfTheScalarFunction) {
  const Stream stream{0x0123456789abcdefULL, Purpose::certify, 77};
  for (const std::size_t count : {1U, 7U, 64U, 131U}) {
    std::vector<std::uint32_t> out(4 * count);
    random_words_of(stream, (std::uint64_t{1} << 32) - 5, 0xC001, count, out.data());
    for (std::size_t k = 0; k < count; ++k) {
      const auto words = random_words(stream, (std::uint64_t{1} << 32) - 5 + k, 0xC001);
      for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(out[i * count + k], words[i]) << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, FlipKernels, ::testing::ValuesIn(targets()),
                         [](const auto& test) { return hwy::TargetName(test.param); });

}  // namespace
}  // namespace croco
