// SPDX-License-Identifier: Apache-2.0
// A model that is a function of this program, on records as people have them. croco asks it in
// batches and needs nothing but its answers.
#include <cmath>
#include <iostream>
#include <vector>

#include <croco/croco.hpp>

namespace {

croco::Schema schema() {
  croco::Feature income{.name = "income", .unit = "EUR"};
  income.movement = croco::Movement::up;
  income.step = 50;
  income.noise.sd = 100;
  croco::Feature housing{.name = "housing", .type = croco::FeatureType::categorical};
  housing.levels = {"rent", "own"};
  return {.label = {.name = "loan", .favourable = "yes", .unfavourable = "no"},
          .features = {income, housing}};
}

/// Rows that the model was trained on: their ranges are the units of cost.
croco::DataFrame applicants() {
  return {.source = "applicants",
          .columns = {{"income", croco::NumberColumn{{900, 1500, 2100, 2800, 3600, 5000}}},
                      {"housing", croco::LevelColumn{{"rent", "own"}, {0, 0, 1, 0, 1, 1}}}}};
}

}  // namespace

int main() try {
  croco::LoadModelOptions options;
  options.training = [] { return croco::TrainingData{schema(), applicants()}; };
  // Each row: income in euros, and the place of the housing among the schema's levels.
  const croco::LoadedModel model = croco::load_function(
      "credit rules",
      [](croco::Rows values, croco::MutableView probabilities) {
        for (std::size_t k = 0; k < values.count(); ++k) {
          const double score = (values[k][0] - 3000) / 400 + (values[k][1] == 1 ? 1.0 : 0.0);
          probabilities[k] = 1 / (1 + std::exp(-score));
        }
      },
      options);
  const croco::Explainer explainer(model, {.method = croco::Certified{.target = 0.05}});
  const std::vector<croco::Person> people{{.row = 0, .record = {"1800", "rent"}}};
  for (const croco::Explanation& answer : explainer.explain(people)) {
    std::cout << "income " << answer.before[0] << " -> " << answer.after[0] << ", housing "
              << answer.before[1] << " -> " << answer.after[1] << "; noise undoes it in at most "
              << answer.certificate.value().upper << " of cases\n";
  }
  return 0;
} catch (const croco::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
