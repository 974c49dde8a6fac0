// SPDX-License-Identifier: Apache-2.0
// Usage: equal_rate REFERENCE DATASET VARIANCE TARGET
// CROCO as published against the certified search *at equal true rate*: every rejected person is
// solved, without a certificate, for the rate that CROCO's counterfactual has on 100,000 draws.
// Prints people, CROCO's mean rate, mean L1 of both, and the mean rate of ours on further draws.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <croco/base/parallel.hpp>
#include <croco/methods/make_search.hpp>
#include <croco/robustness/invalidation.hpp>
#include <croco/space/distance.hpp>

#include "benchmarks/reference_people.hpp"

int main(int argc, char** argv) {
  using namespace croco;
  if (argc != 5) {
    fmt::print(stderr, "usage: equal_rate REFERENCE DATASET VARIANCE TARGET\n");
    return 2;
  }
  const ReferencePeople people(argv[1], argv[2]);
  const Problem problem{*people.loaded.model, people.loaded.codec.space(),
                        Noise{.scale = std::sqrt(std::stod(argv[3]))}, Goal()};
  const std::vector<View> origins(people.rejected.begin(), people.rejected.end());
  const auto croco = make_search(problem, Croco{.target = std::stod(argv[4]), .as_published = true})
                         ->find_all(origins, 0, {});
  const auto rates = [&](const std::vector<Counterfactual>& found, std::uint64_t first) {
    std::vector<Advice> advice;
    for (std::size_t i = 0; i < origins.size(); ++i) advice.push_back({origins[i], found[i].point});
    return tally(problem, advice,
                 {.purpose = Purpose::evaluate, .samples = 100'000, .first = first, .threads = 0});
  };
  const std::vector<Tally> reached = rates(croco, 0);
  std::vector<Counterfactual> ours(origins.size());
  parallel_for(origins.size(), 0, [&](std::size_t i) {
    const double rate = std::clamp(reached[i].rate(), 1e-4, 0.999);
    ours[i] = make_search(problem, Certified{.target = rate, .calibrate_for_certificate = false})
                  ->find(origins[i], {});
  });
  const std::vector<Tally> checked = rates(ours, 1'000'000);
  double croco_l1 = 0;
  double our_l1 = 0;
  double croco_rate = 0;
  double our_rate = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    // Who is not accepted by CROCO's point has nothing to compare.
    if (croco[i].termination == Termination::infeasible) continue;
    ++count;
    croco_l1 += distances(problem.space, origins[i], croco[i].point).l1;
    our_l1 += distances(problem.space, origins[i], ours[i].point).l1;
    croco_rate += reached[i].rate();
    our_rate += checked[i].rate();
  }
  const auto mean = [&](double sum) { return sum / static_cast<double>(count); };
  fmt::print("{} {:.5f} {:.5f} {:.5f} {:.5f}\n", count, mean(croco_rate), mean(croco_l1),
             mean(our_l1), mean(our_rate));
}
