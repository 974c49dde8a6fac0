// SPDX-License-Identifier: Apache-2.0
/// Answers with round numbers, so that the texts about them can be written out.
#pragma once

#include <string>

#include <croco/explain/explanation.hpp>
#include <croco/report/context.hpp>
#include <tests/people.hpp>

namespace croco::answers {

inline ReportContext context(const Codec& codec) {
  return {.codec = codec,
          .method = "croco",
          .target = 0.05,
          .noise = Noise{.scale = 0.1, .scope = NoiseScope::continuous},
          .goal = Goal(),
          .model_name = "people",
          .model_fingerprint = std::string(64, 'a'),
          .schema_fingerprint = std::string(64, 'b')};
}

/// More income and less debt, certified.
inline Explanation found() {
  Explanation out;
  out.row = 12;
  out.where = "people.csv, line 14";
  out.status = Status::found;
  out.before = {"40", "10", "30", "rent"};
  out.after = {"75", "2.5", "30", "rent"};
  out.origin = {0.4, 0.2, 0.125, 1, 0};
  out.point = {0.75, 0.05, 0.125, 1, 0};
  out.score_before = 0.25;
  out.score = 0.875;
  out.valid = true;
  out.distance = {.l0 = 2, .l1 = 0.5, .l2 = 0.25, .linf = 0.375, .cost = 1};
  out.features_changed = 2;
  out.certificate = Certificate{.bound = BoundKind::clopper_pearson,
                                .samples = 100'000,
                                .invalid = 4321,
                                .rate = 0.04321,
                                .upper = 0.0452,
                                .confidence = 0.999,
                                .seed = 7,
                                .shared_draws = true};
  out.target_met = true;
  out.steps = 200;
  out.method_rate = 0.0421;
  out.method_bound = 0.05;
  return out;
}

/// The same, and a proof that half of its cost is needed and more.
inline Explanation proven() {
  Explanation out = found();
  out.proof = Proof{.basis = ProofBasis::sampling,
                    .lower = 0.96789,
                    .confidence = 0.9975,
                    .sampled_cost = 0.97,
                    .solved = true,
                    .samples = 16'384,
                    .allowed = 905,
                    .boxes = 17};
  return out;
}

inline Explanation unmet() {
  Explanation out = found();
  out.row = 3;
  out.status = Status::unmet;
  out.reason = "the bound of croco is 7.2 %, above the target of 5 %";
  out.certificate->invalid = 12;
  out.certificate->samples = 200;
  out.certificate->rate = 0.06;
  out.certificate->upper = 0.12345;
  out.target_met = false;
  return out;
}

inline Explanation infeasible() {
  Explanation out;
  out.row = 4;
  out.where = "people.csv, line 6";
  out.status = Status::infeasible;
  out.reason = "croco found no admissible change after which the model's answer is class 1";
  out.before = {"40", "10", "-500", "rent"};
  out.origin = {0.4, 0.2, -8.5, 1, 0};
  out.score_before = 0.125;
  return out;
}

/// The same with what stands in the way: income and debt are at their ends, and age would do.
inline Explanation nothing_accepted() {
  Explanation out = infeasible();
  out.obstacle =
      Obstacle{.kind = ObstacleKind::no_valid_point,
               .record = {"100", "0", "-500", "rent"},
               .point = {1, 0, -8.5, 1, 0},
               .score = 0.25,
               .limits = {{0, LimitKind::maximum}, {1, LimitKind::minimum}, {2, LimitKind::fixed}},
               .relaxations = {{.kind = RelaxationKind::feature,
                                .limit = {2, LimitKind::fixed},
                                .after = {"90", "10", "20", "rent"},
                                .distance = {.l0 = 2, .l1 = 1, .cost = 1.25},
                                .certificate = *found().certificate}}};
  return out;
}

/// Accepted, but the target is below what can be reached.
inline Explanation out_of_reach() {
  Explanation out = unmet();
  Certificate lowest = *found().certificate;
  lowest.rate = 0.125;
  lowest.upper = 0.13;
  out.obstacle = Obstacle{.kind = ObstacleKind::target,
                          .record = {"100", "10", "30", "rent"},
                          .point = {1, 0.2, 0.125, 1, 0},
                          .score = 0.75,
                          .valid = true,
                          .lowest = lowest,
                          .relaxations = {{.kind = RelaxationKind::target,
                                           .value = 0.14,
                                           .after = {"99", "10", "30", "rent"},
                                           .certificate = lowest},
                                          {.kind = RelaxationKind::noise,
                                           .value = 0.55,
                                           .after = {"98", "10", "30", "rent"},
                                           .certificate = lowest}}};
  return out;
}

inline Explanation already() {
  Explanation out;
  out.row = 5;
  out.where = "people.csv, line 7";
  out.status = Status::already;
  out.before = {"95", "0", "30", "own"};
  out.origin = {0.95, 0, 0.125, 0, 1};
  out.score_before = 0.75;
  return out;
}

inline Explanation error() {
  Explanation out;
  out.row = 6;
  out.where = "people.csv, line 8";
  out.reason = "people.csv, line 8: has 3 fields, but the header has 4";
  return out;
}

}  // namespace croco::answers
