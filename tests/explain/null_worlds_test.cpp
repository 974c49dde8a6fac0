// SPDX-License-Identifier: Apache-2.0
// Worlds in which a target is met or missed by a hair, so that every sentence with a confidence is
// as likely to be wrong as it can be. What is said of a person is false, all kinds of sentences
// together, no more often than the stated error allows.
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/normal.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/noise/sample.hpp>
#include <croco/robustness/error_budget.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

constexpr double kTarget = 0.1;
constexpr double kConfidence = 0.9;
constexpr double kHair = 1e-7;
constexpr double kScale = 0.05;

enum Kind { certificate, alternative, proof, obstacle, lowest, target, noise, limit, any, kKinds };
constexpr std::array<std::string_view, kKinds> kNames{
    "certificate",    "alternative",   "proof",         "obstacle", "lowest rate",
    "relaxed target", "relaxed noise", "relaxed limit", "any"};
/// People of whom a sentence of the kind is false, and of whom there is one.
struct Tallied {
  std::array<std::size_t, kKinds> wrong{};
  std::array<std::size_t, kKinds> said{};
};

/// Two numbers in [0, 1], told as they are, and a third that stays but would help. Everybody stands
/// at (.2, .2, .5).
struct World {
  std::array<double, 3> weights{4, 4, 2};
  double best = kTarget;       ///< the lowest rate within reach
  bool one_at_a_time = false;  ///< advice changes one number; otherwise both may move
  std::size_t options = 1;
  std::optional<std::size_t> prove_draws = {};

  [[nodiscard]] double spread(double factor = 1) const {
    return factor * kScale * std::hypot(weights[0], weights[1], weights[2]);
  }
  [[nodiscard]] double bias() const {
    const double second = one_at_a_time ? 0.2 : 1.0;
    return -spread() * normal_quantile(best) - weights[0] - weights[1] * second - weights[2] / 2;
  }
  [[nodiscard]] double rate(View point, double factor = 1) const {
    double logit = bias();
    for (std::size_t j = 0; j < 3; ++j) logit += weights[j] * point[j];
    return normal_cdf(-logit / spread(factor));
  }
  /// Of every admissible change that meets the target; infinite when none does.
  [[nodiscard]] double least_cost() const {
    const double missing = -spread() * normal_quantile(kTarget) - bias() -
                           0.2 * (weights[0] + weights[1]) - 0.5 * weights[2];
    return best <= kTarget ? missing / weights[0] : HUGE_VAL;
  }
};

Tallied asked(const World& world, std::size_t people, std::uint64_t seed) {
  Schema schema{.label = {"accepted", "yes", "no"},
                .features = {{.name = "a", .minimum = 0, .maximum = 1},
                             {.name = "b", .minimum = 0, .maximum = 1},
                             {.name = "c", .movement = Movement::fixed}}};
  const Codec codec(schema, {{0, 1, "0.2"}, {0, 1, "0.2"}, {0, 1, "0.5"}});
  const auto model = std::make_shared<const Mlp>(
      fixtures::logistic({world.weights.begin(), world.weights.end()}, world.bias()));
  ExplainOptions options{
      .method = Certified{.target = kTarget, .search_samples = 512, .calibration_samples = 4000},
      .noise = Noise{.scale = kScale, .scope = NoiseScope::all},
      .certify = {.samples = 4000, .confidence = kConfidence, .exact = false},
      .shared_draws = false,
      .seed = seed,
      .threads = 0,
      .alternatives = world.options};
  if (world.prove_draws) {
    options.prove = ProveOptions{.confidence = kConfidence,
                                 .gap = 1e-5,
                                 .samples = *world.prove_draws,
                                 .origin_samples = 2000};
  }
  if (world.one_at_a_time) options.max_changes = 1;
  std::vector<Person> everyone;
  for (std::size_t row = 0; row < people; ++row) {
    everyone.push_back({.row = row, .where = "row", .record = {"0.2", "0.2", "0.5"}});
  }
  const Explainer explainer(model, codec, options);
  Tallied out;
  for (const Explanation& answer : explainer.explain(everyone)) {
    std::array<bool, kKinds> said{};
    std::array<bool, kKinds> wrong{};
    const auto note = [&](Kind kind, bool holds) {
      for (const Kind one : {kind, any}) {
        said[one] = true;
        wrong[one] = wrong[one] || !holds;
      }
    };
    const auto bounded = [&](Kind kind, View point, const Certificate& said_of_it,
                             double factor = 1) {
      note(kind, world.rate(point, factor) <= said_of_it.upper);
    };
    if (answer.certificate) bounded(certificate, answer.point, *answer.certificate);
    for (const Explanation& other : answer.alternatives) {
      bounded(alternative, other.point, *other.certificate);
    }
    if (answer.proof && answer.proof->basis != ProofBasis::none) {
      note(proof, answer.proof->lower <= world.least_cost() * (1 + 1e-12));
    }
    if (answer.obstacle) {
      const Obstacle& found = *answer.obstacle;
      if (found.out_of_reach > 0) note(obstacle, world.least_cost() == HUGE_VAL);
      if (found.lowest) bounded(lowest, found.point, *found.lowest);
      for (const Relaxation& relaxation : found.relaxations) {
        const bool quieter = relaxation.kind == RelaxationKind::noise;
        bounded(relaxation.kind == RelaxationKind::target ? target
                : quieter                                 ? noise
                                                          : limit,
                codec.encode(relaxation.after, "row"), relaxation.certificate,
                quieter ? relaxation.value : 1.0);
      }
    }
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      out.said[kind] += said[kind] ? 1U : 0U;
      out.wrong[kind] += wrong[kind] ? 1U : 0U;
    }
  }
  return out;
}

/// The share of a person's error that sentences of a kind have.
double share_of(std::size_t kind) {
  switch (kind) {
    case proof:
    case obstacle:
      return sentence_share(Sentence::proof);
    case lowest:
      return sentence_share(Sentence::lowest_rate);
    case target:
      return sentence_share(Sentence::relaxed_target);
    case noise:
      return sentence_share(Sentence::relaxed_noise);
    case limit:
      return sentence_share(Sentence::relaxed_limit);
    default:
      return 1;
  }
}

void expect_no_more_than_stated(const std::string& name, const World& world, std::size_t people,
                                std::uint64_t seed) {
  const Tallied tallied = asked(world, people, seed);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    // The count above which Bin(people, error) lies with a probability of at most 1e-4.
    const double error = (1 - kConfidence) * share_of(kind);
    const std::size_t most = people - fixtures::least_count(people, 1 - error);
    EXPECT_LE(tallied.wrong[kind], most)
        << name << ", " << kNames[kind] << ", said of " << tallied.said[kind];
  }
}

void check_all(std::size_t people, std::uint64_t seed) {
  expect_no_more_than_stated("met by a hair", {.best = kTarget - kHair}, people, seed);
  expect_no_more_than_stated("met by a hair, with fewer draws for proofs",
                             {.best = kTarget - kHair, .prove_draws = 2048}, people, seed + 1);
  expect_no_more_than_stated("missed by a hair", {.best = kTarget + kHair, .prove_draws = 16'384},
                             people, seed + 2);
  expect_no_more_than_stated("two ways, both missed by a hair",
                             {.best = kTarget + kHair, .one_at_a_time = true, .options = 2}, people,
                             seed + 3);
  expect_no_more_than_stated("within reach", {.best = 0.02, .prove_draws = 2048}, people, seed + 4);
}

TEST(NullWorlds, AllSentencesOfAPersonTogetherKeepTheStatedError) { check_all(80, 1); }

TEST(SlowNullWorlds, AllSentencesOfAPersonTogetherKeepTheStatedError) { check_all(1500, 100); }

}  // namespace
}  // namespace croco
