// SPDX-License-Identifier: Apache-2.0
// Models of every kind, graphs that answer with no number among them, under every noise, on scales
// from 1e-60 to 1e60: what is counted is what the model answers row by row, and no certificate is
// below the rate that another generator finds.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/models/graph/plane_model.hpp>
#include <croco/models/probability_model.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <croco/robustness/certify.hpp>

#include "tests/fixtures.hpp"
#include "tests/flips.hpp"
#include "tests/plane_programs.hpp"

namespace croco {
namespace {

constexpr std::size_t kNumbers = 3;
constexpr std::size_t kLevels = 2;
constexpr std::size_t kWidth = kNumbers + kLevels;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A power of ten, evenly in the exponent.
double any_scale(Sequence& random, double least, double most) {
  return std::pow(10.0, least + (most - least) * random.uniform());
}

/// Numbers of noise by the standard library's generator; the two correlated columns by their
/// conditional distribution.
class OtherNoise {
 public:
  OtherNoise(const Noise& noise, std::uint64_t seed) : noise_(noise), random_(seed) {}

  void add_to(Vector& row, std::size_t level) {
    if (noise_.shape == NoiseShape::empirical) {
      const Matrix& rows = noise_.residuals.rows;
      const View residual =
          rows[std::uniform_int_distribution<std::size_t>(0, rows.count() - 1)(random_)];
      for (std::size_t j = 0; j < kNumbers; ++j) row[j] += residual[j];
    } else if (noise_.shape == NoiseShape::correlated) {
      const Matrix& c = noise_.covariance.matrix();
      const double first = normal();
      const double rho = c[0][1] / std::sqrt(c[0][0]) / std::sqrt(c[1][1]);
      const double rest = std::max(0.0, (1 - rho) * (1 + rho));
      row[0] += std::sqrt(c[0][0]) * first;
      row[1] += std::sqrt(c[1][1]) * (rho * first + std::sqrt(rest) * normal());
      row[2] += std::sqrt(c[2][2]) * normal();
    } else {
      for (std::size_t j = 0; j < kNumbers; ++j) row[j] += noise_.column_scales[j] * standard(j);
    }
    if (noise_.flips.empty()) return;
    constexpr double kFlip = 0.1;
    if (std::uniform_real_distribution<double>()(random_) >= kFlip) return;
    row[kNumbers + level] = 0;
    row[kNumbers + 1 - level] = 1;
  }

 private:
  double normal() { return std::normal_distribution<double>()(random_); }
  double standard(std::size_t j) {
    switch (noise_.shape == NoiseShape::mixed ? noise_.column_shapes[j] : noise_.shape) {
      case NoiseShape::uniform:
        return std::uniform_real_distribution<double>(-1, 1)(random_);
      case NoiseShape::laplace: {
        const double size = std::exponential_distribution<double>()(random_);
        return std::bernoulli_distribution()(random_) ? size : -size;
      }
      case NoiseShape::student_t:
        return std::student_t_distribution<double>(noise_.degrees_of_freedom)(random_);
      default:
        return normal();
    }
  }

  const Noise& noise_;
  std::mt19937_64 random_;
};

struct World {
  std::string words;
  std::shared_ptr<const Model> model;
  Space space = fixtures::mixed_space(kNumbers, {kLevels});
  Noise noise;
  Vector point;
};

Noise random_noise(Sequence& random, const Space& space) {
  Noise noise;
  noise.shape = static_cast<NoiseShape>(random.below(7));
  noise.scope = NoiseScope::continuous;
  const double usual = any_scale(random, -20, 40);
  Vector scales(kWidth);
  for (std::size_t j = 0; j < kNumbers; ++j) scales[j] = usual * any_scale(random, -3, 3);
  if (random.below(4) == 0) scales[random.below(kNumbers)] = 0;
  noise.degrees_of_freedom = any_scale(random, -0.6, 1);
  if (noise.shape == NoiseShape::empirical) {
    noise.residuals.columns = {0, 1, 2};
    noise.residuals.rows = Matrix(50, kNumbers);
    for (double& value : noise.residuals.rows.data) value = usual * (2 * random.uniform() - 1);
  } else if (noise.shape == NoiseShape::correlated) {
    Matrix matrix(kNumbers, kNumbers);
    for (std::size_t j = 0; j < kNumbers; ++j) matrix[j][j] = usual * usual;
    matrix[0][1] = matrix[1][0] = (1 - any_scale(random, -15, 0)) * usual * usual;
    noise.covariance = Covariance({0, 1, 2}, matrix);
  } else {
    noise.column_scales = scales;
    if (noise.shape == NoiseShape::mixed) {
      for (std::size_t j = 0; j < kWidth; ++j) {
        noise.column_shapes.push_back(static_cast<NoiseShape>(random.below(3)));
      }
    }
  }
  if (random.below(3) == 0) {
    noise.flips = {LevelFlips::uniform(space.groups[0], 0.1, std::vector<bool>(kLevels, true))};
  }
  return noise;
}

Vector numbers(Sequence& random, std::size_t count, double scale) {
  Vector out(count);
  for (double& value : out) value = scale * (2 * random.uniform() - 1);
  return out;
}

std::shared_ptr<const Model> random_network(Sequence& random, std::size_t hidden, double bias) {
  std::vector<DenseLayer> layers;
  std::size_t before = kWidth;
  const auto activation = static_cast<Activation>(hidden < 2 ? 0 : random.below(6));
  for (std::size_t i = 0; i <= hidden; ++i) {
    const std::size_t units = i == hidden ? 1 : 2 + random.below(6);
    const double scale = any_scale(random, -45, 25);
    layers.push_back(
        {before, units, numbers(random, before * units, scale), numbers(random, units, scale)});
    before = units;
  }
  // Columns that cancel, as nearly repeated ones do.
  if (random.below(3) == 0) {
    DenseLayer& first = layers.front();
    for (std::size_t o = 0; o < first.outputs; ++o) {
      first.weight[o * kWidth + 1] = -first.weight[o * kWidth];
    }
  }
  layers.back().bias[0] += bias;
  return std::make_shared<Mlp>(std::move(layers), activation);
}

std::shared_ptr<const Model> random_trees(Sequence& random, const World& world, bool shares,
                                          double bias) {
  TreeEnsemble ensemble{.width = kWidth};
  const Vector scales = scoped_scales(world.noise, world.space);
  const std::size_t trees = 1 + random.below(5);
  const double size = shares ? 1.0 : any_scale(random, -60, 30);
  for (std::size_t t = 0; t < trees; ++t) {
    std::vector<ListedNode> nodes(7);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (k < 3) {
        const auto column = static_cast<std::uint32_t>(random.below(kNumbers + 1));
        const double limit =
            column == kNumbers ? 0.5
                               : world.point[column] + scales[column] * (2 * random.uniform() - 1);
        nodes[k] = {.node = {.number = limit, .column = column},
                    .left = static_cast<std::int64_t>(2 * k + 1),
                    .right = static_cast<std::int64_t>(2 * k + 2)};
      } else {
        nodes[k].node.number = shares ? random.uniform() : size * (2 * random.uniform() - 1);
      }
    }
    append_tree(ensemble, nodes, "a tree");
  }
  if (shares) ensemble.divide = static_cast<double>(trees);
  ensemble.base = shares ? 0.0 : bias;
  auto model = std::make_shared<TreeModel>(ensemble, InputColumns::identity(kWidth));
  if (!shares) return model;
  return std::make_shared<ProbabilityModel>(model);
}

std::shared_ptr<const Model> random_graph(Sequence& random, double bias) {
  constexpr std::array kFunctions{Unary::relu, Unary::log,        Unary::sqrt, Unary::reciprocal,
                                  Unary::exp,  Unary::softplus,   Unary::gelu, Unary::square,
                                  Unary::sign, Unary::hard_swish, Unary::tanh, Unary::clip};
  constexpr std::array kJoins{Binary::add,     Binary::multiply, Binary::divide,
                              Binary::minimum, Binary::maximum,  Binary::power};
  fixtures::ProgramBuilder build(kWidth);
  const std::size_t units = 2 + random.below(3);
  const std::vector<Plane> in = build.inputs();
  const double scale = any_scale(random, -30, 20);
  std::vector<Plane> one = build.affine(in, units, numbers(random, kWidth * units, scale),
                                        numbers(random, units, scale));
  std::vector<Plane> other = one;
  one = build.unary(kFunctions[random.below(kFunctions.size())], one, -1, 1);
  if (random.below(2) == 0) {
    one = build.unary(kFunctions[random.below(kFunctions.size())], one, -1, 1);
  }
  if (random.below(2) == 0) {
    one = build.binary(kJoins[random.below(kJoins.size())], one, other);
  }
  constexpr std::array kGroups{GroupKind::sum, GroupKind::largest, GroupKind::log_softmax};
  const Plane score = build.group(kGroups[random.below(kGroups.size())], one)[0];
  return std::make_shared<PlaneModel>(
      build.ending_in(build.affine({score}, 1, {any_scale(random, -20, 10)}, {bias})[0]));
}

std::shared_ptr<const Model> random_model(std::uint64_t seed, const World& world, double bias) {
  Sequence random({seed, Purpose::train, 2});
  const std::uint32_t kind = random.below(7);
  if (kind < 4) return random_network(random, kind, bias);
  if (kind < 6) return random_trees(random, world, kind == 5, bias);
  return random_graph(random, bias);
}

/// A world, or none where the model is refused for its size.
std::optional<World> random_world(std::uint64_t seed) {
  Sequence random({seed, Purpose::train, 1});
  World world;
  world.noise = random_noise(random, world.space);
  world.point = numbers(random, kWidth, any_scale(random, -6, 6));
  world.point[kNumbers] = 1;
  world.point[kNumbers + 1] = 0;
  try {
    validate(world.noise, kWidth);
    world.model = random_model(seed, world, 0.0);
    // The middle of its answers, or nearly, becomes the threshold.
    OtherNoise other(world.noise, seed);
    Vector logits;
    for (std::size_t k = 0; k < 60; ++k) {
      Vector row = world.point;
      other.add_to(row, 0);
      const double logit = world.model->logit(row);
      if (std::isfinite(logit)) logits.push_back(logit);
    }
    if (!logits.empty()) {
      std::ranges::sort(logits);
      const auto rank = random.below(static_cast<std::uint32_t>(logits.size()));
      world.model = random_model(seed, world, -logits[rank]);
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  world.words = fmt::format("seed {}, noise {}", seed, noise_text(world.noise));
  return world;
}

/// The draws of `tally`, row by row through the model.
std::size_t plain_count(const Problem& problem, View point, std::size_t samples) {
  const Stream stream = problem.stream(Purpose::evaluate, 0);
  Matrix draws(samples, kWidth);
  sample(problem.noise, scoped_scales(problem.noise, problem.space), stream, 0, draws);
  const DrawnFlips flips = sample_flips(problem.noise, stream, 0, samples);
  std::size_t invalid = 0;
  for (std::size_t k = 0; k < samples; ++k) {
    Vector row(draws[k].begin(), draws[k].end());
    for (const double value : row) EXPECT_LE(std::abs(value), kLargestDraw);
    if (!flips.empty()) add_flips(flips.categories, flips.of(k), point, row);
    for (std::size_t j = 0; j < kWidth; ++j) row[j] += point[j];
    const double logit = problem.model.logit(row);
    const bool wanted = problem.goal.wanted() == 1 ? logit > problem.goal.logit_threshold()
                                                   : logit <= problem.goal.logit_threshold();
    invalid += wanted ? 0U : 1U;
  }
  return invalid;
}

/// How many worlds there were, and how many had both answers, or no clear one.
struct Seen {
  std::size_t worlds = 0;
  std::size_t mixed = 0;
  std::size_t silent = 0;
};

Seen check_worlds(std::uint64_t first, std::size_t count) {
  constexpr std::size_t kRows = 250;
  constexpr std::size_t kOther = 1500;
  Seen seen;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::optional<World> world = random_world(seed);
    if (!world) continue;
    ++seen.worlds;
    for (const int wanted : {0, 1}) {
      const Problem problem{*world->model, world->space, world->noise, Goal(0.5, wanted), seed};
      validate(problem);
      const Advice advice{world->point, world->point, 0};
      const Tally same = tally(problem, {&advice, 1}, {.samples = kRows})[0];
      EXPECT_EQ(same.invalid, plain_count(problem, world->point, kRows)) << world->words;
      const Certificate certificate =
          certify(problem, {&advice, 1}, {.samples = 1000, .confidence = 1 - 1e-6}, 1)[0];
      OtherNoise other(world->noise, seed + 77);
      std::size_t invalid = 0;
      std::size_t silent = 0;
      for (std::size_t k = 0; k < kOther; ++k) {
        Vector row = world->point;
        other.add_to(row, 0);
        const double logit = world->model->logit(row);
        const bool finite = std::ranges::all_of(row, [](double v) { return std::isfinite(v); });
        invalid += finite && (wanted == 1 ? logit > 0 : logit <= 0) ? 0U : 1U;
        silent += std::isnan(logit) ? 1U : 0U;
      }
      EXPECT_GE(certificate.upper, clopper_pearson_lower(invalid, kOther, 1 - 1e-7))
          << world->words << ", class " << wanted << ": " << invalid << " of " << kOther;
      seen.mixed += invalid > kOther / 50 && invalid < kOther - kOther / 50 ? 1U : 0U;
      seen.silent += silent > 0 ? 1U : 0U;
    }
  }
  return seen;
}

/// Few of them, for the fast set; SlowExtremeWorlds has the others, and those whose logit is NaN.
TEST(ExtremeWorlds, CertifyNothingBelowItsTrueRate) {
  const Seen seen = check_worlds(10'000, 40);
  EXPECT_GT(seen.worlds, 20U);
  EXPECT_GT(seen.mixed, 20U);
}

TEST(SlowExtremeWorlds, CertifyNothingBelowItsTrueRate) {
  const Seen seen = check_worlds(0, 2000);
  EXPECT_GT(seen.worlds, 1200U);
  EXPECT_GT(seen.mixed, 1200U);
  EXPECT_GT(seen.silent, 40U);
}

}  // namespace
}  // namespace croco
