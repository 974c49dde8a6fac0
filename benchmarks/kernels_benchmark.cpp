// SPDX-License-Identifier: Apache-2.0
// The inner loops: time per draw, and the share of what this machine can do at most. The peak is
// measured, not looked up: independent additions in registers, two per cycle where there are two
// units.
#include <cstddef>
#include <vector>

#include <benchmark/benchmark.h>

#include <croco/base/random.hpp>
#include <croco/kernels/aligned.hpp>
#include <croco/kernels/dense_block.hpp>
#include <croco/kernels/normal_draws.hpp>
#include <croco/kernels/order_select.hpp>
#include <croco/kernels/relu_bank.hpp>
#include <croco/kernels/soft_terms.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/trees/tree_ensemble.hpp>
#include <croco/models/trees/tree_model.hpp>

#include "benchmarks/peak.hpp"

namespace {

using namespace croco;

AlignedFloats random_floats(std::size_t count) {
  Sequence random({1, Purpose::train, 0});
  AlignedFloats out(count);
  for (float& value : out) value = static_cast<float>(random.uniform() - 0.5);
  return out;
}

struct Bank {
  Bank(std::size_t draws, std::size_t hidden)
      : units(hidden), blocks(draws / kBankBlock), values(random_floats(units * draws)) {}

  [[nodiscard]] ReluBank view() const { return {values.data(), blocks, units, units / 2}; }

  std::size_t units;
  std::size_t blocks;
  AlignedFloats values;
};

/// Operations as a share of the measured peak.
void report(benchmark::State& state, double operations, double draws) {
  state.SetItemsProcessed(
      static_cast<std::int64_t>(static_cast<double>(state.iterations()) * draws));
  state.counters["of_peak"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * operations / peak_operations_per_second(),
      benchmark::Counter::kIsRate);
}

/// Counting draws for many people: K draws, H units, P people.
void count_people(benchmark::State& state) {
  const auto draws = static_cast<std::size_t>(state.range(0));
  const Bank bank(draws, static_cast<std::size_t>(state.range(1)));
  const auto people = static_cast<std::size_t>(state.range(2));
  const AlignedFloats cuts = random_floats(people * bank.units);
  std::vector<ReluCut> points;
  for (std::size_t p = 0; p < people; ++p) points.push_back({&cuts[p * bank.units], 0.0F, 0.0F});
  std::vector<std::size_t> below(people);
  std::vector<BetweenDraw> between;
  for (auto _ : state) {
    relu_split(bank.view(), points, below.data(), between);
    benchmark::DoNotOptimize(below.data());
  }
  const auto evaluated = static_cast<double>(draws * people);
  report(state, 2 * static_cast<double>(bank.units) * evaluated, evaluated);
}
BENCHMARK(count_people)
    ->ArgNames({"draws", "units", "people"})
    ->Args({4096, 50, 1})
    ->Args({4096, 50, 4})
    ->Args({4096, 50, 64})
    ->Args({65536, 50, 1})
    ->Args({65536, 50, 64})
    ->Args({4096, 10, 64})
    ->Args({4096, 200, 64});

void logits(benchmark::State& state) {
  const auto draws = static_cast<std::size_t>(state.range(0));
  const Bank bank(draws, 50);
  const AlignedFloats cuts = random_floats(bank.units);
  std::vector<float> out(draws);
  for (auto _ : state) {
    relu_logits(bank.view(), cuts.data(), 0.1F, out.data());
    benchmark::DoNotOptimize(out.data());
  }
  report(state, 2.0 * 50 * static_cast<double>(draws), static_cast<double>(draws));
}
BENCHMARK(logits)->ArgName("draws")->Arg(512)->Arg(2048)->Arg(65536);

void active_sums(benchmark::State& state) {
  const auto draws = static_cast<std::size_t>(state.range(0));
  const Bank bank(draws, 50);
  const AlignedFloats cuts = random_floats(bank.units);
  const AlignedFloats weights = random_floats(draws);
  std::vector<double> sums(bank.units);
  for (auto _ : state) {
    relu_active(bank.view(), cuts.data(), weights.data(), sums.data());
    benchmark::DoNotOptimize(sums.data());
  }
  report(state, 2.0 * 50 * static_cast<double>(draws), static_cast<double>(draws));
}
BENCHMARK(active_sums)->ArgName("draws")->Arg(512)->Arg(2048);

void dense_layer(benchmark::State& state) {
  const auto inputs = static_cast<std::size_t>(state.range(0));
  const auto outputs = static_cast<std::size_t>(state.range(1));
  const AlignedFloats weights = random_floats(inputs * outputs);
  const AlignedFloats in = random_floats(inputs * kBankBlock);
  AlignedFloats out(outputs * kBankBlock);
  for (auto _ : state) {
    dense_block(weights.data(), nullptr, inputs, outputs, in.data(), out.data());
    benchmark::DoNotOptimize(out.data());
  }
  // A fused multiply-add is one operation of the peak.
  report(state, static_cast<double>(inputs * outputs * kBankBlock), kBankBlock);
}
BENCHMARK(dense_layer)->ArgNames({"in", "out"})->Args({64, 32})->Args({32, 1});

void select(benchmark::State& state) {
  const AlignedFloats values = random_floats(static_cast<std::size_t>(state.range(0)));
  const std::span<const float> view(values);
  std::vector<float> scratch;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        select_band(view, view.size() / 100, view.size() / 20, view.size() / 10, scratch));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(select)->ArgName("draws")->Arg(512)->Arg(2048);

void logistic(benchmark::State& state) {
  AlignedFloats values = random_floats(512);
  std::vector<float> slopes(values.size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(logistic_slopes(std::span<const float>(values), 1, 1, slopes.data()));
  }
  state.SetItemsProcessed(state.iterations() * 512);
}
BENCHMARK(logistic);

void normals(benchmark::State& state) {
  std::vector<double> out(4 * 64);
  std::uint64_t first = 0;
  for (auto _ : state) {
    normal_draws({1, Purpose::search, 0}, first, 0, 64, out.data());
    first += 64;
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * 4 * 64);
}
BENCHMARK(normals);

/// Counting draws of 200 full trees of depth 6 over 10 columns: K draws, one person.
void count_trees(benchmark::State& state) {
  constexpr std::size_t kColumns = 10;
  constexpr std::size_t kSplits = 63;
  Sequence random({1, Purpose::train, 0});
  TreeEnsemble ensemble{.width = kColumns};
  for (std::size_t t = 0; t < 200; ++t) {
    std::vector<ListedNode> nodes(2 * kSplits + 1);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      // As many thresholds as histograms leave.
      nodes[k].node.number = k < kSplits ? random.below(255) / 255.0 : random.uniform() - 0.5;
      nodes[k].node.column = random.below(kColumns);
      if (k >= kSplits) continue;
      nodes[k].left = static_cast<std::int64_t>(2 * k + 1);
      nodes[k].right = static_cast<std::int64_t>(2 * k + 2);
    }
    append_tree(ensemble, nodes, "tree");
  }
  const TreeModel model(ensemble, InputColumns::identity(kColumns));
  Matrix draws(static_cast<std::size_t>(state.range(0)), kColumns);
  for (double& value : draws.data) value = 0.3 * (random.uniform() - random.uniform());
  const auto bound = model.bind(draws.rows());
  const Vector point(kColumns, 0.5);
  std::vector<std::size_t> counts(1);
  std::vector<PointDraw> undecided;
  for (auto _ : state) {
    undecided.clear();
    bound->count_failures({point, kColumns}, Cut{0.0}, counts, &undecided);
    benchmark::DoNotOptimize(counts.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
  state.counters["undecided"] = static_cast<double>(undecided.size());
}
BENCHMARK(count_trees)->Arg(4096)->Arg(102'400);

}  // namespace
