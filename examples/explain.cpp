// SPDX-License-Identifier: Apache-2.0
// Certified advice for the people of a CSV file: what `croco explain` does, in five lines.
//
//     explain MODEL PEOPLE.csv ADVICE.csv
#include <iostream>
#include <vector>

#include <croco/croco.hpp>

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::cerr << "usage: explain MODEL PEOPLE.csv ADVICE.csv\n";
    return 2;
  }
  const croco::LoadedModel model = croco::load_model(argv[1]);
  const croco::Explainer explainer(model, {.method = croco::Certified{.target = 0.1}});
  const std::vector<croco::Person> people = croco::read_people(argv[2], model.codec.schema());
  const std::vector<croco::Explanation> answers = explainer.explain(people);
  croco::write_report(argv[3], explainer, answers);

  for (const croco::Explanation& answer : answers) {
    std::cout << "row " << answer.row << ": " << croco::name_of(answer.status);
    if (answer.certificate) std::cout << ", fails at most " << answer.certificate->upper;
    std::cout << '\n';
  }
  return 0;
} catch (const croco::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
