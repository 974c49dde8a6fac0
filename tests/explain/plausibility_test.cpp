// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/plausibility.hpp>

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/random.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using testing::HasSubstr;

/// 200 people: incomes from 60 to 100 k, all accepted, and 20 who are refused.
LoadedModel crowd(std::size_t accepted = 200) {
  Codec codec = people::codec();
  Matrix rows(0, codec.width());
  Sequence random({4, Purpose::evaluate, 0});
  for (std::size_t i = 0; i < 20; ++i) rows.append(codec.encode({"0", "50", "20", "rent"}, "row"));
  for (std::size_t i = 0; i < accepted; ++i) {
    rows.append(codec.encode(
        {std::to_string(80 + random.below(20)), std::to_string(random.below(9)),
         std::to_string(20 + random.below(60)), random.uniform() < 0.5 ? "rent" : "own"},
        "row"));
  }
  return {.name = "people",
          .source = "people.json",
          .fingerprint = std::string(64, 'a'),
          .model = people::model(),
          .codec = std::move(codec),
          .unfrozen = {},
          .examples = std::make_shared<const Matrix>(std::move(rows))};
}

/// By the definition: distances to every other accepted row, sorted.
double score_of(const Matrix& rows, View point) {
  std::vector<double> all;
  for (std::size_t i = 20; i < rows.count(); i += 2) {
    double sum = 0;
    for (std::size_t j = 0; j < 3; ++j) sum += std::abs(rows[i][j] - point[j]);
    sum += rows[i][3] == point[3] ? 0 : 1;
    all.push_back(sum);
  }
  std::ranges::sort(all);
  return (all[0] + all[1] + all[2] + all[3] + all[4]) / 5;
}

TEST(Plausibility, IsTheRankOfTheMeanDistanceToFiveNeighbours) {
  const LoadedModel model = crowd();
  const Matrix& rows = *model.examples;
  const PlausibilityScale scale(model, Goal());
  for (const Record& record : std::vector<Record>{
           {"85", "3", "50", "own"}, {"99", "8", "79", "rent"}, {"60", "40", "20", "own"}}) {
    const Vector point = model.codec.encode(record, "row");
    const double expected = score_of(rows, point);
    std::size_t unusual = 0;
    for (std::size_t i = 21; i < rows.count(); i += 2) {
      unusual += score_of(rows, rows[i]) >= expected ? 1U : 0U;
    }
    const Plausibility made = scale.of(point);
    EXPECT_NEAR(made.distance, expected, 1e-12);
    EXPECT_NEAR(made.share, static_cast<double>(unusual) / 100, 1e-12);
  }
}

TEST(Plausibility, NamesTheNearestAcceptedPerson) {
  const LoadedModel model = crowd();
  const PlausibilityScale scale(model, Goal());
  const Plausibility made = scale.of((*model.examples)[42]);  // who is compared with
  EXPECT_EQ(made.nearest, 42U);
}

TEST(Plausibility, NothingIsAsUnusualAsNobody) {
  const LoadedModel model = crowd();
  const PlausibilityScale scale(model, Goal());
  EXPECT_EQ(scale.of(model.codec.encode({"0", "50", "-900", "own"}, "row")).share, 0);
}

TEST(Plausibility, OfAcceptedPeopleIsUniform) {
  // Of 400 further accepted people about a tenth are in each tenth.
  const LoadedModel model = crowd();
  const LoadedModel others = crowd(600);
  const PlausibilityScale scale(model, Goal());
  std::vector<std::size_t> tenths(10);
  for (std::size_t i = 220; i < 620; ++i) {
    ++tenths[std::min<std::size_t>(
        9, static_cast<std::size_t>(10 * scale.of((*others.examples)[i]).share))];
  }
  // A share of 100 ranks is off by .04 or so itself.
  for (const std::size_t count : tenths) EXPECT_NEAR(static_cast<double>(count), 40, 30);
}

TEST(Plausibility, NeedsAcceptedPeople) {
  LoadedModel bare = crowd();
  bare.examples = nullptr;
  EXPECT_THAT(fixtures::message_of<InvalidArgument>(
                  [&] { return PlausibilityScale(bare, Goal()).of({}).share; }),
              HasSubstr("plausibility compares people with accepted ones; --training must name"));
  EXPECT_THAT(
      fixtures::message_of<InvalidArgument>(
          [&] { return PlausibilityScale(crowd(9), Goal()).of({}).share; }),
      HasSubstr("the model accepts 9 of 29 people in the training data, and at least 10 are "
                "needed"));
}

TEST(ExplainerPlausibility, IsOfTheRecommendedPointAndChangesNothingElse) {
  const auto everyone = people::everyone();
  ExplainOptions options = people::options();
  const auto without = Explainer(crowd(), options).explain(everyone);
  options.plausibility = true;
  const auto with = Explainer(crowd(), options).explain(everyone);
  const PlausibilityScale scale(crowd(), options.goal);
  for (std::size_t i = 0; i < with.size(); ++i) {
    EXPECT_EQ(with[i].after, without[i].after);
    EXPECT_FALSE(without[i].plausibility);
    ASSERT_EQ(with[i].plausibility.has_value(), with[i].has_advice());
    if (with[i].plausibility) {
      EXPECT_EQ(*with[i].plausibility, scale.of(with[i].point));
    }
  }
}

}  // namespace
}  // namespace croco
