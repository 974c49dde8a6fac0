// SPDX-License-Identifier: Apache-2.0
// Trees as bits against plain loops, on every instruction set that this processor has.
#include <croco/kernels/bit_trees.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <croco/base/random.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> out;
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    out.push_back(rest & -rest);
  }
  return out;
}

class BitTrees : public ::testing::TestWithParam<std::int64_t> {
 protected:
  BitTrees() { hwy::SetSupportedTargetsForTest(GetParam()); }
  ~BitTrees() override { hwy::SetSupportedTargetsForTest(0); }
};

/// Two full trees of depth 2 over five conditions, with the values of their leaves.
struct Forest {
  BitForest bits;
  std::vector<std::vector<std::uint32_t>> values{{5, 0, 9, 12}, {0, 700, 3, 1023}};
  std::vector<std::vector<std::uint16_t>> conditions{{0, 1, 2}, {3, 4, 0}};

  Forest() {
    bits.slots = 7;
    for (std::size_t t = 0; t < 2; ++t) {
      std::uint32_t planes = 0;
      while (*std::ranges::max_element(values[t]) >> planes != 0) ++planes;
      bits.trees.push_back({3, planes, 4});
      for (std::uint16_t k = 0; k < 3; ++k) {
        bits.splits.push_back(BitForest::place(k));  // slots 0, 1 and 2 are split
        bits.splits.push_back(BitForest::place(conditions[t][k]));
      }
      for (std::uint32_t b = 0; b < planes; ++b) {
        const std::size_t at = bits.lists.size();
        bits.lists.push_back(0);
        for (std::uint16_t l = 0; l < 4; ++l) {
          if ((values[t][l] >> b & 1) != 0) bits.lists.push_back(BitForest::place(3U + l));
        }
        if ((bits.lists.size() - at) % 2 == 0) bits.lists.push_back(BitForest::place(7));
        bits.lists[at] = static_cast<BitForest::Place>(bits.lists.size() - at - 1);
      }
      for (std::uint32_t l = 0; l < 4; ++l) {
        bits.leaves.push_back({0.25 * values[t][l] - 1, 3 + l});
      }
    }
  }
  [[nodiscard]] std::size_t leaf(std::size_t t, const std::vector<DrawBits>& c,
                                 std::size_t draw) const {
    const bool left = c[conditions[t][0]][draw];
    const bool next = c[conditions[t][left ? 1 : 2]][draw];
    return (left ? 0U : 2U) + (next ? 0U : 1U);
  }
};

std::vector<DrawBits> random_conditions() {
  Sequence random({5, Purpose::train, 7});
  std::vector<DrawBits> out(5);
  for (DrawBits& bits : out) {
    for (std::size_t k = 0; k < kTreeBlock; ++k) {
      if (random.below(2) == 1) bits.set(k);
    }
  }
  return out;
}

TEST_P(BitTrees, RanksBelowCuts) {
  Sequence random({1, Purpose::train, 7});
  std::vector<std::int16_t> ranks(kTreeBlock);
  for (auto& rank : ranks) rank = static_cast<std::int16_t>(random.below(16'384));
  const std::vector<std::int16_t> cuts{0, 1, 77, 8192, 16'384, ranks[3]};
  std::vector<DrawBits> out(cuts.size());
  ranks_below(ranks.data(), cuts, out.data());
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    for (std::size_t k = 0; k < kTreeBlock; ++k) ASSERT_EQ(out[i][k], ranks[k] < cuts[i]) << i;
  }
}

TEST_P(BitTrees, ValuesAtMostLimits) {
  const Vector values = fixtures::random_vector(kTreeBlock, 3);
  const Vector limits{-2, values[9], 0.1, 2};
  std::vector<DrawBits> out(limits.size());
  values_at_most(values.data(), limits, out.data());
  for (std::size_t i = 0; i < limits.size(); ++i) {
    for (std::size_t k = 0; k < kTreeBlock; ++k) ASSERT_EQ(out[i][k], values[k] <= limits[i]) << i;
  }
}

TEST_P(BitTrees, SumsOfLeaves) {
  const Forest forest;
  const std::vector<DrawBits> conditions = random_conditions();
  std::vector<DrawBits> planes(kTreePlanes);
  TreeSlots slots;
  for (const std::size_t skipped : {0U, 2U}) {
    sum_trees(forest.bits, conditions.data(), skipped, slots, planes.data());
    std::vector<float> values(kTreeBlock);
    plane_values(planes.data(), 10.0F, 0.5F, values.data());
    const DrawBits at_most = sums_at_most(planes.data(), 708);
    for (std::size_t k = 0; k < kTreeBlock; ++k) {
      std::uint32_t sum = 0;
      for (std::size_t t = 0; t < 2; ++t) {
        sum += forest.values[t][forest.leaf(t, conditions, k)] >> skipped << skipped;
      }
      ASSERT_EQ(values[k], 10.0F + 0.5F * static_cast<float>(sum));
      ASSERT_EQ(at_most[k], sum <= 708);
    }
  }
  EXPECT_EQ(sums_at_most(planes.data(), -1).words[0], 0U);
  EXPECT_EQ(sums_at_most(planes.data(), 1 << 20).words[7], ~std::uint64_t{0});
}

TEST_P(BitTrees, LeavesAsTheyAre) {
  const Forest forest;
  const std::vector<DrawBits> conditions = random_conditions();
  TreeSlots slots;
  std::vector<double> doubles(kTreeBlock, 0.125);
  std::vector<float> floats(kTreeBlock, 0.125F);
  add_leaves(forest.bits, conditions.data(), slots, doubles.data());
  add_leaves(forest.bits, conditions.data(), slots, floats.data());
  for (std::size_t k = 0; k < kTreeBlock; ++k) {
    double sum = 0.125;
    for (std::size_t t = 0; t < 2; ++t) {
      sum += 0.25 * forest.values[t][forest.leaf(t, conditions, k)] - 1;
    }
    ASSERT_EQ(doubles[k], sum);
    ASSERT_EQ(floats[k], static_cast<float>(sum));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, BitTrees, ::testing::ValuesIn(targets()), [](const auto& given) {
  return std::string(hwy::TargetName(given.param));
});

}  // namespace
}  // namespace croco
