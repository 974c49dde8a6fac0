// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/statistics/bootstrap.hpp>

#include <gmock/gmock.h>

#include <tests/golden.hpp>

namespace croco {
namespace {

TEST(ResamplePeople, CountsAreThoseOfPoissonNumbers) {
  constexpr std::size_t kPeople = 400'000;
  std::vector<std::uint8_t> times(kPeople);
  resample_people(5, 3, times);
  std::vector<double> shares(14);
  for (const std::uint8_t count : times) shares[count] += 1.0 / kPeople;
  double expected = 0.36787944117144233;
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(shares[k], expected, 5 * std::sqrt(expected / kPeople)) << k;
    expected /= static_cast<double>(k + 1);
  }
}

TEST(ResamplePeople, IsAFunctionOfSeedReplicateAndPerson) {
  std::vector<std::uint8_t> few(7);
  std::vector<std::uint8_t> many(1000);
  resample_people(1, 2, few);
  resample_people(1, 2, many);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  std::vector<std::uint8_t> other(1000);
  resample_people(1, 3, other);
  EXPECT_NE(many, other);
  resample_people(2, 2, other);
  EXPECT_NE(many, other);
}

TEST(MaxT, IsTheGoldenOne) {
  const auto one = golden::read("audit_statistics").at("max_t");
  const SimultaneousIntervals made =
      max_t_intervals(golden::vector(one.at("estimates")), golden::matrix(one.at("replicates")),
                      golden::vector(one.at("least_errors")), golden::vector(one.at("freedom")),
                      one.at("confidence"));
  EXPECT_NEAR(made.critical, one.at("critical"), 1e-12);
  for (std::size_t j = 0; j < made.intervals.size(); ++j) {
    EXPECT_NEAR(made.errors[j], one.at("errors").at(j), 1e-12);
    EXPECT_NEAR(made.intervals[j].lower, one.at("intervals").at(j).at(0), 1e-12);
    EXPECT_NEAR(made.intervals[j].upper, one.at("intervals").at(j).at(1), 1e-12);
  }
}

}  // namespace
}  // namespace croco
