// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/statistics/gap_intervals.hpp>

#include <cmath>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/normal.hpp>
#include <croco/base/random.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

constexpr double kNoRecourse = std::numeric_limits<double>::infinity();

/// Refused people whose costs follow their scores; a fifth have no recourse, a tenth are undecided.
RecoursePopulation refused_people(std::size_t count, Sequence& random) {
  RecoursePopulation out;
  for (std::size_t i = 0; i < count; ++i) {
    const double score = normal_quantile(random.uniform());
    const double cost = std::exp(0.6 * normal_quantile(random.uniform()) - 0.5 * score);
    const double fate = random.uniform();
    const bool accepted = score > 0.3;
    out.score.push_back(score);
    out.recourse.push_back(accepted     ? Recourse::accepted
                           : fate < 0.2 ? Recourse::impossible
                           : fate < 0.3 ? Recourse::undecided
                                        : Recourse::certified);
    out.cost.push_back(accepted ? 0 : fate < 0.3 ? kNoRecourse : cost);
    out.plain.push_back(accepted ? 0 : cost * 0.7);
  }
  return out;
}

/// `count` people in each of two groups, in a random order.
Grouping permuted(std::size_t count, Sequence& random) {
  std::vector<std::size_t> order(2 * count);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  random.shuffle(order);
  Grouping out{.group = std::vector<std::uint32_t>(2 * count), .groups = 2, .reference = 0};
  for (std::size_t k = 0; k < count; ++k) out.group[order[k]] = 1;
  return out;
}

bool excludes_zero(const GroupStatement& one) {
  return one.joint && (one.joint->lower > 0 || one.joint->upper < 0);
}

GapOptions quick_options(std::uint64_t seed) { return {.replicates = 500, .seed = seed}; }

TEST(SlowStateGaps, FindNoGapBetweenPermutedGroupsInAtLeastNineteenOfTwentyRuns) {
  constexpr std::size_t kRuns = 1000;
  std::size_t false_gaps = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    Sequence random({run, Purpose::evaluate, 1});
    const RecoursePopulation people = refused_people(640, random);
    const std::vector<Grouping> groupings{permuted(320, random), permuted(320, random)};
    const GroupStatements made = state_gaps(people, groupings, {.seed = run});
    EXPECT_GE(made.joint, 14U);
    false_gaps += std::ranges::any_of(made.statements, excludes_zero) ? 1U : 0U;
  }
  RecordProperty("false_gaps", static_cast<int>(false_gaps));
  std::cout << "false gaps in " << false_gaps << " of " << kRuns << " runs\n";
  EXPECT_LE(false_gaps, kRuns / 20);
}

TEST(SlowStateGaps, FindAGapOfHalfADeviationAmongTwoHundredInNineteenOfTwentyRuns) {
  constexpr std::size_t kRuns = 1000;
  constexpr std::size_t kInGroup = 200;
  std::size_t found = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    Sequence random({run, Purpose::evaluate, 2});
    RecoursePopulation people;
    Grouping grouping{.groups = 2, .reference = 0};
    for (std::size_t i = 0; i < 2 * kInGroup; ++i) {
      const bool member = i >= kInGroup;
      grouping.group.push_back(member ? 1 : 0);
      people.recourse.push_back(Recourse::certified);
      people.cost.push_back(5 + normal_quantile(random.uniform()) + (member ? 0.5 : 0.0));
      people.plain.push_back(people.cost.back());
      people.score.push_back(normal_quantile(random.uniform()));
    }
    const GroupStatements made = state_gaps(people, {&grouping, 1}, {.seed = run});
    found += std::ranges::any_of(made.statements, [](const GroupStatement& one) {
      return excludes_zero(one) && one.statistic.measure == GroupMeasure::dominance &&
             one.statistic.view == GapView::raw && one.joint->lower > 0;
    });
  }
  std::cout << "the gap was found in " << found << " of " << kRuns << " runs\n";
  EXPECT_GE(found, kRuns * 19 / 20);
}

TEST(SlowStateGaps, JointIntervalsCoverATrueGapToo) {
  constexpr std::size_t kRuns = 300;
  std::size_t covered = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    Sequence random({run, Purpose::evaluate, 3});
    RecoursePopulation people;
    Grouping grouping{.groups = 2, .reference = 0};
    for (std::size_t i = 0; i < 300; ++i) {
      const bool member = i % 3 == 0;
      grouping.group.push_back(member ? 1 : 0);
      const bool certified = random.uniform() < (member ? 0.6 : 0.8);
      people.recourse.push_back(certified ? Recourse::certified : Recourse::undecided);
      people.cost.push_back(certified ? random.uniform() : kNoRecourse);
      people.plain.push_back(1);
      people.score.push_back(0);
    }
    const GroupStatements made = state_gaps(people, {&grouping, 1}, quick_options(run));
    // P(member pays more) - P(less): .4 (.8) - .6 (.2) where one alone has no recourse, else 0.
    covered += std::ranges::all_of(made.statements, [](const GroupStatement& one) {
      if (!one.joint || one.statistic.view != GapView::raw) return true;
      const double truth = one.statistic.measure == GroupMeasure::certified   ? -0.2
                           : one.statistic.measure == GroupMeasure::undecided ? 0.2
                           : one.statistic.measure == GroupMeasure::dominance ? 0.2
                                                                              : 0.0;
      return one.joint->lower <= truth && truth <= one.joint->upper;
    });
  }
  EXPECT_GE(covered, kRuns * 92 / 100);  // of 95 %, 2.5 standard errors below
}

TEST(StateGaps, AreTheSameOnAnyNumberOfThreads) {
  Sequence random({9, Purpose::evaluate, 4});
  const RecoursePopulation people = refused_people(200, random);
  const Grouping grouping = permuted(100, random);
  GapOptions options = quick_options(3);
  const GroupStatements one = state_gaps(people, {&grouping, 1}, options);
  options.threads = 4;
  const GroupStatements several = state_gaps(people, {&grouping, 1}, options);
  ASSERT_EQ(one.statements.size(), several.statements.size());
  EXPECT_EQ(one.critical, several.critical);
  for (std::size_t k = 0; k < one.statements.size(); ++k) {
    EXPECT_EQ(one.statements[k].interval, several.statements[k].interval);
    EXPECT_EQ(one.statements[k].joint, several.statements[k].joint);
  }
}

TEST(StateGaps, OfSmallGroupsAreNotStatedJointly) {
  Sequence random({9, Purpose::evaluate, 5});
  const RecoursePopulation people = refused_people(300, random);
  Grouping grouping{.group = std::vector<std::uint32_t>(300), .groups = 3, .reference = 0};
  for (std::size_t i = 0; i < 120; ++i) grouping.group[i] = 1;
  for (std::size_t i = 0; i < 29; ++i) grouping.group[299 - i] = 2;
  const GroupStatements made = state_gaps(people, {&grouping, 1}, quick_options(1));
  std::size_t small = 0;
  for (const GroupStatement& one : made.statements) {
    if (one.group == 2) {
      EXPECT_TRUE(one.small);
      EXPECT_FALSE(one.joint);
      ++small;
    }
    if (one.group == 1 && one.statistic.measure == GroupMeasure::dominance) {
      EXPECT_TRUE(one.joint);
    }
  }
  EXPECT_GT(small, 0U);
}

TEST(StateGaps, AShareOfAllAgainstNearlyAllIsNoCertainty) {
  // 31 members with advice, each of them; of the reference 97 %.
  RecoursePopulation people;
  Grouping grouping{.groups = 2, .reference = 0};
  for (std::size_t i = 0; i < 1031; ++i) {
    const bool member = i >= 1000;
    const bool certified = member || i % 100 >= 3;
    grouping.group.push_back(member ? 1 : 0);
    people.recourse.push_back(certified ? Recourse::certified : Recourse::undecided);
    people.cost.push_back(certified ? 1 : kNoRecourse);
    people.plain.push_back(1);
    people.score.push_back(0);
  }
  const GroupStatements made = state_gaps(people, {&grouping, 1}, quick_options(1));
  for (const GroupStatement& one : made.statements) {
    if (one.statistic.measure == GroupMeasure::certified) {
      EXPECT_FALSE(excludes_zero(one));
    }
  }
}

TEST(StateGaps, NobodyGivesNoStatements) {
  const Grouping grouping{.groups = 2, .reference = 0};
  EXPECT_TRUE(state_gaps({}, {&grouping, 1}, quick_options(1)).statements.empty());
}

TEST(GapOptionsRules, NameTheFieldTheValueAndTheRule) {
  EXPECT_THAT(message_of<InvalidArgument>([] { validate(GapOptions{.replicates = 10}); }),
              HasSubstr("resamples is 10; it must be at least 100"));
  EXPECT_THAT(message_of<InvalidArgument>([] { validate(GapOptions{.strata = 200}); }),
              HasSubstr("score-strata is 200; it must be at most 100"));
  EXPECT_THAT(message_of<InvalidArgument>([] { validate(GapOptions{.confidence = 1}); }),
              HasSubstr("confidence is 1"));
}

}  // namespace
}  // namespace croco
