// SPDX-License-Identifier: Apache-2.0
// What the parts of an answer cost: draws, binding them, gradients, searches, certificates. The
// network is random; unless a benchmark varies it, 20 columns and one hidden layer of 50 ReLU
// units, as the paper's for Adult. Draws, units, columns, depth, people and threads vary one at a
// time.
#include <vector>

#include <benchmark/benchmark.h>

#include <croco/base/random.hpp>
#include <croco/methods/change/trust_region.hpp>
#include <croco/methods/make_search.hpp>
#include <croco/models/network/mlp.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/soft_rate.hpp>

namespace {

using namespace croco;

constexpr std::size_t kColumns = 20;

struct Shape {
  std::size_t columns = kColumns;
  std::vector<std::size_t> hidden = {50};
};

Mlp random_network(const Shape& shape) {
  Sequence random({1, Purpose::train, 0});
  const auto layer = [&](std::size_t inputs, std::size_t outputs) {
    DenseLayer dense{inputs, outputs, Vector(inputs * outputs), Vector(outputs)};
    for (double& weight : dense.weight) weight = random.uniform() - 0.5;
    for (double& bias : dense.bias) bias = random.uniform() - 0.5;
    return dense;
  };
  std::vector<DenseLayer> layers;
  std::size_t inputs = shape.columns;
  for (const std::size_t units : shape.hidden) {
    layers.push_back(layer(inputs, units));
    inputs = units;
  }
  layers.push_back(layer(inputs, 1));
  return Mlp(std::move(layers), Activation::relu);
}

/// A problem on that network, in an unbounded space, with people who miss the threshold a little.
struct Fixture {
  explicit Fixture(const Shape& shape = {}, std::size_t count = 1)
      : network(random_network(shape)),
        space{std::vector<Column>(shape.columns), {}},
        origin(shape.columns, 0.3),
        problem{network, space, Noise{}, Goal(sigmoid(network.logit(origin) + 0.5)), 1, true} {
    Sequence random({2, Purpose::train, 0});
    while (people.size() < count) {
      Vector person = origin;
      for (double& value : person) value += 0.05 * (random.uniform() - 0.5);
      if (!problem.goal.reached(network.logit(person))) people.push_back(std::move(person));
    }
    views.assign(people.begin(), people.end());
  }

  Mlp network;
  Space space;
  Vector origin;
  Problem problem;
  std::vector<Vector> people;
  std::vector<View> views;
};

void draw_noise(benchmark::State& state) {
  const Fixture fixture;
  Matrix draws(4096, kColumns);
  const Vector scales = scoped_scales(fixture.problem.noise, fixture.space);
  for (auto _ : state) {
    sample(fixture.problem.noise, scales, {1, Purpose::search, 0}, 0, draws);
    benchmark::DoNotOptimize(draws.data.data());
  }
  state.SetItemsProcessed(state.iterations() * 4096);
}
BENCHMARK(draw_noise);

void bind_draws(benchmark::State& state) {
  const Fixture fixture;
  Matrix draws(4096, kColumns);
  sample(fixture.problem.noise, scoped_scales(fixture.problem.noise, fixture.space),
         {1, Purpose::search, 0}, 0, draws);
  for (auto _ : state) benchmark::DoNotOptimize(fixture.network.bind(draws.rows()));
  state.SetItemsProcessed(state.iterations() * 4096);
}
BENCHMARK(bind_draws);

void bound_logits(benchmark::State& state) {
  const Fixture fixture({.hidden = {static_cast<std::size_t>(state.range(0))}});
  const NoiseBank bank(fixture.problem, {1, Purpose::search, 0}, 0, 4096);
  std::vector<float> logits(4096);
  for (auto _ : state) {
    bank.logits(fixture.origin, fixture.origin, 0, logits);
    benchmark::DoNotOptimize(logits.data());
  }
  state.SetItemsProcessed(state.iterations() * 4096);
}
BENCHMARK(bound_logits)->Arg(50)->Arg(200);

void soft_gradient(benchmark::State& state) {
  const Fixture fixture;
  const auto samples = static_cast<std::size_t>(state.range(0));
  const NoiseBank bank(fixture.problem, {1, Purpose::search, 0}, 0, samples);
  std::vector<float> scratch;
  Vector gradient(kColumns);
  for (auto _ : state) {
    benchmark::DoNotOptimize(soft_rate_gradient(bank, fixture.problem.goal, fixture.origin,
                                                fixture.origin, 0, samples, scratch, gradient));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(soft_gradient)->Arg(500)->Arg(4096);

/// One step of the trust region: in closed form without relations, by the simplex method with some.
void linear_step(benchmark::State& state) {
  const auto columns = static_cast<std::size_t>(state.range(0));
  const auto relations = static_cast<std::size_t>(state.range(1));
  Sequence random({3, Purpose::train, 0});
  const auto numbers = [&](double low, double high) {
    Vector out(columns);
    for (double& value : out) value = low + (high - low) * random.uniform();
    return out;
  };
  ChangeProblem problem{std::vector<Interval>(columns, {-1.0, 1.0}), numbers(0.5, 2.0), {}};
  for (std::size_t i = 0; i < relations; ++i) problem.rows.push_back({numbers(-1.0, 1.0), 0.02});
  const ConstraintValue constraint{-0.3, numbers(-1.0, 1.0)};
  const Vector change(columns);
  Vector next(columns);
  for (auto _ : state) {
    benchmark::DoNotOptimize(linear_step(problem, change, constraint, 0.2, 100.0, next));
  }
}
BENCHMARK(linear_step)->ArgNames({"columns", "relations"})->ArgsProduct({{10, 30}, {0, 1, 3, 5}});

void search(benchmark::State& state, const Method& method) {
  const Fixture fixture;
  const auto search = make_search(fixture.problem, method);
  for (auto _ : state) benchmark::DoNotOptimize(search->find(fixture.origin, {}));
}
BENCHMARK_CAPTURE(search, croco_as_published, Croco{.target = 0.2, .as_published = true})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, wachter, Wachter{})->Unit(benchmark::kMillisecond);

/// A whole batch: search, calibration and a certificate of 102,400 draws, on a search that is made.
void certified_batch(benchmark::State& state, const Shape& shape, std::size_t people,
                     std::size_t samples, unsigned threads) {
  const Fixture fixture(shape, people);
  const auto search = make_search(
      fixture.problem, Certified{.target = 0.1, .certificate = CertificatePlan{.samples = samples}},
      threads);
  for (auto _ : state) {
    const auto found = search->find_all(fixture.views, threads, {});
    std::vector<Advice> advice;
    for (std::size_t i = 0; i < people; ++i) {
      advice.push_back({fixture.views[i], found[i].point, 0});
    }
    benchmark::DoNotOptimize(
        certify(fixture.problem, advice, {.samples = samples, .sequential = false}, threads));
  }
  state.counters["per_person"] = benchmark::Counter(
      static_cast<double>(people),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
#define CROCO_BATCH(name, ...)                          \
  BENCHMARK_CAPTURE(certified_batch, name, __VA_ARGS__) \
      ->Unit(benchmark::kMillisecond)                   \
      ->UseRealTime()
CROCO_BATCH(people_1, Shape{}, 1, 102'400, 1);
CROCO_BATCH(people_16, Shape{}, 16, 102'400, 1);
CROCO_BATCH(people_256, Shape{}, 256, 102'400, 1);
CROCO_BATCH(people_256_threads_2, Shape{}, 256, 102'400, 2);
CROCO_BATCH(draws_10240, Shape{}, 256, 10'240, 1);
CROCO_BATCH(units_20, (Shape{.hidden = {20}}), 256, 102'400, 1);
CROCO_BATCH(units_200, (Shape{.hidden = {200}}), 256, 102'400, 1);
CROCO_BATCH(columns_10, (Shape{.columns = 10}), 256, 102'400, 1);
CROCO_BATCH(columns_100, (Shape{.columns = 100}), 256, 102'400, 1);
CROCO_BATCH(depth_2, (Shape{.hidden = {64, 32}}), 64, 102'400, 1);
CROCO_BATCH(depth_3, (Shape{.hidden = {64, 32, 16}}), 64, 102'400, 1);

/// One person with nothing made before: the banks too.
void certified_cold(benchmark::State& state) {
  const Fixture fixture;
  const auto threads = static_cast<unsigned>(state.range(0));
  for (auto _ : state) {
    const auto search = make_search(
        fixture.problem,
        Certified{.target = 0.1, .certificate = CertificatePlan{.samples = 102'400}}, threads);
    const auto found = search->find_all(fixture.views, threads, {});
    const Advice advice{fixture.views[0], found[0].point, 0};
    benchmark::DoNotOptimize(
        certify(fixture.problem, {&advice, 1}, {.samples = 102'400, .sequential = false}, threads));
  }
}
BENCHMARK(certified_cold)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void certificates(benchmark::State& state) {
  const Fixture fixture;
  const std::vector<Advice> advice(static_cast<std::size_t>(state.range(0)),
                                   {fixture.origin, fixture.origin, 0});
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        certify(fixture.problem, advice, {.samples = 102'400, .sequential = false}, 1));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(certificates)->Arg(1)->Arg(100)->Unit(benchmark::kMillisecond);

}  // namespace
