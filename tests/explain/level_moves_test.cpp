// SPDX-License-Identifier: Apache-2.0
// Advice that changes categories, all the way from the schema to the told record.
#include <gmock/gmock.h>

#include <croco/explain/explainer.hpp>
#include <croco/space/levels.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

/// The small world of `people`, where renting a home may end at a price.
Codec codec(double price) {
  Schema schema = people::schema();
  schema.features[3].movement = Movement::both;
  schema.features[3].moves = {{"rent", "own", price}};
  return people::codec().with_schema(schema);
}

ExplainOptions options(double target) {
  ExplainOptions out;
  out.method = Certified{.target = target};
  out.noise = parse_noise("gaussian:sd=0.05");
  out.noise->scope = NoiseScope::continuous;
  out.certify.samples = 20'000;
  out.reasons = false;
  return out;
}

std::vector<Person> people_who(const std::string& home) {
  std::vector<Person> out;
  for (std::size_t row = 0; row < 12; ++row) {
    out.push_back(people::person(row, {std::to_string(15 + 3 * row), "20", "30", home}));
  }
  return out;
}

TEST(LevelMoves, AreToldWhereTheyAreCheaper) {
  const Explainer numbers(people::model(), people::codec(), options(0.1));
  const Explainer moves(people::model(), codec(0.01), options(0.1));
  const auto renting = people_who("rent");
  const auto without = numbers.explain(renting);
  const auto with = moves.explain(renting);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < with.size(); ++i) {
    if (with[i].status == Status::already) continue;
    ASSERT_EQ(with[i].status, Status::found) << with[i].reason;
    const bool owns = with[i].after[3] == "own";
    moved += owns ? 1U : 0U;
    EXPECT_EQ(with[i].distance.level_price, owns ? 0.01 : 0.0);
    // What is certified is what is told, one level and no other.
    EXPECT_EQ(with[i].point, moves.codec().encode(with[i].after, "told"));
    ASSERT_TRUE(with[i].certificate);
    EXPECT_LE(with[i].certificate->upper, 0.1);
    if (without[i].status == Status::found) {
      EXPECT_LE(with[i].distance.cost, 1.01 * without[i].distance.cost);
    }
  }
  EXPECT_GT(moved, 0U);
}

TEST(LevelMoves, AreNotToldWhereTheyAreDear) {
  const auto answers =
      Explainer(people::model(), codec(100), options(0.1)).explain(people_who("rent"));
  for (const Explanation& answer : answers) {
    EXPECT_TRUE(!answer.has_advice() || answer.after[3] == "rent");
  }
}

TEST(LevelMoves, GoOnlyWhereTheSchemaLetsThem) {
  const auto answers =
      Explainer(people::model(), codec(0.01), options(0.1)).explain(people_who("own"));
  for (const Explanation& answer : answers) {
    EXPECT_TRUE(!answer.has_advice() || answer.after[3] == "own");
  }
}

TEST(LevelMoves, DoNotDependOnThreadsOrCompany) {
  const auto renting = people_who("rent");
  ExplainOptions two = options(0.1);
  two.threads = 2;
  const Explainer explainer(people::model(), codec(0.05), options(0.1));
  const auto together = Explainer(people::model(), codec(0.05), two).explain(renting);
  for (std::size_t i = 0; i < renting.size(); ++i) {
    const auto alone = explainer.explain({&renting[i], 1});
    EXPECT_EQ(alone[0].point, together[i].point);
  }
}

TEST(LevelMoves, CountInProofs) {
  ExplainOptions asked = options(0.1);
  asked.prove = ProveOptions{.samples = 20'000};
  const auto answers = Explainer(people::model(), codec(0.05), asked).explain(people_who("rent"));
  for (const Explanation& answer : answers) {
    if (answer.status == Status::already) continue;
    ASSERT_TRUE(answer.proof);
    EXPECT_EQ(answer.proof->basis, ProofBasis::sampling);
    ASSERT_EQ(answer.status, Status::found);
    EXPECT_LE(answer.proof->lower, answer.distance.cost);
    EXPECT_GE(answer.proof->lower, 0.85 * answer.distance.cost);
  }
}

}  // namespace
}  // namespace croco
