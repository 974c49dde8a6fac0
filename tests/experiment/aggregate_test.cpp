// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/aggregate.hpp>

#include <gmock/gmock.h>

#include <croco/data/csv.hpp>

namespace croco {
namespace {

using testing::ElementsAre;

PersonResult person(Status status, double l1, double rate, double upper) {
  PersonResult out{.row = 0, .status = status, .valid = true, .l1 = l1, .cost = l1, .rate = rate};
  out.upper = upper;
  out.soft_rate = 0.05;
  out.paper_bound = 0.3;
  return out;
}

/// One already accepted, one without advice, three with.
ConfigurationResult result(std::optional<double> target) {
  ConfigurationResult out{.configuration = {.target = target},
                          .people = {{.row = 0, .status = Status::already},
                                     {.row = 1, .status = Status::infeasible},
                                     person(Status::found, 1, 0.01, 0.02),
                                     person(Status::unmet, 2, 0.2, 0.3),
                                     person(Status::found, 6, 0.31, 0.4)}};
  out.people[3].valid = false;
  out.over_lower = {std::nullopt, std::nullopt, 1.5, std::nullopt, 2.0};
  out.time = Duration{0.008, 0.016};
  return out;
}

TEST(Aggregate, IsWhatAHandComputes) {
  const Aggregate a = aggregate(result(0.1));
  EXPECT_EQ(a.people, 5U);
  EXPECT_EQ(a.asked, 4U);
  EXPECT_EQ(a.advised, 3U);
  EXPECT_EQ(a.validity, 0.5);
  EXPECT_EQ(a.rule_met, 0.5);
  EXPECT_EQ(a.l1_mean, 3);
  EXPECT_NEAR(a.l1_sd, std::sqrt((4 + 1 + 9) / 3.0), 1e-12);
  EXPECT_EQ(a.l1_median, 2);
  EXPECT_NEAR(a.rate_mean, 0.52 / 3, 1e-12);
  EXPECT_EQ(a.rate_max, 0.31);
  EXPECT_NEAR(*a.rate_above_target, 2.0 / 3, 1e-12);
  EXPECT_NEAR(*a.upper_above_target, 2.0 / 3, 1e-12);
  EXPECT_EQ(*a.paper_bound_met, 0);
  EXPECT_EQ(a.paper_bound_broken, 1U);
  EXPECT_EQ(a.contradicted, 0U);
  EXPECT_EQ(a.proved, 2U);
  EXPECT_EQ(*a.over_lower_mean, 1.75);
  EXPECT_EQ(*a.over_lower_max, 2);
  EXPECT_NEAR(*a.ms_per_person, 2, 1e-12);
  EXPECT_NEAR(*a.processor_ms_per_person, 4, 1e-12);
}

TEST(Aggregate, SaysNothingOfATargetThatIsNotThere) {
  const Aggregate a = aggregate(result(std::nullopt));
  EXPECT_FALSE(a.rate_above_target);
  EXPECT_FALSE(a.upper_above_target);
  EXPECT_FALSE(a.paper_bound_met);
}

TEST(Aggregate, OfNobodyIsEmpty) {
  const Aggregate a = aggregate(
      {.configuration = {.target = 0.1}, .people = {{.row = 0, .status = Status::already}}});
  EXPECT_EQ(a.asked, 0U);
  EXPECT_EQ(a.l1_mean, 0);
  EXPECT_FALSE(a.rate_above_target);
  EXPECT_FALSE(a.over_lower_mean);
  EXPECT_FALSE(a.ms_per_person);
}

TEST(Aggregate, IsATableWithoutTimesAndOneOfThem) {
  Experiment experiment;
  experiment.datasets = {{.name = "d"}};
  experiment.noises = {{.name = "n"}};
  experiment.methods = {{.name = "m"}};
  const std::vector<ConfigurationResult> results{result(0.1), result(std::nullopt)};
  const std::vector<Aggregate> aggregates{aggregate(results[0]), aggregate(results[1])};
  const CsvTable summary = parse_csv(summary_csv(experiment, results, aggregates), "summary.csv");
  ASSERT_EQ(summary.rows.size(), 2U);
  const auto field = [&](std::size_t row, const char* column) {
    return summary.rows[row].fields[summary.column(column)];
  };
  EXPECT_EQ(field(0, "dataset"), "d");
  EXPECT_EQ(field(0, "target"), "0.1");
  EXPECT_EQ(field(0, "l1_mean"), "3");
  EXPECT_EQ(field(0, "rate_above_target"), "0.666667");
  EXPECT_EQ(field(1, "target"), "");
  EXPECT_EQ(field(1, "rate_above_target"), "");
  for (const std::string& name : summary.header) EXPECT_EQ(name.find("ms_"), std::string::npos);
  const CsvTable times = parse_csv(times_csv(experiment, results, aggregates), "times.csv");
  EXPECT_THAT(times.rows[0].fields, ElementsAre("d", "n", "0.1", "m", "4", "2", "4"));
}

}  // namespace
}  // namespace croco
