// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/plane_error.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <croco/models/graph/plane_model.hpp>
#include <croco/models/graph/plane_pass.hpp>
#include <tests/fixtures.hpp>
#include <tests/plane_programs.hpp>

namespace croco {
namespace {

using fixtures::ProgramBuilder;

struct Function {
  Unary unary;
  double a;
  double b;
};
constexpr std::array kFunctions{
    Function{Unary::relu, 0, 0},        Function{Unary::leaky_relu, 0.2, 0},
    Function{Unary::leaky_relu, -3, 0}, Function{Unary::elu, 1.5, 0},
    Function{Unary::selu, 1.67, 1.05},  Function{Unary::celu, 0.7, 0},
    Function{Unary::gelu, 0, 0},        Function{Unary::gelu_tanh, 0, 0},
    Function{Unary::tanh, 0, 0},        Function{Unary::sigmoid, 0, 0},
    Function{Unary::softplus, 0, 0},    Function{Unary::softsign, 0, 0},
    Function{Unary::mish, 0, 0},        Function{Unary::hard_sigmoid, 0.2, 0.5},
    Function{Unary::hard_swish, 0, 0},  Function{Unary::clip, -0.5, 2},
    Function{Unary::square, 0, 0},      Function{Unary::abs, 0, 0},
    Function{Unary::erf, 0, 0},         Function{Unary::logit, 0.01, 0}};

/// Two affine layers with a function between them, a residual, and a group or product at the end.
PlaneProgram random_program(Sequence& random, const Function& function, double scale) {
  const auto numbers = [&](std::size_t count) {
    Vector out(count);
    for (double& value : out) value = scale * (2 * random.uniform() - 1);
    return out;
  };
  const std::size_t width = 2 + random.below(12);
  ProgramBuilder build(3 + random.below(5));
  const std::vector<Plane> in = build.inputs();
  std::vector<Plane> first = build.affine(in, width, numbers(in.size() * width), numbers(width));
  first = build.unary(function.unary, std::move(first), function.a, function.b);
  std::vector<Plane> second = build.affine(first, width, numbers(width * width), numbers(width));
  constexpr std::array kBinary{Binary::add, Binary::subtract, Binary::multiply, Binary::minimum,
                               Binary::maximum};
  second = build.binary(kBinary[random.below(kBinary.size())], std::move(second), first);
  constexpr std::array kGroups{GroupKind::sum,        GroupKind::mean,    GroupKind::largest,
                               GroupKind::smallest,   GroupKind::softmax, GroupKind::log_softmax,
                               GroupKind::log_sum_exp};
  return build.ending_in(build.group(kGroups[random.below(kGroups.size())], second)[0]);
}

template <typename Number>
double result(const PlaneProgram& program, View inputs) {
  const std::vector<FloatLayer> layers = float_layers(program);
  PlanePass<Number> pass(program, layers, 1);
  for (std::size_t i = 0; i < inputs.size(); ++i) pass.input(i)[0] = static_cast<Number>(inputs[i]);
  return static_cast<double>(pass.forward(1)[0]);
}

TEST(PlaneError, BoundsWhatSinglePrecisionIsOff) {
  Sequence random({3, Purpose::train, 0});
  std::size_t useful = 0;
  for (const Function& function : kFunctions) {
    for (int round = 0; round < 200; ++round) {
      const double scale = std::pow(10.0, 3 * random.uniform() - 1.5);
      const PlaneProgram program = random_program(random, function, scale);
      const double reach = std::pow(10.0, 3 * random.uniform() - 1);
      Vector inputs(program.inputs);
      std::vector<PlaneBound> bounds;
      for (double& value : inputs) {
        value = reach * (2 * random.uniform() - 1);
        bounds.push_back({reach, kSingle.unit * reach});
      }
      const double exact = result<double>(program, inputs);
      const PlaneBound bound = result_bound(program, bounds, kSingle);
      ASSERT_LE(std::abs(result<float>(program, inputs) - exact), bound.error)
          << "function " << static_cast<int>(function.unary) << ", round " << round;
      if (std::isfinite(bound.error)) {
        ASSERT_LE(std::abs(exact), bound.magnitude + bound.error);
      }
      useful += bound.error < 0.25 ? 1U : 0U;
    }
  }
  EXPECT_GT(useful, kFunctions.size() * 200 / 3);  // bounds that are always infinite hold too
}

TEST(PlaneError, HasNoBoundWhereErrorsMayGrowWithoutLimit) {
  for (const Unary function : {Unary::log, Unary::sqrt, Unary::reciprocal, Unary::power,
                               Unary::floor, Unary::thresholded_relu}) {
    ProgramBuilder build(2);
    const Plane result = build.unary(function, build.inputs(), 0.5)[0];
    EXPECT_FALSE(has_error_bound(build.ending_in(result))) << static_cast<int>(function);
  }
  for (const Binary function : {Binary::divide, Binary::power, Binary::less}) {
    ProgramBuilder build(2);
    const Plane result = build.binary(function, {0}, {1})[0];
    EXPECT_FALSE(has_error_bound(build.ending_in(result))) << static_cast<int>(function);
  }
  ProgramBuilder build(2);
  EXPECT_TRUE(has_error_bound(build.ending_in(build.unary(Unary::gelu, build.inputs())[0])));
}

TEST(PlaneError, IsInfiniteWhereNumbersOverflow) {
  ProgramBuilder build(1);
  const std::vector<Plane> large = build.affine({0}, 1, {1e12}, {0});
  const PlaneProgram program = build.ending_in(build.binary(Binary::multiply, large, large)[0]);
  const std::vector<PlaneBound> one{{1, 0}};
  EXPECT_TRUE(std::isinf(result_bound(program, one, kSingle).error));
  EXPECT_TRUE(std::isfinite(result_bound(program, one, kDouble).error));
}

TEST(PlaneError, IsInfiniteWhereAWeightOverflowsEvenBesideNothing) {
  ProgramBuilder build(2);
  const PlaneProgram program = build.ending_in(build.affine({0, 1}, 1, {1e39, 1}, {0})[0]);
  const std::vector<PlaneBound> inputs{{0, 0}, {1, 0}};
  EXPECT_TRUE(std::isinf(result_bound(program, inputs, kSingle).error));
  EXPECT_TRUE(std::isfinite(result_bound(program, inputs, kDouble).error));
}

TEST(PlaneError, CountsEveryWeightThatIsTooSmallForSinglePrecision) {
  constexpr std::size_t kWidth = 2000;
  ProgramBuilder build(kWidth);
  const PlaneProgram program =
      build.ending_in(build.affine(build.inputs(), 1, Vector(kWidth, 9e-31), {0})[0]);
  const Vector inputs(kWidth, 1e14);
  const std::vector<PlaneBound> bounds(kWidth, {1e14, 0});
  EXPECT_LE(std::abs(result<float>(program, inputs) - result<double>(program, inputs)),
            result_bound(program, bounds, kSingle).error);
  EXPECT_EQ(result<float>(program, inputs), 0);
}

/// Counts of bound draws, settled by the model where they are undecided, against rows.
void expect_same_counts(const PlaneModel& model, Rows draws, View point, double threshold) {
  const auto bound = model.bind(draws);
  const auto at = [&](std::size_t k) {
    Vector row(point.begin(), point.end());
    for (std::size_t j = 0; j < row.size(); ++j) row[j] += draws[k][j];
    return model.logit(row);
  };
  for (const bool above : {true, false}) {
    const Cut cut{threshold, above};
    std::size_t count = 0;
    std::vector<PointDraw> undecided;
    bound->count_failures({point, point.size()}, cut, {&count, 1}, &undecided);
    for (const PointDraw& one : undecided) count += cut.clears(at(one.draw)) ? 0U : 1U;
    std::size_t expected = 0;
    for (std::size_t k = 0; k < draws.count(); ++k) expected += cut.clears(at(k)) ? 0U : 1U;
    EXPECT_EQ(count, expected) << "threshold " << threshold;
  }
}

TEST(PlaneError, DrawsAreDecidedAsTheModelDoes) {
  Sequence random({4, Purpose::train, 0});
  for (std::size_t round = 0; round < 60; ++round) {
    const Function& function = kFunctions[round % kFunctions.size()];
    // Weights of damaged files magnify roundings beyond what any logit shows.
    const double scale = round < 40 ? 1 : 1e25;
    const PlaneProgram program = random_program(random, function, scale);
    const PlaneModel model(program);
    Matrix draws(150, program.inputs);
    draws.data = fixtures::random_vector(draws.data.size(), round, -0.5, 0.5);
    const Vector point = fixtures::random_vector(program.inputs, 100 + round);
    expect_same_counts(model, draws.rows(), point, -0.1);
    // A threshold that is a draw's own logit, to the last bit.
    for (const std::size_t k : {0U, 7U, 149U}) {
      Vector row(point);
      for (std::size_t j = 0; j < row.size(); ++j) row[j] += draws[k][j];
      expect_same_counts(model, draws.rows(), point, model.logit(row));
    }
  }
}

}  // namespace
}  // namespace croco
