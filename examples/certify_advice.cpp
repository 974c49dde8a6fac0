// SPDX-License-Identifier: Apache-2.0
// How often does noise undo the counterfactuals that another tool made?
//
//     certify_advice MODEL PEOPLE.csv ADVICE.csv
#include <iostream>
#include <vector>

#include <croco/croco.hpp>

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::cerr << "usage: certify_advice MODEL PEOPLE.csv ADVICE.csv\n";
    return 2;
  }
  const croco::LoadedModel model = croco::load_model(argv[1]);
  const std::vector<croco::AdvisedPerson> pairs =
      croco::read_advice(argv[2], argv[3], model.codec.schema());
  for (const croco::Explanation& answer : croco::assess(model, pairs, {.target = 0.1})) {
    std::cout << "row " << answer.row << ": " << (answer.valid ? "accepted" : "refused");
    if (answer.certificate) std::cout << ", fails at most " << answer.certificate->upper;
    if (answer.broken && answer.broken->any()) std::cout << ", breaks rules of the schema";
    std::cout << '\n';
  }
  return 0;
} catch (const croco::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
