// SPDX-License-Identifier: Apache-2.0
// What flips of categories cost, against the same bank without them: 7 numbers and 9 categories of
// 4 levels, one hidden layer of 50 ReLU units or two of 64 and 32. `flip` is in percent.
#include <cstddef>
#include <vector>

#include <benchmark/benchmark.h>

#include <croco/base/random.hpp>
#include <croco/methods/make_search.hpp>
#include <croco/models/network/mlp.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/robustness/noise_bank.hpp>

namespace {

using namespace croco;

constexpr std::size_t kNumbers = 7;
constexpr std::size_t kCategories = 9;
constexpr std::size_t kLevels = 4;

Space make_space() {
  Space space{std::vector<Column>(kNumbers), {}};
  for (std::size_t c = 0; c < kCategories; ++c) {
    space.groups.push_back({space.width(), kLevels});
    space.columns.insert(space.columns.end(), kLevels,
                         {.movement = Movement::fixed, .continuous = false});
  }
  return space;
}

Mlp make_network(std::size_t inputs, const std::vector<std::size_t>& hidden) {
  Sequence random({1, Purpose::train, 0});
  std::vector<DenseLayer> layers;
  std::vector<std::size_t> units(hidden);
  units.push_back(1);
  for (const std::size_t outputs : units) {
    DenseLayer layer{inputs, outputs, Vector(inputs * outputs), Vector(outputs)};
    for (double& weight : layer.weight) weight = random.uniform() - 0.5;
    for (double& bias : layer.bias) bias = random.uniform() - 0.5;
    layers.push_back(std::move(layer));
    inputs = outputs;
  }
  return Mlp(std::move(layers), Activation::relu);
}

struct Fixture {
  explicit Fixture(std::int64_t percent, std::size_t count = 64,
                   const std::vector<std::size_t>& hidden = {50})
      : space(make_space()),
        network(make_network(space.width(), hidden)),
        problem{network, space, {.scale = 0.05, .scope = NoiseScope::continuous}, Goal(), 1} {
    for (const OneHotGroup& group : space.groups) {
      if (percent == 0) break;
      problem.noise.flips.push_back(LevelFlips::uniform(group, static_cast<double>(percent) / 100,
                                                        std::vector<bool>(kLevels, true)));
    }
    Sequence random({2, Purpose::train, 0});
    for (std::size_t i = 0; i < count; ++i) {
      Vector person(space.width());
      for (std::size_t j = 0; j < kNumbers; ++j) person[j] = random.uniform();
      for (const OneHotGroup& group : space.groups) person[group.first + random.below(kLevels)] = 1;
      people.push_back(std::move(person));
    }
    problem.goal = Goal(sigmoid(network.logit(people[0]) + 0.2));
    for (const Vector& person : people) advice.push_back({person, person, 0});
  }

  Space space;
  Mlp network;
  Problem problem;
  std::vector<Vector> people;
  std::vector<Advice> advice;
};

void count(benchmark::State& state, const std::vector<std::size_t>& hidden) {
  const Fixture fixture(state.range(0), static_cast<std::size_t>(state.range(2)), hidden);
  const auto draws = static_cast<std::size_t>(state.range(1));
  const NoiseBank bank(fixture.problem, {1, Purpose::evaluate, 0}, 0, draws);
  std::vector<std::size_t> invalid(fixture.advice.size());
  for (auto _ : state) {
    bank.count_invalid(fixture.advice, NoiseBank::Counting::exact, invalid);
    benchmark::DoNotOptimize(invalid.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(1) * state.range(2));
}
#define CROCO_COUNT(name, ...)                       \
  BENCHMARK_CAPTURE(count, name, __VA_ARGS__)        \
      ->ArgNames({"flip", "draws", "people"})        \
      ->ArgsProduct({{0, 2, 10}, {65'536}, {1, 64}}) \
      ->Unit(benchmark::kMicrosecond)
CROCO_COUNT(units_50, std::vector<std::size_t>{50});
CROCO_COUNT(units_64_32, (std::vector<std::size_t>{64, 32}));

void bind(benchmark::State& state) {
  const Fixture fixture(state.range(0), 1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(NoiseBank(fixture.problem, {1, Purpose::evaluate, 0}, 0, 65'536));
  }
  state.SetItemsProcessed(state.iterations() * 65'536);
}
BENCHMARK(bind)->ArgName("flip")->Arg(0)->Arg(2)->Arg(10)->Unit(benchmark::kMicrosecond);

/// A search bank around points with one set of levels, and what settling the flips costs.
void fixed_logits(benchmark::State& state) {
  const Fixture fixture(state.range(0), 1);
  const NoiseBank bank =
      NoiseBank(fixture.problem, {1, Purpose::search, 0}, 0, 2048).fixed_at(fixture.people[0]);
  std::vector<float> logits(2048);
  for (auto _ : state) {
    bank.logits(fixture.people[0], fixture.people[0], 0, logits);
    benchmark::DoNotOptimize(logits.data());
  }
}
BENCHMARK(fixed_logits)->ArgName("flip")->Arg(0)->Arg(2)->Arg(10)->Unit(benchmark::kMicrosecond);

void settle(benchmark::State& state) {
  const Fixture fixture(state.range(0), 1);
  const NoiseBank bank(fixture.problem, {1, Purpose::search, 0}, 0, 2048);
  for (auto _ : state) benchmark::DoNotOptimize(bank.fixed_at(fixture.people[0]));
}
BENCHMARK(settle)->ArgName("flip")->Arg(0)->Arg(2)->Arg(10)->Unit(benchmark::kMicrosecond);

/// Search and certificates of 64 people together, nothing made before.
void certified(benchmark::State& state) {
  const Fixture fixture(state.range(0), 64);
  const std::vector<View> origins(fixture.people.begin(), fixture.people.end());
  for (auto _ : state) {
    const auto search =
        make_search(fixture.problem,
                    Certified{.target = 0.1, .certificate = CertificatePlan{.samples = 102'400}});
    const auto found = search->find_all(origins, 1, {});
    std::vector<Advice> advice;
    for (std::size_t i = 0; i < found.size(); ++i)
      advice.push_back({origins[i], found[i].point, 0});
    benchmark::DoNotOptimize(
        certify(fixture.problem, advice, {.samples = 102'400, .sequential = false}, 1));
  }
}
BENCHMARK(certified)->ArgName("flip")->Arg(0)->Arg(2)->Arg(10)->Unit(benchmark::kMillisecond);

}  // namespace
