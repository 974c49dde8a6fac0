// SPDX-License-Identifier: Apache-2.0
// Usage: batch_time REFERENCE DATASET certified|croco THREADS [INSTRUCTIONS]
// The processor time and the elapsed time of one batch over the people that a reference model
// rejects, variance .01, target .1: certified counterfactuals with certificates of 102,400 draws,
// or CROCO as published (200 steps, K = 500). Prints people, milliseconds of each per person, and
// of making what people share. INSTRUCTIONS is the best instruction set to use, such as AVX2.
#include <chrono>
#include <ctime>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <croco/kernels/instruction_set.hpp>
#include <croco/methods/make_search.hpp>
#include <croco/robustness/certify.hpp>

#include "benchmarks/reference_people.hpp"

int main(int argc, char** argv) {
  using namespace croco;
  using Clock = std::chrono::steady_clock;
  if (argc != 5 && argc != 6) {
    fmt::print(stderr,
               "usage: batch_time REFERENCE DATASET certified|croco THREADS [INSTRUCTIONS]\n");
    return 2;
  }
  if (argc == 6) limit_instruction_set(argv[5]);
  const ReferencePeople people(argv[1], argv[2]);
  const bool certified = std::string(argv[3]) == "certified";
  const auto threads = static_cast<unsigned>(std::stoul(argv[4]));
  const Problem problem{*people.loaded.model, people.loaded.codec.space(), Noise{.scale = 0.1},
                        Goal()};
  const std::vector<View> origins(people.rejected.begin(), people.rejected.end());
  constexpr std::size_t kSamples = 102'400;
  const Method method =
      certified
          ? Method(Certified{.target = 0.1, .certificate = CertificatePlan{.samples = kSamples}})
          : Method(Croco{.target = 0.1, .as_published = true});

  const std::clock_t cpu_start = std::clock();
  const auto start = Clock::now();
  const auto search = make_search(problem, method, threads);
  const auto made = Clock::now();
  const std::vector<Counterfactual> found = search->find_all(origins, threads, {});
  if (certified) {
    std::vector<Advice> advice;
    for (std::size_t i = 0; i < origins.size(); ++i) advice.push_back({origins[i], found[i].point});
    const auto certificates =
        certify(problem, advice, {.samples = kSamples, .sequential = false}, threads);
    if (certificates.size() != origins.size()) return 1;
  }
  const auto count = static_cast<double>(origins.size());
  const std::chrono::duration<double, std::milli> elapsed = Clock::now() - start;
  const std::chrono::duration<double, std::milli> making = made - start;
  const double cpu = 1000.0 * static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  fmt::print("{} {:.4f} {:.4f} {:.4f}\n", origins.size(), cpu / count, elapsed.count() / count,
             making.count() / count);
}
