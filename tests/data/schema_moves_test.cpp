// SPDX-License-Identifier: Apache-2.0
// Moves of categories: in the schema, and what the codec makes of them.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/schema.hpp>

namespace croco {
namespace {

void expect_invalid(const Schema& schema, const std::string& message) {
  EXPECT_THAT([&] { validate(schema); }, testing::ThrowsMessage<DataError>(message));
}

TEST(SchemaMoves, AreChecked) {
  const auto with = [](std::vector<CategoryMove> moves) {
    Schema schema;
    schema.features = {{.name = "duration"},
                       {.name = "housing",
                        .type = FeatureType::categorical,
                        .movement = Movement::both,
                        .levels = {"rent", "own", "free"},
                        .moves = std::move(moves)}};
    return schema;
  };
  EXPECT_NO_THROW(validate(with({{"rent", "own", 0.5}, {"rent", "free", {}}})));
  expect_invalid(with({{"rent", "owm", {}}}),
                 "feature 'housing': moves: 'owm' is none of its levels; did you mean 'own'?");
  expect_invalid(with({{"rent", "rent", {}}}),
                 "feature 'housing': moves: 'rent' to itself is no move");
  expect_invalid(with({{"rent", "own", {}}, {"rent", "own", 2.0}}),
                 "feature 'housing': moves: 'rent' to 'own' is there twice");
  expect_invalid(with({{"rent", "own", 0.0}}),
                 "feature 'housing': moves: the cost of 'rent' to 'own' is 0; it must be above 0");
  Schema ordered = with({{"rent", "own", {}}});
  ordered.features[1].movement = Movement::up;
  expect_invalid(ordered,
                 "feature 'housing': states moves and that it is to go up; moves say it all");
  Schema number = with({});
  number.features[0].moves = {{"1", "2", {}}};
  expect_invalid(number,
                 "feature 'duration': is numeric and cannot have moves; those are between levels");
}

TEST(SchemaMoves, AreReadAndWritten) {
  const std::string text = R"({"croco_schema": 1, "features": [
      {"name": "savings", "type": "categorical", "levels": ["low", "mid", "high"],
       "moves": [{"from": "low", "to": "mid", "cost": 0.25}, {"from": "low", "to": "high"}]}]})";
  const Schema schema = parse_schema(text, "s.json");
  ASSERT_EQ(schema.features[0].moves.size(), 2U);
  EXPECT_EQ(schema.features[0].movement, Movement::both);
  EXPECT_EQ(schema.features[0].moves[0].cost, 0.25);
  EXPECT_FALSE(schema.features[0].moves[1].cost);
  EXPECT_EQ(parse_schema(schema_json(schema), "again"), schema);
  const auto message = [&](const std::string& from, const std::string& to) {
    std::string bad = text;
    bad.replace(bad.find(from), from.size(), to);
    try {
      static_cast<void>(parse_schema(bad, "s.json"));
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(R"("cost": 0.25)", R"("price": 0.25)"),
              testing::HasSubstr("s.json: feature 'savings': moves: unknown key 'price'"));
  EXPECT_THAT(message(R"("to": "high")", R"("cost": 1)"),
              testing::HasSubstr("moves: the key 'to' is missing"));
}

TEST(CodecMoves, FollowTheSchema) {
  Schema schema;
  schema.features = {{.name = "savings",
                      .type = FeatureType::categorical,
                      .movement = Movement::both,
                      .cost = 0.5,
                      .levels = {"low", "mid", "high"}}};
  const auto moves = [&](Movement movement) {
    schema.features[0].movement = movement;
    FeatureScale scale{.typical = "low"};
    scale.unseen = {"mid"};
    return Codec(schema, {scale}).space().groups[0].moves;
  };
  EXPECT_TRUE(moves(Movement::fixed).empty());
  // Nobody has the middle level, so nobody is told to go there.
  EXPECT_THAT(moves(Movement::both),
              testing::ElementsAre(LevelMove{0, 2, 0.5}, LevelMove{1, 0, 0.5}, LevelMove{1, 2, 0.5},
                                   LevelMove{2, 0, 0.5}));
  EXPECT_THAT(moves(Movement::up),
              testing::ElementsAre(LevelMove{0, 2, 1.0}, LevelMove{1, 2, 0.5}));
  EXPECT_THAT(moves(Movement::down),
              testing::ElementsAre(LevelMove{1, 0, 0.5}, LevelMove{2, 0, 1.0}));
  schema.features[0].moves = {{"low", "mid", 0.1}, {"low", "high", {}}};
  EXPECT_THAT(moves(Movement::both),
              testing::ElementsAre(LevelMove{0, 1, 0.1}, LevelMove{0, 2, 0.5}));
}

}  // namespace
}  // namespace croco
