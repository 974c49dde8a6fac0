// SPDX-License-Identifier: Apache-2.0
// Networks in turns against plain loops, on every instruction set that this processor has.
#include <croco/kernels/relu_turns.hpp>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

std::vector<std::int64_t> instruction_sets() {
  std::vector<std::int64_t> out;
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    out.push_back(rest & -rest);
  }
  return out;
}

std::vector<float> floats(std::size_t count, std::uint64_t seed) {
  const Vector values = fixtures::random_vector(count, seed, -1.0, 1.0);
  return {values.begin(), values.end()};
}

constexpr std::size_t kUnits = 11;  // no multiple of the four partial sums
constexpr std::size_t kStride = 2 * kTurn;
constexpr float kWeight = 0.75F;

std::vector<float> slope_sums() {
  const std::vector<float> values = floats(kUnits * kTurn, 1);
  const std::vector<float> shifts = floats(kUnits, 2);
  const std::vector<float> slopes = floats(kUnits * kStride, 3);
  std::vector<float> sums = floats(kStride, 4);
  add_active_slopes(values.data() + 5, shifts.data(), slopes.data(), kUnits, kStride, kWeight,
                    sums.data());
  return sums;
}

TEST(ReluTurns, AddTheSlopesOfActiveUnitsAlone) {
  const std::vector<float> values = floats(kUnits * kTurn, 1);
  const std::vector<float> shifts = floats(kUnits, 2);
  const std::vector<float> slopes = floats(kUnits * kStride, 3);
  Vector expected;
  for (const float sum : floats(kStride, 4)) expected.push_back(static_cast<double>(sum));
  std::size_t active = 0;
  for (std::size_t u = 0; u < kUnits; ++u) {
    if (!(values[u * kTurn + 5] + shifts[u] > 0)) continue;
    ++active;
    for (std::size_t c = 0; c < kStride; ++c) {
      expected[c] += static_cast<double>(kWeight) * static_cast<double>(slopes[u * kStride + c]);
    }
  }
  ASSERT_GT(active, 2U);
  ASSERT_LT(active, kUnits - 2);
  const std::vector<float> sums = slope_sums();
  for (std::size_t c = 0; c < kStride; ++c) {
    EXPECT_NEAR(static_cast<double>(sums[c]), expected[c], 1e-5) << c;
  }
}

TEST(ReluTurns, SlopesHaveTheSameBitsOnEveryInstructionSet) {
  const std::vector<float> usual = slope_sums();
  for (const std::int64_t target : instruction_sets()) {
    hwy::SetSupportedTargetsForTest(target);
    EXPECT_EQ(slope_sums(), usual) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace croco
