// SPDX-License-Identifier: Apache-2.0
/// A small world that the tests of explanations and reports share: four features, a logistic model
/// and people for whom the outcome can be worked out by hand.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <croco/data/codec.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/explain/explanation.hpp>
#include <tests/fixtures.hpp>

namespace croco::people {

/// Income in whole thousands, a debt that may only fall, and two features that stay.
inline Schema schema() {
  return {.label = {"accepted", "yes", "no"},
          .features = {{.name = "income",
                        .label = "Income",
                        .unit = "k",
                        .minimum = 0,
                        .maximum = 100,
                        .step = 1},
                       {.name = "debt", .movement = Movement::down, .minimum = 0, .maximum = 50},
                       {.name = "age", .movement = Movement::fixed, .step = 1},
                       {.name = "home",
                        .type = FeatureType::categorical,
                        .movement = Movement::fixed,
                        .levels = {"rent", "own"}}}};
}

inline Codec codec() {
  return Codec(schema(), {{0, 100, "40"}, {0, 50, "10"}, {20, 80, "50"}, {0, 1, "rent"}});
}

/// `z = 6 income - 4 debt + age / 2 + [own] / 2 - 3` over the encoded columns.
inline std::shared_ptr<const Mlp> model() {
  return std::make_shared<const Mlp>(fixtures::logistic({6, -4, 0.5, 0, 0.5}, -3));
}

/// The same logit from a hidden layer, so that it has no closed form under noise.
inline std::shared_ptr<const Mlp> hidden_model() {
  return std::make_shared<const Mlp>(
      std::vector<DenseLayer>{{5, 2, {6, -4, 0.5, 0, 0.5, -6, 4, -0.5, 0, -0.5}, {-3, 3}},
                              {2, 1, {1, -1}, {0}}},
      Activation::relu);
}

inline Person person(std::size_t row, Record record) {
  return {.row = row,
          .where = fmt::format("people.csv, line {}", row + 2),
          .record = std::move(record),
          .problem = {}};
}

/// One for each status: found, already, infeasible, unmet, error, and another found.
inline std::vector<Person> everyone() {
  return {person(0, {"40", "10", "30", "rent"}), person(1, {"95", "0", "30", "own"}),
          // A logit of -1.3 at best: no income is enough.
          person(2, {"40", "10", "-500", "rent"}),
          // A logit of .75 at best: accepted, but never by a safe margin.
          person(3, {"40", "10", "-250", "rent"}), person(4, {"40", "10", "30", "castle"}),
          person(5, {"20", "30.5", "60", "own"})};
}

inline ExplainOptions options() {
  return {.method = Croco{.target = 0.3},
          .noise = Noise{.scale = 0.05, .scope = NoiseScope::continuous},
          .goal = Goal(),
          .certify = {.samples = 5000, .exact = false, .sequential = false}};
}

inline Explainer explainer(ExplainOptions with = options()) {
  return Explainer(model(), codec(), std::move(with));
}

}  // namespace croco::people
