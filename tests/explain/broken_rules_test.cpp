// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/broken_rules.hpp>

#include <gmock/gmock.h>

#include <croco/space/admissible.hpp>
#include <tests/explain/random_worlds.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using testing::ElementsAre;

std::vector<Limit> broken(const Codec& codec, const Record& before, const Record& after) {
  return broken_rules(codec, codec.encode(before, "before"), codec.encode(after, "after")).limits;
}

TEST(BrokenRules, PresentValuesBreakNone) {
  // Out of the range and between two steps.
  const Record person{"120.5", "60", "30", "rent"};
  EXPECT_THAT(broken(people::codec(), person, person), testing::IsEmpty());
  EXPECT_THAT(broken(people::codec(), person, {"110", "55", "30", "rent"}), testing::IsEmpty())
      << "nearer to the range";
  EXPECT_THAT(broken(people::codec(), person, {"121", "60", "30", "rent"}),
              ElementsAre(Limit{0, LimitKind::maximum}));
}

TEST(BrokenRules, EachIsNamed) {
  Schema schema = people::schema();
  schema.features[0].movement = Movement::up;
  schema.features[0].max_change = 30;
  schema.features[3].movement = Movement::both;
  schema.features[3].moves = {{"own", "rent", {}, {}}};
  schema.relations = {{.name = "cap", .sum = {{"income", 1}, {"debt", 1}}, .limit = 60}};
  schema.max_changes = 2;
  const Codec codec(schema, people::codec().scales());
  const Record person{"40", "10", "30", "rent"};
  EXPECT_THAT(broken(codec, person, {"39.5", "10", "30", "rent"}),
              ElementsAre(Limit{0, LimitKind::no_fall}, Limit{0, LimitKind::step}));
  EXPECT_THAT(broken(codec, person, {"71", "-1", "30", "own"}),
              ElementsAre(Limit{0, LimitKind::max_change}, Limit{1, LimitKind::minimum},
                          Limit{3, LimitKind::levels}, Limit{0, LimitKind::relation}));
  const BrokenRules many = broken_rules(codec, codec.encode({"40", "10", "30", "own"}, "before"),
                                        codec.encode({"45", "9", "30", "rent"}, "after"));
  EXPECT_TRUE(many.limits.empty());
  EXPECT_TRUE(many.too_many_changes);
  EXPECT_TRUE(many.any());
}

TEST(BrokenRules, AreNoneExactlyWhereAPointIsAdmissible) {
  std::size_t admissible = 0;
  std::size_t pairs = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const worlds::World world = worlds::random_world(seed, 6);
    const Space& space = world.codec.space();
    for (const Person& one : world.people) {
      const Vector origin = world.codec.encode(one.record, one.where);
      for (const Person& other : world.people) {
        Vector point = world.codec.encode(other.record, other.where);
        for (const bool rounded : {false, true}) {
          if (rounded) round(space, origin, point, Rounding::nearest);
          const bool fine = is_admissible(space, origin, point);
          EXPECT_EQ(!broken_rules(world.codec, origin, point).any(), fine)
              << "seed " << seed << ", rows " << one.row << " and " << other.row;
          admissible += fine ? 1U : 0U;
          ++pairs;
        }
      }
    }
  }
  EXPECT_GT(admissible, pairs / 10);
  EXPECT_LT(admissible, pairs * 9 / 10);
}

}  // namespace
}  // namespace croco
