// SPDX-License-Identifier: Apache-2.0
// What the README shows, as a program that knows croco only as an installed package.
#include <iostream>
#include <vector>

#include <croco/croco.hpp>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: consumer MODEL\n";
    return 2;
  }
  const croco::LoadedModel loaded = croco::load_model(argv[1]);
  const croco::Explainer explainer(
      loaded, {.method = croco::Certified{.target = 0.1},
               .noise = croco::Noise{.scale = 0.02, .scope = croco::NoiseScope::continuous}});
  const std::vector<croco::Person> people{{.row = 0, .record = {"40", "10", "30", "rent"}},
                                          {.row = 1, .record = {"95", "0", "30", "own"}}};
  const std::vector<croco::Explanation> answers = explainer.explain(people);
  if (answers.size() != 2 || answers[0].status != croco::Status::found ||
      !answers[0].target_met.value_or(false) || answers[1].status != croco::Status::already) {
    std::cerr << "the first person should be helped and the second accepted already\n";
    return 1;
  }
  std::cout << "consumer: income " << answers[0].before[0] << " -> " << answers[0].after[0]
            << ", rate at most " << answers[0].certificate->upper << '\n';
  return 0;
}
