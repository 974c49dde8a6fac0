// SPDX-License-Identifier: Apache-2.0
// A schema in code: what the columns mean, who may change what, and how exactly people carry out
// advice. `croco::schema_json` writes it as the file that `--schema` takes.
#include <iostream>

#include <croco/croco.hpp>

int main() try {
  croco::Feature income{.name = "income", .unit = "EUR"};
  income.movement = croco::Movement::up;
  income.minimum = 0;
  income.maximum = 10'000;
  income.step = 50;
  income.noise.sd = 100;

  croco::Feature age{.name = "age", .unit = "years"};
  age.movement = croco::Movement::fixed;

  croco::Feature housing{.name = "housing", .type = croco::FeatureType::categorical};
  housing.levels = {"rent", "own"};
  housing.cost = 0.5;
  housing.noise.flip = 0.02;

  const croco::Schema schema{
      .label = {.name = "loan", .favourable = "approved", .unfavourable = "denied"},
      .features = {income, age, housing},
      .max_changes = 2};
  croco::validate(schema);
  std::cout << croco::schema_json(schema);
  return 0;
} catch (const croco::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
