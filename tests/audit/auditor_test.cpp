// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/auditor.hpp>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using testing::HasSubstr;

LoadedModel loaded(std::shared_ptr<const Model> model = people::hidden_model()) {
  return {.name = "people",
          .source = "people.json",
          .fingerprint = std::string(64, 'a'),
          .model = std::move(model),
          .codec = people::codec(),
          .unfrozen = {}};
}

ExplainOptions certified_options() {
  ExplainOptions out = people::options();
  out.method = Certified{.target = 0.1};
  out.certify = {.samples = 20'000};
  return out;
}

std::vector<AuditAttribute> homes() {
  return {{.column = "home",
           .cuts = {},
           .feature = 3,
           .groups = {"rent", "own"},
           .reference = 1,
           .swappable = true}};
}

TEST(Auditor, AnswersAsAnExplainerDoes) {
  const auto everyone = people::everyone();
  const Auditor auditor(loaded(), certified_options(), homes(), {});
  const auto made = auditor.audit(everyone, {});
  const auto answers = Explainer(loaded(), certified_options()).explain(everyone);
  ASSERT_EQ(made.answers.size(), answers.size());
  ASSERT_EQ(made.people.size(), answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(made.answers[i].status, answers[i].status);
    EXPECT_EQ(made.answers[i].after, answers[i].after);
    EXPECT_EQ(made.people[i].row, everyone[i].row);
  }
  EXPECT_EQ(made.people[1].recourse, Recourse::accepted);
  EXPECT_EQ(made.people[1].cost, 0);
  EXPECT_EQ(made.people[0].recourse, Recourse::certified);
  EXPECT_EQ(made.people[0].cost, answers[0].distance.cost);
  EXPECT_FALSE(made.people[0].changed.empty());
  EXPECT_EQ(made.people[4].recourse, std::nullopt);  // a castle is no home
  EXPECT_TRUE(made.people[4].groups.empty());
}

TEST(Auditor, KnowsWhomNothingHelpsAndWhatHoldsThemBack) {
  ExplainOptions strict = certified_options();
  strict.method = Certified{.target = 0.01};
  const Auditor auditor(loaded(), strict, homes(), {});
  const auto everyone = people::everyone();
  const auto made = auditor.audit(everyone, {});
  EXPECT_EQ(made.people[2].recourse, Recourse::impossible);
  EXPECT_EQ(made.people[2].cost, std::numeric_limits<double>::infinity());
  EXPECT_EQ(made.people[2].plain, std::numeric_limits<double>::infinity());
  EXPECT_THAT(made.people[2].limits, testing::Contains(Limit{0, LimitKind::maximum}));
  // Accepted at best, but never by a safe margin: a plain yes has a price, a certified one has
  // none.
  EXPECT_NE(made.people[3].recourse, Recourse::certified);
  EXPECT_LT(made.people[3].plain, std::numeric_limits<double>::infinity());
}

TEST(Auditor, ThePlainYesIsTheCheapestPointOnTheBoundary) {
  // 6 income - 4 debt + age / 2 > 3 from 40 k and a debt of 10: .2 of income is missing, less what
  // the age of 30 gives; income is in whole thousands.
  const Auditor auditor(loaded(), certified_options(), homes(), {});
  const std::vector<Person> one{people::person(0, {"40", "0", "30", "rent"})};
  const auto made = auditor.audit(one, {});
  const double age = (30.0 - 20) / 60 / 2;
  const double income = (3 - age) / 6;
  EXPECT_GE(made.people[0].plain, income - 0.4);
  EXPECT_LE(made.people[0].plain, income - 0.4 + 0.011);
  EXPECT_GT(made.people[0].cost, made.people[0].plain);
}

TEST(Auditor, SwapsChangeTheAttributeAlone) {
  const Auditor auditor(loaded(), certified_options(), homes(), {});
  const std::vector<Person> renter{people::person(7, {"40", "10", "30", "rent"})};
  const std::vector<Person> owner{people::person(7, {"40", "10", "30", "own"})};
  const auto one = auditor.audit(renter, {});
  const auto other = auditor.audit(owner, {});
  ASSERT_EQ(one.people[0].swaps.size(), 1U);
  EXPECT_EQ(one.people[0].swaps[0].group, 1U);
  EXPECT_EQ(one.people[0].swaps[0].cost, other.people[0].cost);
  EXPECT_EQ(other.people[0].swaps[0].cost, one.people[0].cost);
  EXPECT_GT(one.people[0].cost, other.people[0].cost);  // owning a home helps
}

TEST(Auditor, LeavesOutWhatIsNotAsked) {
  const Auditor auditor(loaded(), certified_options(), homes(), {.premium = false, .swap = false});
  const auto made = auditor.audit(people::everyone(), {});
  EXPECT_TRUE(made.people[0].swaps.empty());
  EXPECT_EQ(made.people[0].plain, std::numeric_limits<double>::infinity());
}

TEST(Auditor, IsTheSameOnAnyNumberOfThreads) {
  ExplainOptions options = certified_options();
  const auto one = Auditor(loaded(), options, homes(), {}).audit(people::everyone(), {});
  options.threads = 4;
  const auto several = Auditor(loaded(), options, homes(), {}).audit(people::everyone(), {});
  EXPECT_EQ(one.people, several.people);
}

TEST(Auditor, NeedsATarget) {
  ExplainOptions options = certified_options();
  options.method = Wachter{};
  EXPECT_THAT(fixtures::message_of<InvalidArgument>(
                  [&] { return Auditor(loaded(), options, homes(), {}).attributes().size(); }),
              HasSubstr("method is 'wachter', which has no target"));
}

TEST(Auditor, AStopLosesTheBatchAtMost) {
  std::stop_source stop;
  stop.request_stop();
  const Auditor auditor(loaded(), certified_options(), homes(), {});
  const auto made = auditor.audit(people::everyone(), stop.get_token());
  EXPECT_EQ(made.answers.size(), made.people.size());
  EXPECT_LT(made.people.size(), people::everyone().size());
}

}  // namespace
}  // namespace croco
