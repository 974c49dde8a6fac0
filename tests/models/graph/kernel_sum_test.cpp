// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/kernel_sum.hpp>

#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/random.hpp>
#include <croco/models/graph/kernel_blocks.hpp>
#include <croco/models/graph/plane_error.hpp>
#include <croco/models/graph/plane_model.hpp>
#include <croco/models/graph/plane_pass.hpp>
#include <croco/models/graph/plane_rewrite.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

constexpr std::size_t kInputs = 5;
constexpr std::size_t kVectors = 77;  // two runs and a part of a third

Vector uniform(Sequence& random, std::size_t count, double scale) {
  Vector out(count);
  // As files have them: numbers of single precision.
  for (double& value : out) {
    value = static_cast<double>(static_cast<float>(scale * (2 * random.uniform() - 1)));
  }
  return out;
}

KernelSum::Parameters random_sum(Sequence& random, VectorKernel kernel) {
  return {.kernel = kernel,
          .gamma = 0.3,
          .shift = kernel == VectorKernel::gaussian ? 0.0 : 0.25,
          .degree = kernel == VectorKernel::power ? 3U : 1U,
          .inputs = kInputs,
          .vectors = uniform(random, kInputs * kVectors, 1.5),
          .coefficients = uniform(random, kVectors, 2),
          .offset = 0.1};
}

/// By the formula.
double value_of(const KernelSum::Parameters& of, View x) {
  double out = of.offset;
  for (std::size_t v = 0; v < of.coefficients.size(); ++v) {
    double distance = 0;
    double product = 0;
    for (std::size_t i = 0; i < of.inputs; ++i) {
      const double entry = of.vectors[v * of.inputs + i];
      distance += (x[i] - entry) * (x[i] - entry);
      product += x[i] * entry;
    }
    const double u = of.gamma * product + of.shift;
    out +=
        of.coefficients[v] * (of.kernel == VectorKernel::gaussian ? std::exp(-of.gamma * distance)
                              : of.kernel == VectorKernel::power  ? std::pow(u, of.degree)
                                                                  : std::tanh(u));
  }
  return out;
}

PlaneProgram program_of(std::shared_ptr<const KernelSum> sum, bool coupled, double sign) {
  PlaneProgram out{.inputs = kInputs, .planes = kInputs + 3};
  KernelStep kernels{.sum = std::move(sum), .out = kInputs};
  for (Plane p = 0; p < kInputs; ++p) kernels.in.push_back(p);
  out.steps.emplace_back(std::move(kernels));
  out.result = kInputs;
  if (!coupled) return out;
  out.steps.emplace_back(UnaryStep{Unary::libsvm_logit, 0, 0, {kInputs}, kInputs + 1});
  out.steps.emplace_back(ScaleStep{{kInputs + 1}, kInputs + 2, {sign}, {0.0}});
  out.result = kInputs + 2;
  return out;
}

class KernelSums : public testing::TestWithParam<VectorKernel> {
 protected:
  Sequence random_{{.seed = 9, .purpose = Purpose::train, .item = 4}};
  std::shared_ptr<const KernelSum> sum_ =
      std::make_shared<const KernelSum>(random_sum(random_, GetParam()));
};

TEST_P(KernelSums, AreTheFormulaWithItsGradient) {
  const PlaneModel model(program_of(sum_, false, 1));
  for (int trial = 0; trial < 20; ++trial) {
    const Vector x = uniform(random_, kInputs, 2);
    EXPECT_NEAR(model.logit(x), value_of(sum_->parameters(), x), 1e-11);
    Vector gradient(kInputs);
    model.gradient()->logit_gradient(x, gradient);
    const Vector expected =
        fixtures::central_difference([&](View at) { return model.logit(at); }, x, 1e-5);
    for (std::size_t i = 0; i < kInputs; ++i) EXPECT_NEAR(gradient[i], expected[i], 1e-5);
  }
}

/// Blocks in both precisions, with every input fixed or open, and parts of blocks.
template <typename Number>
void expect_blocks_near(const KernelSum& sum, Sequence& random, double slack) {
  constexpr std::size_t kItems = 130;
  for (unsigned mask = 0; mask < 1U << kInputs; mask += 3) {
    std::vector<bool> fixed;
    std::vector<std::vector<Number>> columns(kInputs, std::vector<Number>(kItems));
    std::vector<const Number*> in;
    std::vector<Number> first;
    for (std::size_t i = 0; i < kInputs; ++i) {
      fixed.push_back((mask >> i & 1U) != 0);
      for (Number& x : columns[i]) x = static_cast<Number>(4 * random.uniform() - 2);
      if (fixed.back()) std::ranges::fill(columns[i], columns[i][0]);
      first.push_back(columns[i][0]);
      in.push_back(columns[i].data());
    }
    KernelBlocks<Number> blocks(sum, fixed, first);
    std::vector<Number> out(kItems);
    blocks.apply(in, kItems, out.data());
    std::vector<std::vector<Number>> slopes(kInputs, std::vector<Number>(kItems));
    std::vector<Number*> into;
    for (auto& column : slopes) into.push_back(column.data());
    const std::vector<Number> ones(kItems, Number{1});
    blocks.add_slopes(in, kItems, ones.data(), into);
    Vector totals(kInputs);
    std::vector<PlaneBound> bounds(kInputs);
    const Arithmetic& arithmetic = sizeof(Number) == sizeof(float) ? kSingleDraws : kDouble;
    for (PlaneBound& bound : bounds) bound = {2, 2 * arithmetic.unit};
    const auto shared = std::make_shared<const KernelSum>(sum.parameters());
    const double most = result_bound(program_of(shared, false, 1), bounds, arithmetic).error;
    ASSERT_LT(most, slack);
    for (std::size_t k = 0; k < kItems; ++k) {
      Vector x;
      for (const auto& column : columns) x.push_back(static_cast<double>(column[k]));
      ASSERT_NEAR(static_cast<double>(out[k]), value_of(sum.parameters(), x), most);
      std::vector<const double*> row;
      for (const double& value : x) row.push_back(&value);
      Vector gradient(kInputs);
      std::vector<double*> to;
      for (double& value : gradient) to.push_back(&value);
      const double one = 1;
      sum.add_slopes(row, 1, &one, to);
      for (std::size_t i = 0; i < kInputs; ++i) totals[i] += gradient[i];
    }
    for (std::size_t i = 0; i < kInputs; ++i) {
      double found = 0;
      for (const Number slope : slopes[i]) found += static_cast<double>(slope);
      ASSERT_NEAR(found, totals[i], 1e5 * arithmetic.unit * (1 + std::abs(totals[i])));
    }
  }
}

TEST_P(KernelSums, BlocksAreWithinTheirErrorBound) {
  expect_blocks_near<float>(*sum_, random_, GetParam() == VectorKernel::power ? 2 : 0.01);
  expect_blocks_near<double>(*sum_, random_, 1e-8);
}

TEST_P(KernelSums, CountsAreThoseOfTheRows) {
  constexpr std::size_t kDraws = 3000;
  Matrix noise(kDraws, kInputs);
  for (std::size_t k = 0; k < kDraws; ++k) {
    for (std::size_t i = 0; i < 3; ++i) noise.data[k * kInputs + i] = random_.uniform() - 0.5;
  }
  for (const double sign : {0.0, 1.0, -1.0}) {
    const PlaneModel model(program_of(sum_, sign != 0, sign));
    EXPECT_FALSE(model.by_rows());
    EXPECT_EQ(model.uncoupled(), sign != 0);
    const auto bound = model.bind(noise.rows());
    for (int trial = 0; trial < 4; ++trial) {
      const Vector point = uniform(random_, kInputs, 1);
      Matrix rows = noise;
      for (std::size_t k = 0; k < kDraws; ++k) {
        for (std::size_t i = 0; i < kInputs; ++i) rows.data[k * kInputs + i] += point[i];
      }
      Vector expected(kDraws);
      model.logits(rows.rows(), expected);
      for (const double threshold : {0.0, 0.01, 0.6, -0.73, expected[1], 3.99, 6.0}) {
        for (const bool above : {true, false}) {
          const Cut cut{threshold, above};
          std::size_t failures = 0;
          std::vector<PointDraw> undecided;
          bound->count_failures(Rows{point, kInputs}, cut, {&failures, 1}, &undecided);
          for (const PointDraw& draw : undecided) {
            failures += cut.clears(expected[draw.draw]) ? 0U : 1U;
          }
          const auto failing =
              std::ranges::count_if(expected, [&](double z) { return !cut.clears(z); });
          EXPECT_EQ(failures, static_cast<std::size_t>(failing)) << sign << ", " << threshold;
        }
      }
      std::vector<float> found(kDraws);
      bound->logits(point, 0, found);
      std::size_t other = 0;  // next to a jump of the coupling
      for (std::size_t k = 0; k < kDraws; ++k) {
        other += std::abs(static_cast<double>(found[k]) - expected[k]) < 0.01 ? 0U : 1U;
      }
      EXPECT_LE(other, 3U);
    }
  }
}

/// A coupled logit that something is made of: the error bound does not cover its jumps, so that all
/// samples are counted as rows.
TEST_P(KernelSums, ComposedCouplingsAreCountedByRows) {
  constexpr std::size_t kDraws = 3000;
  Matrix noise(kDraws, kInputs);
  for (double& value : noise.data) value = random_.uniform() - 0.5;
  for (const bool doubled : {true, false}) {
    PlaneProgram program = program_of(sum_, true, 2);
    if (!doubled) {
      program.steps.back() = BinaryStep{Binary::add, {kInputs + 1}, {kInputs}, kInputs + 2};
    }
    const PlaneModel model(program);
    EXPECT_FALSE(model.uncoupled());
    EXPECT_TRUE(model.by_rows());
    const auto bound = model.bind(noise.rows());
    const Vector point = uniform(random_, kInputs, 1);
    Matrix rows = noise;
    for (std::size_t k = 0; k < kDraws; ++k) {
      for (std::size_t i = 0; i < kInputs; ++i) rows.data[k * kInputs + i] += point[i];
    }
    Vector expected(kDraws);
    model.logits(rows.rows(), expected);
    for (const double threshold : {0.0, 0.02, expected[5], 1.2}) {
      const Cut cut{threshold, true};
      std::size_t failures = 0;
      std::vector<PointDraw> undecided;
      bound->count_failures(Rows{point, kInputs}, cut, {&failures, 1}, &undecided);
      EXPECT_TRUE(undecided.empty());
      const auto failing =
          std::ranges::count_if(expected, [&](double z) { return !cut.clears(z); });
      EXPECT_EQ(failures, static_cast<std::size_t>(failing)) << threshold;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, KernelSums,
                         testing::Values(VectorKernel::gaussian, VectorKernel::power,
                                         VectorKernel::tanh));

TEST(KernelSum, RefusesListsThatDoNotFit) {
  EXPECT_THAT(
      fixtures::message_of<ModelError>([] {
        return KernelSum({.inputs = 2, .vectors = {1, 2, 3}, .coefficients = {1, 1}}).count();
      }),
      testing::HasSubstr("it has 3 numbers for 2 support vectors of 2 columns"));
}

/// What the counts above rest on.
TEST(Coupling, MovesLogitsWithinTheReachByAtMostTheGap) {
  const auto coupled = [](double x) { return apply(Unary::libsvm_logit, x, 0, 0); };
  constexpr int kSteps = 400'000;
  for (int k = -kSteps; k <= kSteps; ++k) {
    const double x = 20.0 * k / kSteps;
    if (std::abs(x) <= kCouplingReach + kCouplingGap) {
      ASSERT_LT(std::abs(coupled(x) - x), kCouplingGap) << x;
    } else {
      ASSERT_GT(coupled(x) * (x > 0 ? 1 : -1), kCouplingReach) << x;
    }
  }
  EXPECT_EQ(coupled(0.019), 0);
  EXPECT_GT(coupled(0.021), 0.02);
}

}  // namespace
}  // namespace croco
