// SPDX-License-Identifier: Apache-2.0
#include <croco/models/rounds.hpp>

#include <limits>
#include <string>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <tests/fixtures.hpp>
#include <tests/golden.hpp>
#include <tests/trees.hpp>

namespace croco {
namespace {

using fixtures::message_of;

TreeEnsemble read(const std::string& file, const RoundChoice& choice) {
  const std::string bytes = fixtures::tree_file(file);
  return file.ends_with(".txt") ? parse_lightgbm(bytes, file, choice)
                                : parse_xgboost(bytes, file, choice);
}

TEST(Rounds, AreReadFromTexts) {
  EXPECT_EQ(parse_rounds("best").kind, RoundChoice::Kind::best);
  EXPECT_EQ(parse_rounds("all").kind, RoundChoice::Kind::all);
  EXPECT_EQ(parse_rounds("12"), (RoundChoice{RoundChoice::Kind::first, 12}));
  for (const char* text : {"0", "-1", "2.5", "", "last", "nan", "1e300"}) {
    EXPECT_EQ(message_of<InvalidArgument>([&] { return parse_rounds(text); }),
              "rounds is '" + std::string(text) +
                  "'; it must be best, all or a whole number of at least 1");
  }
}

TEST(Rounds, WithoutAChoiceAllCountUnlessAnEarlierOneWasTheBest) {
  EXPECT_EQ(chosen_rounds({}, 10, std::nullopt, "m"), 10U);
  EXPECT_EQ(chosen_rounds({}, 10, 9, "m"), 10U);
  EXPECT_EQ(message_of<ModelError>([] { return chosen_rounds({}, 10, 4, "m.json"); }),
            "m.json: the model has 10 rounds and says that round 4, counted from 0, was the best. "
            "XGBoost's scikit-learn interface uses the 5 up to it, Booster.predict and "
            "inplace_predict use all: say which with --rounds best or --rounds all");
}

TEST(Rounds, AChoiceHasToFitTheFile) {
  const auto choose = [](const char* text, std::size_t rounds, std::optional<std::size_t> best) {
    return chosen_rounds(parse_rounds(text), rounds, best, "m.json");
  };
  EXPECT_EQ(choose("best", 10, 4), 5U);
  EXPECT_EQ(choose("all", 10, 4), 10U);
  EXPECT_EQ(choose("10", 10, 4), 10U);
  EXPECT_EQ(message_of<InvalidArgument>([&] { return choose("11", 10, 4); }),
            "rounds is 11; m.json has 10");
  EXPECT_EQ(message_of<InvalidArgument>([&] { return choose("best", 10, std::nullopt); }),
            "rounds is 'best', and m.json does not say which of its 10 rounds was the best; it "
            "must be all or a number");
  EXPECT_EQ(message_of<InvalidArgument>([&] { return choose("best", 3, 4); }),
            "rounds is 'best', and m.json says that this is round 4, counted from 0; it has 3 "
            "rounds");
}

// Early stopping, forests in rounds, dropout, means of forests: what the libraries answer.
TEST(Rounds, GiveTheLibrarysMarginsToTheLastBit) {
  for (const golden::Json& one : golden::list("tree_rounds", "cases")) {
    const std::string file = one.at("file");
    const std::string rounds = one.at("rounds");
    const TreeEnsemble ensemble = read(file, parse_rounds(rounds));
    const TreeModel model(ensemble, InputColumns::identity(ensemble.width));
    const Matrix rows = golden::matrix(one.at("rows"));
    Vector logits(rows.count());
    model.logits(rows.rows(), logits);
    EXPECT_EQ(logits, golden::vector(one.at("margins"))) << file << ", " << rounds;
  }
}

TEST(Rounds, FilesThatStoppedEarlyAreRefusedWithoutAChoice) {
  for (const char* file : {"xgb_early.json", "xgb_early_forest.json", "xgb_early_dart.json"}) {
    EXPECT_THAT(message_of<ModelError>([&] { return read(file, {}); }),
                testing::HasSubstr("say which with --rounds best or --rounds all"))
        << file;
  }
  const TreeEnsemble forest = read("xgb_early_forest.json", parse_rounds("2"));
  EXPECT_EQ(forest.roots.size(), 6U);
  EXPECT_EQ(forest.rounds.used, 2U);
  EXPECT_GT(forest.rounds.saved, 2U);
}

}  // namespace
}  // namespace croco
