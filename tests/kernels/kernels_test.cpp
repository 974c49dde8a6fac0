// SPDX-License-Identifier: Apache-2.0
// Every kernel against a plain loop, on every instruction set that this processor has: the bits are
// the same on all of them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <croco/base/normal.hpp>
#include <croco/base/random.hpp>
#include <croco/kernels/aligned.hpp>
#include <croco/kernels/dense_block.hpp>
#include <croco/kernels/normal_draws.hpp>
#include <croco/kernels/order_select.hpp>
#include <croco/kernels/project_block.hpp>
#include <croco/kernels/relu_bank.hpp>
#include <croco/kernels/soft_terms.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using fixtures::random_vector;

AlignedFloats random_floats(std::size_t count, std::uint64_t seed) {
  const Vector values = random_vector(count, seed, -2, 2);
  return {values.begin(), values.end()};
}

/// The instruction sets that can be asked for here.
std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> out;
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    out.push_back(rest & -rest);
  }
  return out;
}

class Kernels : public ::testing::TestWithParam<std::int64_t> {
 protected:
  Kernels() { hwy::SetSupportedTargetsForTest(GetParam()); }
  ~Kernels() override { hwy::SetSupportedTargetsForTest(0); }
};

struct Bank {
  std::size_t units = 13;
  std::size_t positive = 6;
  std::size_t blocks = 19;
  AlignedFloats values = random_floats(units * blocks * kBankBlock, 1);

  [[nodiscard]] ReluBank view() const { return {values.data(), blocks, units, positive}; }
  [[nodiscard]] float at(std::size_t unit, std::size_t draw) const {
    return values[(draw / kBankBlock * units + unit) * kBankBlock + draw % kBankBlock];
  }
  [[nodiscard]] float sum(const AlignedFloats& cuts, std::size_t draw) const {
    float total = 0;
    for (std::size_t u = 0; u < units; ++u) {
      const float term = std::max(at(u, draw), cuts[u]);
      total = u < positive ? total + term : total - term;
    }
    return total;
  }
  [[nodiscard]] std::size_t draws() const { return blocks * kBankBlock; }
};

TEST_P(Kernels, ReluLogitsAreThePlainSums) {
  const Bank bank;
  const AlignedFloats cuts = random_floats(bank.units, 2);
  std::vector<float> out(bank.draws());
  relu_logits(bank.view(), cuts.data(), 0.25F, out.data());
  for (std::size_t k = 0; k < out.size(); ++k) ASSERT_EQ(out[k], bank.sum(cuts, k) + 0.25F) << k;
}

TEST_P(Kernels, ReluSplitCountsThePlainSums) {
  const Bank bank;
  for (const std::size_t people : {0U, 1U, 2U, 3U, 4U, 5U, 9U}) {
    std::vector<AlignedFloats> cuts;
    std::vector<ReluCut> points;
    for (std::size_t p = 0; p < people; ++p) cuts.push_back(random_floats(bank.units, 10 + p));
    for (std::size_t p = 0; p < people; ++p) {
      // One band is empty, one a single value, the others wide.
      const float low = p == 1 ? bank.sum(cuts[1], 77) : -0.5F;
      points.push_back({cuts[p].data(), low, p == 2 ? low : low + 0.5F});
    }
    std::vector<std::size_t> below(people, 5);
    std::vector<BetweenDraw> between;
    relu_split(bank.view(), points, below.data(), between);
    std::ranges::sort(between);
    std::vector<BetweenDraw> expected;
    for (std::size_t p = 0; p < people; ++p) {
      std::size_t count = 5;
      for (std::size_t k = 0; k < bank.draws(); ++k) {
        const float sum = bank.sum(cuts[p], k);
        if (sum <= points[p].low) {
          ++count;
        } else if (sum <= points[p].high) {
          expected.push_back({static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(k)});
        }
      }
      EXPECT_EQ(below[p], count) << p << " of " << people;
    }
    EXPECT_EQ(between, expected) << people;
  }
}

TEST_P(Kernels, ReluSplitDecidesNothingThatIsNoNumber) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Bank bank;
  const AlignedFloats cuts = random_floats(bank.units, 10);
  // Limits that are none, and a sum that is none: infinity less infinity.
  AlignedFloats endless = cuts;
  endless[0] = endless[bank.positive] = std::numeric_limits<float>::infinity();
  const std::vector<ReluCut> points{{cuts.data(), kNan, kNan}, {endless.data(), -0.5F, 0.5F}};
  std::vector<std::size_t> below(2);
  std::vector<BetweenDraw> between;
  relu_split(bank.view(), points, below.data(), between);
  EXPECT_EQ(below, (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(between.size(), 2 * bank.draws());
}

TEST_P(Kernels, CountsAndMarginsOfWhatIsNoNumber) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> values;
  for (std::size_t k = 0; k < 7; ++k) {
    for (const float value : {0.5F, kNan, -kInfinity, -0.25F, kInfinity}) values.push_back(value);
  }
  EXPECT_EQ(count_at_most(values, -0.25F), 14U);
  EXPECT_EQ(count_above(values, -0.25F), 14U);
  // No clear answer is certainly not the wanted one, and has no slope.
  std::vector<float> slopes(values.size());
  EXPECT_NEAR(logistic_slopes(std::vector<float>(20, kNan), 1.0F, 1.0F, slopes.data()), 20, 1e-6);
  EXPECT_EQ(slopes[0], 0);
  EXPECT_NEAR(logistic_sum(std::vector<float>(20, kNan), -1.0F), 20, 1e-6);
  margins_of(values, -1.0F, 0.25F);
  for (std::size_t k = 0; k < values.size(); k += 5) {
    EXPECT_EQ(values[k], -0.25F);
    EXPECT_EQ(values[k + 1], -kInfinity);
    EXPECT_EQ(values[k + 2], kInfinity);
    EXPECT_EQ(values[k + 3], 0.5F);
    EXPECT_EQ(values[k + 4], -kInfinity);
  }
}

TEST_P(Kernels, ReluSplitLeavesPaddingOut) {
  const Bank bank;
  const AlignedFloats cuts = random_floats(bank.units, 10);
  const std::vector<ReluCut> points(5, {cuts.data(), -0.5F, 0.5F});
  for (const std::size_t padding : {1U, 7U, 16U, 37U, 63U}) {
    ReluBank view = bank.view();
    view.padding = padding;
    std::vector<std::size_t> below(5);
    std::vector<BetweenDraw> between;
    relu_split(view, points, below.data(), between);
    std::size_t count = 0;
    std::size_t inside = 0;
    for (std::size_t k = 0; k < bank.draws() - padding; ++k) {
      const float sum = bank.sum(cuts, k);
      count += sum <= -0.5F ? 1U : 0U;
      inside += sum > -0.5F && sum <= 0.5F ? 1U : 0U;
    }
    for (const std::size_t found : below) EXPECT_EQ(found, count) << padding;
    EXPECT_EQ(between.size(), 5 * inside) << padding;
  }
}

TEST_P(Kernels, ReluActiveSumsTheWeightsOfActiveDraws) {
  const Bank bank;
  const AlignedFloats cuts = random_floats(bank.units, 3);
  const AlignedFloats weights = random_floats(bank.draws(), 4);
  Vector sums(bank.units, 1.0);
  relu_active(bank.view(), cuts.data(), weights.data(), sums.data());
  for (std::size_t u = 0; u < bank.units; ++u) {
    // Lane by lane in single precision, as the header says.
    float partial[16] = {};
    for (std::size_t k = 0; k < bank.draws(); ++k) {
      partial[k % 16] += bank.at(u, k) > cuts[u] ? weights[k] : 0.0F;
    }
    for (std::size_t width = 8; width > 0; width /= 2) {
      for (std::size_t lane = 0; lane < width; ++lane) partial[lane] += partial[lane + width];
    }
    EXPECT_EQ(sums[u], 1.0 + static_cast<double>(partial[0])) << u;
  }
}

TEST_P(Kernels, SelectsOrderStatistics) {
  std::vector<float> scratch;
  for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 500U, 1024U, 4099U}) {
    for (const int shape : {0, 1, 2}) {
      std::vector<float> values = fixtures::floats(random_vector(count, 5 + count, -3, 3));
      for (float& value : values) {
        if (shape == 1) value = std::round(value);      // many equal ones
        if (shape == 2) value = std::sinh(20 * value);  // of every magnitude
      }
      std::vector<float> sorted = values;
      std::ranges::sort(sorted);
      for (const double share : {0.0, 0.05, 0.5, 0.97, 1.0}) {
        const auto rank = std::min(count - 1, static_cast<std::size_t>(share * double(count)));
        const std::size_t low = rank - std::min<std::size_t>(rank, count / 25);
        const std::size_t high = std::min(count - 1, rank + count / 25);
        const SelectedBand band = select_band(values, low, rank, high, scratch);
        EXPECT_EQ(band.value, sorted[rank]) << count << " shape " << shape;
        EXPECT_LE(band.low, sorted[low]);
        EXPECT_GE(band.high, sorted[high]);
      }
    }
  }
}

TEST_P(Kernels, SelectsAmongInfinities) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> values(100, kInfinity);
  for (std::size_t k = 0; k < 40; ++k) values[k] = -kInfinity;
  values[70] = 1.5F;
  std::vector<float> scratch;
  EXPECT_EQ(select_band(values, 0, 10, 20, scratch).value, -kInfinity);
  EXPECT_EQ(select_band(values, 35, 40, 45, scratch).value, 1.5F);
  EXPECT_EQ(select_band(values, 40, 60, 80, scratch).value, kInfinity);
}

TEST_P(Kernels, CountsAndMarksABand) {
  const std::vector<float> values = fixtures::floats(random_vector(133, 6));
  std::vector<float> weights(values.size());
  const std::size_t members = band_weights(values, -0.25F, 0.5F, weights.data());
  std::size_t expected = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const bool inside = values[k] >= -0.25F && values[k] <= 0.5F;
    expected += inside ? 1U : 0U;
    EXPECT_EQ(weights[k], inside ? 1.0F : 0.0F);
  }
  EXPECT_EQ(members, expected);
  EXPECT_EQ(count_at_most(values, values[7]),
            static_cast<std::size_t>(
                std::ranges::count_if(values, [&](float v) { return v <= values[7]; })));
}

TEST_P(Kernels, NormalDrawsAreThoseOfTheScalarFunctions) {
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{12345},
                                    (std::uint64_t{1} << 32) - 5, (std::uint64_t{1} << 39)}) {
    const Stream stream{0x0123456789abcdefULL, Purpose::certify, Stream::kShared};
    for (const std::size_t count : {1U, 7U, 64U, 131U, 4096U}) {
      std::vector<double> out(4 * count);
      normal_draws(stream, first, 3, count, out.data());
      for (std::size_t k = 0; k < count; ++k) {
        const auto words = random_words(stream, first + k, 3);
        for (std::size_t i = 0; i < 4; ++i) {
          ASSERT_EQ(out[i * count + k], normal_quantile(to_uniform(words[i]))) << first << "+" << k;
        }
      }
    }
  }
}

TEST_P(Kernels, ProjectsABlock) {
  constexpr std::size_t kInputs = 7;
  constexpr std::size_t kUnits = 5;
  std::vector<double, CacheLineAllocator<double>> columns(kInputs * kBankBlock);
  std::ranges::copy(random_vector(columns.size(), 7), columns.begin());
  const Vector weights = random_vector(kInputs * kUnits, 8);
  AlignedFloats out(kUnits * kBankBlock);
  Vector largest(kUnits, 0.0);
  project_block(columns.data(), weights.data(), kInputs, kUnits, out.data(), largest.data());
  for (std::size_t u = 0; u < kUnits; ++u) {
    double most = 0;
    for (std::size_t k = 0; k < kBankBlock; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < kInputs; ++j) {
        sum += weights[u * kInputs + j] * columns[j * kBankBlock + k];
      }
      EXPECT_EQ(out[u * kBankBlock + k], static_cast<float>(sum));
      most = std::max(most, std::abs(sum));
    }
    EXPECT_EQ(largest[u], most);
  }
}

TEST_P(Kernels, DenseBlocksAreThePlainProducts) {
  constexpr std::size_t kInputs = 9;
  constexpr std::size_t kOutputs = 6;
  const AlignedFloats in = random_floats(kInputs * kBankBlock, 9);
  const AlignedFloats weights = random_floats(kInputs * kOutputs, 10);
  const AlignedFloats bias = random_floats(kOutputs, 11);
  AlignedFloats out(kOutputs * kBankBlock);
  for (const float* added : {static_cast<const float*>(nullptr), bias.data()}) {
    dense_block(weights.data(), added, kInputs, kOutputs, in.data(), out.data());
    for (std::size_t o = 0; o < kOutputs; ++o) {
      for (std::size_t k = 0; k < kBankBlock; ++k) {
        double sum = added == nullptr ? 0.0 : static_cast<double>(added[o]);
        for (std::size_t h = 0; h < kInputs; ++h) {
          sum += static_cast<double>(weights[o * kInputs + h]) *
                 static_cast<double>(in[h * kBankBlock + k]);
        }
        EXPECT_NEAR(out[o * kBankBlock + k], sum, 5e-6);
      }
    }
  }
}

TEST_P(Kernels, ReluBlocksCutAtZero) {
  const AlignedFloats in = random_floats(2 * kBankBlock, 12);
  AlignedFloats shifted(2 * kBankBlock);
  const float shifts[] = {0.5F, -0.25F};
  const std::uint32_t units[] = {1, 0};
  shifted_relu_blocks(units, in.data(), shifts, shifted.data());
  Vector sums{1.0, 2.0};
  add_block_sums(2, in.data(), sums.data());
  for (std::size_t u = 0; u < 2; ++u) {
    double expected = 1.0 + static_cast<double>(u);
    for (std::size_t k = 0; k < kBankBlock; ++k) {
      expected += static_cast<double>(in[u * kBankBlock + k]);
    }
    EXPECT_NEAR(sums[u], expected, 1e-5);
  }
  AlignedFloats cut = in;
  relu_blocks(2, cut.data());
  AlignedFloats slopes(2 * kBankBlock, 3.0F);
  relu_mask_blocks(2, in.data(), slopes.data());
  for (std::size_t k = 0; k < in.size(); ++k) {
    const std::size_t row = k / kBankBlock;
    EXPECT_EQ(shifted[k],
              std::max(0.0F, shifts[row] + in[units[row] * kBankBlock + k % kBankBlock]));
    EXPECT_EQ(cut[k], std::max(0.0F, in[k]));
    EXPECT_EQ(slopes[k], in[k] > 0 ? 3.0F : 0.0F);
  }
}

TEST_P(Kernels, LogisticSumsAndSlopes) {
  for (const std::size_t count : {1U, 16U, 500U, 1300U}) {
    std::vector<float> logits = fixtures::floats(random_vector(count, 13 + count, -30, 30));
    logits[0] = 500;
    for (const float sign : {1.0F, -1.0F}) {
      double expected = 0;
      for (const float z : logits) expected += 1 / (1 + std::exp(double(sign) * double(z)));
      EXPECT_NEAR(logistic_sum(logits, sign), expected, 3e-7 * double(count));
      std::vector<float> slopes(count);
      EXPECT_EQ(logistic_slopes(logits, sign, -2.0F, slopes.data()), logistic_sum(logits, sign));
      for (std::size_t k = 0; k < count; ++k) {
        const double p = 1 / (1 + std::exp(double(sign) * double(logits[k])));
        ASSERT_NEAR(slopes[k], -2 * p * (1 - p), 1e-6) << logits[k];
      }
    }
  }
}

std::string name_of_target(const ::testing::TestParamInfo<std::int64_t>& info) {
  std::string name = hwy::TargetName(info.param);
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, Kernels, ::testing::ValuesIn(targets()), name_of_target);

/// The bits of a whole computation are the same everywhere.
TEST(KernelsTogether, GiveTheSameBitsOnEveryInstructionSet) {
  const Bank bank;
  const AlignedFloats cuts = random_floats(bank.units, 2);
  const auto all = [&] {
    std::vector<float> out(bank.draws());
    relu_logits(bank.view(), cuts.data(), 0.25F, out.data());
    Vector sums(bank.units);
    relu_active(bank.view(), cuts.data(), out.data(), sums.data());
    std::vector<float> slopes(out.size());
    sums.push_back(logistic_slopes(out, 1.0F, 1.0F, slopes.data()));
    sums.insert(sums.end(), out.begin(), out.end());
    sums.insert(sums.end(), slopes.begin(), slopes.end());
    return sums;
  };
  const Vector expected = all();
  for (const std::int64_t target : targets()) {
    hwy::SetSupportedTargetsForTest(target);
    EXPECT_EQ(all(), expected) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace croco
