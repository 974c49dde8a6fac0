// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <cmath>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/normal.hpp>
#include <croco/methods/make_search.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/space/admissible.hpp>
#include <croco/space/distance.hpp>
#include <tests/fixtures.hpp>

namespace croco {

/// Names the parameter of a test.
static void PrintTo(const Noise& noise, std::ostream* out) {
  *out << noise_text(noise) << ",on=" << name_of(noise.scope)
       << (noise.falls_short ? ",one-sided" : "");
}

namespace {

/// A boosted sum of random trees of depth 3 on the unit cube: piecewise constant, no gradient.
class Trees final : public Model {
 public:
  Trees(std::size_t width, std::size_t trees, std::uint64_t seed, double bias)
      : width_(width), bias_(bias) {
    Sequence random({seed, Purpose::train, 77});
    for (std::size_t t = 0; t < trees; ++t) {
      Tree tree;
      for (auto& [column, threshold] : tree.splits) {
        column = random.below(static_cast<std::uint32_t>(width));
        threshold = random.uniform();
      }
      for (std::size_t leaf = 0; leaf < 8; ++leaf) {
        // A trend in the columns, so that there is something to find, and noise around it.
        double trend = 0;
        std::size_t node = 0;
        for (int level = 2; level >= 0; --level) {
          const bool right = (leaf >> level & 1U) != 0;
          trend += (tree.splits[node].first % 2 == 0) == right ? 0.06 : -0.06;
          node = 2 * node + (right ? 2 : 1);
        }
        tree.leaves[leaf] = trend + 0.1 * (random.uniform() - 0.5);
      }
      trees_.push_back(tree);
    }
  }

  [[nodiscard]] std::size_t width() const noexcept override { return width_; }
  void logits(Rows rows, MutableView out) const override {
    asked_ += rows.count();
    for (std::size_t k = 0; k < rows.count(); ++k) {
      double sum = bias_;
      for (const Tree& tree : trees_) {
        std::size_t node = 0;
        for (int level = 0; level < 3; ++level) {
          const auto& [column, threshold] = tree.splits[node];
          node = 2 * node + (rows[k][column] > threshold ? 2 : 1);
        }
        sum += tree.leaves[node - 7];
      }
      out[k] = sum;
    }
  }
  [[nodiscard]] std::size_t asked() const noexcept { return asked_; }

 private:
  struct Tree {
    std::array<std::pair<std::size_t, double>, 7> splits;
    std::array<double, 8> leaves;
  };
  std::size_t width_;
  double bias_;
  std::vector<Tree> trees_;
  mutable std::atomic<std::size_t> asked_{0};
};

/// Yes above a ragged line, no below, and nothing between: logits of +1 and -1.
class RaggedStep final : public Model {
 public:
  [[nodiscard]] std::size_t width() const noexcept override { return 2; }
  void logits(Rows rows, MutableView out) const override {
    for (std::size_t k = 0; k < rows.count(); ++k) {
      const double x = rows[k][0];
      const double y = rows[k][1];
      const bool island = std::fmod(std::abs(7.3 * x + 3.1 * y), 0.37) < 0.01;
      out[k] = (x + 0.5 * y > 1.0) != island ? 1.0 : -1.0;
    }
  }
};

/// Never says yes.
class Never final : public Model {
 public:
  [[nodiscard]] std::size_t width() const noexcept override { return 2; }
  void logits(Rows rows, MutableView out) const override {
    for (std::size_t k = 0; k < rows.count(); ++k) {
      out[k] = -std::numeric_limits<double>::infinity();
    }
  }
};

Space unit_box(std::size_t width) {
  Space space = fixtures::free_space(width);
  for (Column& column : space.columns) {
    column.lower = 0;
    column.upper = 1;
  }
  return space;
}

Certified options(double target) {
  return {.target = target,
          .calibration_samples = 8192,
          .certificate = CertificatePlan{.samples = 20'000}};
}

/// Certified within its attempts, as the explainer does it, and not above the target on 200,000
/// other draws. Returns the distance.
double certified_distance(const Problem& problem, const Certified& method, const Search& search,
                          View origin) {
  Counterfactual found = search.find(origin, {});
  for (std::size_t attempt = 0; attempt < kCertifiedAttempts; ++attempt) {
    EXPECT_TRUE(problem.goal.reached(problem.model.logit(found.point)));
    const Advice advice{origin, found.point, 0};
    const Certificate certificate = certify(problem, {&advice, 1},
                                            {.samples = method.certificate.value().samples,
                                             .confidence = method.certificate.value().confidence,
                                             .exact = false,
                                             .sequential = false,
                                             .attempts = kCertifiedAttempts,
                                             .attempt = attempt},
                                            1)[0];
    if (certificate.upper <= method.target) {
      const Tally other =
          tally(problem, {&advice, 1}, {.purpose = Purpose::evaluate, .samples = 200'000})[0];
      EXPECT_LE(other.rate(), method.target);
      for (std::size_t j = 0; j < origin.size(); ++j) {
        const Interval interval = admissible_interval(problem.space.columns[j], origin[j]);
        EXPECT_TRUE(found.point[j] >= interval.lower && found.point[j] <= interval.upper);
      }
      return distances(problem.space, origin, found.point).l1;
    }
    if (attempt + 1 < kCertifiedAttempts) {
      const Vector failed = found.point;
      const Attempt next{origin, failed, attempt + 1};
      found = search.retry_all({&next, 1}, 1, {})[0];
    }
  }
  ADD_FAILURE() << "not certified; the search's rate is " << found.method_rate.value_or(-1);
  return 0;
}

TEST(SlowGradientFree, IsAsShortAsTheGradientSearch) {
  const Mlp model = fixtures::random_mlp({5, 12}, Activation::relu, 11);
  const Space space = fixtures::free_space(5);
  const fixtures::PlainModel hidden(model, false);
  const Problem seen{model, space, Noise{.scale = 0.1}, Goal(), 1, true};
  const Problem unseen{hidden, space, Noise{.scale = 0.1}, Goal(), 1, true};
  const Certified method = options(0.1);
  const auto with = make_search(seen, method);
  const auto without = make_search(unseen, method);
  double sum_with = 0;
  double sum_without = 0;
  std::size_t people = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Vector origin = fixtures::random_vector(5, seed);
    if (seen.goal.reached(model.logit(origin))) continue;
    if (with->find(origin, {}).termination != Termination::converged) continue;
    ++people;
    sum_with += certified_distance(seen, method, *with, origin);
    sum_without += certified_distance(unseen, method, *without, origin);
  }
  EXPECT_GE(people, 5U);
  EXPECT_LE(sum_without, 1.03 * sum_with);
  EXPECT_GE(sum_without, 0.9 * sum_with);
}

TEST(SlowGradientFree, CertifiesTrees) {
  const Trees model(4, 60, 5, -0.4);
  const Space space = unit_box(4);
  for (const double target : {0.05, 0.2}) {
    const Problem problem{model, space, Noise{.scale = 0.1}, Goal(), 1, true};
    const Certified method = options(target);
    const auto search = make_search(problem, method);
    std::size_t people = 0;
    for (std::uint64_t seed = 0; seed < 40 && people < 8; ++seed) {
      const Vector origin = fixtures::random_vector(4, seed, 0, 1);
      if (problem.goal.reached(model.logit(origin))) continue;
      EXPECT_GT(certified_distance(problem, method, *search, origin), 0) << seed;
      ++people;
    }
    EXPECT_EQ(people, 8U);
  }
}

TEST(GradientFree, CertifiesAStepWithIslands) {
  const RaggedStep model;
  const Space space = unit_box(2);
  const Problem problem{model, space, Noise{.scale = 0.05}, Goal(), 1, true};
  const Certified method = options(0.1);
  const auto search = make_search(problem, method);
  for (const Vector& origin : {Vector{0.1, 0.2}, Vector{0.55, 0.4}, Vector{0.3, 0.9}}) {
    if (problem.goal.reached(model.logit(origin))) continue;
    const double l1 = certified_distance(problem, method, *search, origin);
    // Past the line by at least the normal quantile; the islands take a few per cent more.
    const double deviation = 0.05 * std::sqrt(1.25);
    const double least = 1.0 - origin[0] - 0.5 * origin[1] + deviation * normal_quantile(0.9);
    EXPECT_GE(l1, 0.98 * least);
    EXPECT_LE(l1, 1.25 * least);
  }
}

class SlowGradientFreeNoise : public testing::TestWithParam<Noise> {};

TEST_P(SlowGradientFreeNoise, IsCertified) {
  const Trees model(4, 60, 5, -0.4);
  const Space space = unit_box(4);
  const Problem problem{model, space, GetParam(), Goal(), 1, true};
  const Certified method = options(0.1);
  const auto search = make_search(problem, method);
  std::size_t people = 0;
  for (std::uint64_t seed = 0; seed < 40 && people < 3; ++seed) {
    const Vector origin = fixtures::random_vector(4, seed, 0, 1);
    if (problem.goal.reached(model.logit(origin))) continue;
    EXPECT_GT(certified_distance(problem, method, *search, origin), 0) << seed;
    ++people;
  }
  EXPECT_EQ(people, 3U);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, SlowGradientFreeNoise,
    testing::Values(Noise{.shape = NoiseShape::laplace, .scale = 0.05},
                    Noise{.shape = NoiseShape::student_t, .scale = 0.05, .degrees_of_freedom = 4},
                    Noise{.shape = NoiseShape::uniform, .scale = 0.15},
                    Noise{.column_scales = {0.1, 0.0, 0.1, 0.0}},
                    Noise{.scale = 0.1, .scope = NoiseScope::changed},
                    Noise{.scale = 0.1, .falls_short = true}));

TEST(SlowGradientFree, RespectsDirectionsAndFixedColumns) {
  const Trees model(4, 60, 5, -0.2);
  Space space = unit_box(4);
  space.columns[1].movement = Movement::fixed;
  space.columns[2].movement = Movement::up;
  space.columns[3].movement = Movement::down;
  const Problem problem{model, space, Noise{.scale = 0.05}, Goal(), 1, true};
  const auto search = make_search(problem, options(0.2));
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Vector origin = fixtures::random_vector(4, seed, 0, 1);
    if (problem.goal.reached(model.logit(origin))) continue;
    const Vector point = search->find(origin, {}).point;
    EXPECT_EQ(point[1], origin[1]);
    EXPECT_GE(point[2], origin[2]);
    EXPECT_LE(point[3], origin[3]);
  }
}

TEST(GradientFree, IsAFunctionOfThePersonAlone) {
  const Trees model(4, 40, 9, -0.4);
  const Space space = unit_box(4);
  const Problem problem{model, space, Noise{.scale = 0.1}, Goal(), 1, true};
  const Vector origin = fixtures::random_vector(4, 4, 0, 0.5);
  const auto first = make_search(problem, options(0.1));
  const Counterfactual once = first->find(origin, {});
  static_cast<void>(first->find(fixtures::random_vector(4, 5, 0, 0.5), {}));
  const auto second = make_search(problem, options(0.1));
  EXPECT_EQ(second->find(origin, {}).point, once.point);
  EXPECT_EQ(first->find(origin, {}).point, once.point);
}

TEST(GradientFree, IsInfeasibleWhenTheModelNeverSaysYes) {
  const Never model;
  for (const bool boxed : {true, false}) {
    const Space space = boxed ? unit_box(2) : fixtures::free_space(2);
    const Problem problem{model, space, Noise{.scale = 0.1}, Goal(), 1, true};
    const Counterfactual found = make_search(problem, options(0.1))->find(Vector{0.5, 0.5}, {});
    EXPECT_EQ(found.termination, Termination::infeasible);
  }
}

TEST(GradientFree, KeepsToItsBudget) {
  const Trees model(4, 40, 9, -100);
  const Space space = unit_box(4);
  const Problem problem{model, space, Noise{.scale = 0.1}, Goal(), 1, true};
  Certified method = options(0.1);
  method.search_budget = 50'000;
  const auto search = make_search(problem, method);
  const std::size_t before = model.asked();
  const Counterfactual found = search->find(Vector{0.5, 0.5, 0.5, 0.5}, {});
  EXPECT_EQ(found.termination, Termination::infeasible);
  // Past the budget: one evaluation, and a calibration that ends soon.
  EXPECT_LE(model.asked() - before, 50'000 + 40 * method.calibration_samples.value());
}

TEST(GradientFree, TakesAcceptedExamples) {
  const Trees model(4, 60, 5, -0.4);
  const Space space = unit_box(4);
  const Problem problem{model, space, Noise{.scale = 0.1}, Goal(), 1, true};
  auto accepted = std::make_shared<Matrix>(0, 4);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Vector point = fixtures::random_vector(4, 900 + seed, 0, 1);
    if (problem.goal.reached(model.logit(point))) accepted->append(point);
  }
  ASSERT_GT(accepted->count(), 5U);
  Certified method = options(0.1);
  method.accepted = accepted;
  const auto search = make_search(problem, method);
  const Vector origin = fixtures::random_vector(4, 0, 0, 0.4);
  ASSERT_FALSE(problem.goal.reached(model.logit(origin)));
  EXPECT_GT(certified_distance(problem, method, *search, origin), 0);

  method.accepted = std::make_shared<Matrix>(2, 3);
  EXPECT_EQ(fixtures::message_of<InvalidArgument>([&] { return make_search(problem, method); }),
            "the accepted examples have 3 columns; the model has 4");
}

TEST(GradientFree, StopsWhenAsked) {
  const Trees model(4, 40, 9, -0.4);
  const Space space = unit_box(4);
  const Problem problem{model, space, Noise{.scale = 0.1}, Goal(), 1, true};
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(
      make_search(problem, options(0.1))->find(Vector(4, 0.5), source.get_token()).termination,
      Termination::cancelled);
}

TEST(SearchKind, ChoosesAndIsRefusedByName) {
  const Mlp model = fixtures::logistic({2.0, 1.0}, -1.5);
  const fixtures::PlainModel hidden(model, false);
  const Space space = fixtures::free_space(2);
  const Problem problem{hidden, space, Noise{.scale = 0.1}, Goal(), 1, true};
  Certified method = options(0.1);
  method.search = SearchKind::gradient;
  EXPECT_EQ(fixtures::message_of<InvalidArgument>([&] { return make_search(problem, method); }),
            "method certified needs a model with a gradient; this one has none");
  method.search = SearchKind::automatic;
  const Counterfactual automatic = make_search(problem, method)->find(Vector{0.0, 0.0}, {});
  // Asked for by name, a model with a gradient gets the same answer without it.
  const Problem seen{model, space, Noise{.scale = 0.1}, Goal(), 1, true};
  method.search = SearchKind::gradient_free;
  EXPECT_EQ(make_search(seen, method)->find(Vector{0.0, 0.0}, {}).termination,
            automatic.termination);
  for (const SearchKind kind :
       {SearchKind::automatic, SearchKind::gradient, SearchKind::gradient_free}) {
    EXPECT_EQ(parse_search(name_of(kind)), kind);
  }
  EXPECT_EQ(fixtures::message_of<InvalidArgument>([] { return parse_search("best"); }),
            "search is 'best'; it must be auto, gradient or gradient-free");
}

}  // namespace
}  // namespace croco
