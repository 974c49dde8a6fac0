// SPDX-License-Identifier: Apache-2.0
// What the parts of an answer cost: draws, binding them, rates, gradients, searches, certificates.
// The network is random, 20 columns and one hidden layer of 50 ReLU units, as the paper's for
// Adult.
#include <vector>

#include <benchmark/benchmark.h>

#include <croco/base/random.hpp>
#include <croco/methods/search.hpp>
#include <croco/models/mlp.hpp>
#include <croco/robustness/certificate.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/soft_rate.hpp>

namespace {

using namespace croco;

constexpr std::size_t kColumns = 20;

Mlp random_network(std::size_t hidden) {
  Sequence random({1, Purpose::train, 0});
  const auto layer = [&](std::size_t inputs, std::size_t outputs) {
    DenseLayer dense{inputs, outputs, Vector(inputs * outputs), Vector(outputs)};
    for (double& weight : dense.weight) weight = random.uniform() - 0.5;
    for (double& bias : dense.bias) bias = random.uniform() - 0.5;
    return dense;
  };
  return Mlp({layer(kColumns, hidden), layer(hidden, 1)}, Activation::relu);
}

/// A problem on that network, in an unbounded space.
struct Fixture {
  explicit Fixture(std::size_t hidden = 50)
      : network(random_network(hidden)),
        space{std::vector<Column>(kColumns), {}},
        origin(kColumns, 0.3),
        // A threshold that the person misses a little.
        problem{network, space, Noise{}, Goal(sigmoid(network.logit(origin) + 0.5)), 1, true} {}

  Mlp network;
  Space space;
  Vector origin;
  Problem problem;
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
  const Fixture fixture(static_cast<std::size_t>(state.range(0)));
  const NoiseBank bank(fixture.problem, {1, Purpose::search, 0}, 0, 4096);
  Vector logits(4096);
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
  Vector scratch;
  Vector gradient(kColumns);
  for (auto _ : state) {
    benchmark::DoNotOptimize(soft_rate_gradient(bank, fixture.problem.goal, fixture.origin,
                                                fixture.origin, 0, samples, scratch, gradient));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(soft_gradient)->Arg(500)->Arg(4096);

void search(benchmark::State& state, const Method& method) {
  const Fixture fixture;
  const auto search = make_search(fixture.problem, method);
  for (auto _ : state) benchmark::DoNotOptimize(search->find(fixture.origin, {}));
}
BENCHMARK_CAPTURE(search, croco_as_published, Croco{.target = 0.2, .as_published = true})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, wachter, Wachter{})->Unit(benchmark::kMillisecond);

void certificates(benchmark::State& state) {
  const Fixture fixture;
  const std::vector<Advice> advice(static_cast<std::size_t>(state.range(0)),
                                   {fixture.origin, fixture.origin, 0});
  for (auto _ : state) {
    benchmark::DoNotOptimize(certify(fixture.problem, advice, {.samples = 102'400}, 1));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(certificates)->Arg(1)->Arg(100)->Unit(benchmark::kMillisecond);

}  // namespace
