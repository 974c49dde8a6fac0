// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/statistics/group_measures.hpp>

#include <cmath>
#include <map>

#include <gmock/gmock.h>

#include <tests/golden.hpp>

namespace croco {
namespace {

using golden::Json;

constexpr double kNever = std::numeric_limits<double>::infinity();

double number_of(const Json& json) {
  if (json.is_null()) return std::nan("");
  const double value = json;
  return std::abs(value) > 1e299 ? std::copysign(kNever, value) : value;
}

struct GoldenCase {
  RecoursePopulation people;
  Grouping grouping;
  std::vector<std::uint8_t> times;
};

GoldenCase case_of(const Json& json) {
  static const std::map<std::string, Recourse> kNames{{"accepted", Recourse::accepted},
                                                      {"certified", Recourse::certified},
                                                      {"impossible", Recourse::impossible},
                                                      {"undecided", Recourse::undecided}};
  GoldenCase out;
  for (const Json& one : json.at("people")) {
    out.people.recourse.push_back(kNames.at(one.at("recourse")));
    out.people.cost.push_back(number_of(one.at("cost")));
    out.people.plain.push_back(number_of(one.at("plain")));
    out.people.score.push_back(one.at("score"));
    out.grouping.group.push_back(one.at("group").is_null() ? Grouping::kNone
                                                           : one.at("group").get<std::uint32_t>());
    out.times.push_back(one.at("times"));
  }
  out.grouping.groups = json.at("groups").size();
  out.grouping.reference = json.at("reference");
  std::vector<SwappedPerson> swapped;
  for (const Json& one : json.at("swaps")) {
    swapped.push_back({one.at(0), number_of(one.at(1)), number_of(one.at(2))});
  }
  out.grouping.swapped.assign(out.grouping.groups, swapped);
  return out;
}

void expect_value(double made, double expected, const std::string& what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(made)) << what;
  } else if (std::isinf(expected)) {
    EXPECT_EQ(made, expected) << what;
  } else {
    EXPECT_NEAR(made, expected, 1e-9) << what;
  }
}

/// Statements of a view in the golden file's order.
std::vector<GroupValue> values_of(const std::vector<GroupValue>& all, std::size_t group,
                                  GapView view) {
  const auto& statistics = group_statistics();
  std::vector<GroupValue> out;
  for (std::size_t k = 0; k < statistics.size(); ++k) {
    if (statistics[k].view == view) out.push_back(all[group * statistics.size() + k]);
  }
  return out;
}

TEST(GroupComparison, MeasuresWhatTheDefinitionsSay) {
  for (const Json& json : golden::list("audit_statistics", "measures")) {
    const GoldenCase one = case_of(json);
    const GroupComparison comparison(one.people, one.grouping, json.at("strata"));
    const std::vector<GroupValue> made = comparison.measure(one.times);
    for (std::size_t g = 0; g < one.grouping.groups; ++g) {
      const Json& expected = json.at("groups").at(g);
      const auto own = values_of(made, g, GapView::own);
      for (std::size_t q = 0; q < kGroupQuantiles.size(); ++q) {
        expect_value(own[q].group, number_of(expected.at("cost").at(q)), "cost");
        expect_value(own[q + 4].group, number_of(expected.at("premium").at(q)), "premium");
      }
      if (g == one.grouping.reference) continue;
      Json raw = Json::array({expected.at("refused")});
      for (const Json& entry : expected.at("raw")) raw.push_back(entry);
      const auto compare = [&](GapView view, const Json& entries) {
        const auto values = values_of(made, g, view);
        ASSERT_EQ(values.size(), entries.size());
        for (std::size_t k = 0; k < values.size(); ++k) {
          const std::string what = std::string(name_of(view)) + " " + std::to_string(k);
          expect_value(values[k].group, number_of(entries.at(k).at(0)), what);
          expect_value(values[k].reference, number_of(entries.at(k).at(1)), what);
          expect_value(values[k].gap, number_of(entries.at(k).at(2)), what);
        }
      };
      compare(GapView::raw, raw);
      compare(GapView::standardised, expected.at("standardised"));
      compare(GapView::paired, expected.at("paired"));
    }
  }
}

/// 40 refused people of two groups with the same costs by score, but other scores.
RecoursePopulation confounded(Grouping& grouping) {
  RecoursePopulation out;
  for (std::uint32_t g = 0; g < 2; ++g) {
    for (int i = 0; i < 20; ++i) {
      const bool low = g == 0 ? i < 15 : i < 5;
      out.recourse.push_back(Recourse::certified);
      out.score.push_back(low ? 0.1 : 0.3);
      out.cost.push_back((low ? 2.0 : 1.0) + 0.01 * (i % 5));
      out.plain.push_back(out.cost.back() / 2);
      grouping.group.push_back(g);
    }
  }
  grouping.groups = 2;
  grouping.reference = 1;
  return out;
}

TEST(GroupComparison, StandardisingTakesOutWhatTheScoreExplains) {
  Grouping grouping;
  const RecoursePopulation people = confounded(grouping);
  const GroupComparison comparison(people, grouping, 2);
  const auto made = comparison.measure(std::vector<std::uint8_t>(people.size(), 1));
  const auto raw = values_of(made, 0, GapView::raw);
  const auto standardised = values_of(made, 0, GapView::standardised);
  EXPECT_NEAR(raw[4].gap, 0.5, 1e-12);  // Cliff's delta
  EXPECT_NEAR(standardised[3].gap, 0.0, 1e-12);
  EXPECT_NEAR(standardised[4 + 2].gap, 0.0, 1e-12);  // the upper quartile
  EXPECT_EQ(comparison.common_support(0), 1.0);
}

TEST(GroupComparison, GroupsWithoutACommonStratumAreNotStandardised) {
  Grouping grouping;
  RecoursePopulation people = confounded(grouping);
  for (std::size_t i = 0; i < people.size(); ++i) people.score[i] = grouping.group[i];
  const GroupComparison comparison(people, grouping, 2);
  const auto made = comparison.measure(std::vector<std::uint8_t>(people.size(), 1));
  EXPECT_EQ(comparison.common_support(0), 0.0);
  for (const GroupValue& one : values_of(made, 0, GapView::standardised)) {
    EXPECT_TRUE(std::isnan(one.gap));
  }
}

TEST(GroupComparison, NoRecourseCostsMoreThanAnyOther) {
  Grouping grouping{.group = {0, 0, 0, 1, 1, 1}, .groups = 2, .reference = 1};
  const RecoursePopulation people{
      .recourse = {Recourse::impossible, Recourse::undecided, Recourse::certified,
                   Recourse::certified, Recourse::certified, Recourse::impossible},
      .cost = {kNever, kNever, 1, 1, 2, kNever},
      .plain = {kNever, 1, 1, 1, 1, kNever},
      .score = {0, 0, 0, 0, 0, 0}};
  const GroupComparison comparison(people, grouping, 0);
  const auto made = comparison.measure(std::vector<std::uint8_t>(6, 1));
  EXPECT_EQ(values_of(made, 0, GapView::own)[1].group, kNever);  // the median
  EXPECT_EQ(values_of(made, 1, GapView::own)[1].group, 2);
  // Of nine pairs, members pay more in four (2 x 2), less in two (1 with 2 and infinity).
  EXPECT_NEAR(values_of(made, 0, GapView::raw)[4].gap, (4.0 - 2.0) / 9, 1e-12);
}

}  // namespace
}  // namespace croco
