// SPDX-License-Identifier: Apache-2.0
#include <croco/base/bounds.hpp>

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/base/random.hpp>

#include "tests/fixtures.hpp"
#include "tests/golden.hpp"

namespace croco {
namespace {

using fixtures::message_of;

TEST(ClopperPearson, IsTheGoldenOne) {
  for (const auto& entry : golden::list("bounds", "clopper_pearson")) {
    const double expected = entry.at("upper");
    EXPECT_NEAR(
        clopper_pearson_upper(entry.at("count"), entry.at("samples"), entry.at("confidence")),
        expected, 1e-12 * expected)
        << entry;
  }
}

TEST(ClopperPearson, SolvesItsEquation) {
  for (const std::size_t events : {0U, 3U, 40U, 199U}) {
    const double upper = clopper_pearson_upper(events, 200, 0.99);
    EXPECT_NEAR(fixtures::binomial_cdf(events, 200, upper), 0.01, 1e-10) << events;
  }
}

TEST(Hoeffding, IsTheGoldenOne) {
  for (const auto& entry : golden::list("bounds", "hoeffding")) {
    EXPECT_NEAR(hoeffding_upper(entry.at("mean"), entry.at("samples"), entry.at("confidence")),
                entry.at("upper"), 1e-13)
        << entry;
  }
}

TEST(EmpiricalBernstein, IsTheGoldenOne) {
  for (const auto& entry : golden::list("bounds", "empirical_bernstein")) {
    EXPECT_NEAR(empirical_bernstein_upper(entry.at("mean"), entry.at("variance"),
                                          entry.at("samples"), entry.at("confidence")),
                entry.at("upper"), 1e-13)
        << entry;
  }
}

TEST(EmpiricalBernstein, SaysNothingAfterOneDraw) {
  EXPECT_EQ(empirical_bernstein_upper(0, 0, 1, 0.9), 1.0);
  EXPECT_EQ(upper_bound(BoundKind::empirical_bernstein, 0, 1, 0.9), 1.0);
}

TEST(UpperBound, TakesTheUnbiasedVarianceOfACount) {
  // 30 ones and 70 zeros: variance .3 * .7 * 100 / 99.
  EXPECT_DOUBLE_EQ(upper_bound(BoundKind::empirical_bernstein, 30, 100, 0.9),
                   empirical_bernstein_upper(0.3, 0.21 * 100 / 99, 100, 0.9));
  EXPECT_EQ(upper_bound(BoundKind::hoeffding, 30, 100, 0.9), hoeffding_upper(0.3, 100, 0.9));
  EXPECT_EQ(upper_bound(BoundKind::clopper_pearson, 30, 100, 0.9),
            clopper_pearson_upper(30, 100, 0.9));
}

TEST(UpperBound, NeverLiesBelowTheMeanNorAboveOne) {
  for (const BoundKind kind :
       {BoundKind::clopper_pearson, BoundKind::hoeffding, BoundKind::empirical_bernstein}) {
    for (const std::size_t trials : {1U, 2U, 50U, 5000U}) {
      for (std::size_t events = 0; events <= trials; events += 1 + trials / 10) {
        const double upper = upper_bound(kind, events, trials, 0.95);
        EXPECT_GE(upper, static_cast<double>(events) / static_cast<double>(trials));
        EXPECT_LE(upper, 1.0);
      }
      EXPECT_EQ(upper_bound(kind, trials, trials, 0.95), 1.0);
    }
  }
}

class Coverage : public ::testing::TestWithParam<std::tuple<BoundKind, double>> {};

TEST_P(Coverage, IsAtLeastTheConfidence) {
  const auto [kind, rate] = GetParam();
  constexpr std::size_t kTrials = 2000;
  constexpr std::size_t kDraws = 400;
  std::size_t covered = 0;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    Sequence random({11, Purpose::evaluate, trial});
    std::size_t events = 0;
    for (std::size_t k = 0; k < kDraws; ++k) events += random.uniform() < rate ? 1U : 0U;
    covered += upper_bound(kind, events, kDraws, 0.99) >= rate ? 1U : 0U;
  }
  EXPECT_GE(covered, fixtures::least_count(kTrials, 0.99));
  // The exact bound must also fail now and then, or it would be wider than it says.
  if (kind == BoundKind::clopper_pearson) {
    EXPECT_LT(covered, kTrials);
  }
}

INSTANTIATE_TEST_SUITE_P(Bounds, Coverage,
                         ::testing::Combine(::testing::Values(BoundKind::clopper_pearson,
                                                              BoundKind::hoeffding,
                                                              BoundKind::empirical_bernstein),
                                            ::testing::Values(0.02, 0.3)));

TEST(MarginConfidence, IsTheTableOfThePaper) {
  for (const auto& entry : golden::list("bounds", "margin_table")) {
    EXPECT_NEAR(margin_confidence(entry.at("margin"), entry.at("samples")), entry.at("confidence"),
                1e-14)
        << entry;
  }
}

TEST(SamplesForMargin, IsTheSmallestNumberThatIsEnough) {
  for (const double margin : {0.3, 0.1, 0.05, 0.0125, 0.001}) {
    for (const double confidence : {0.5, 0.9, 0.999, 0.999999}) {
      const std::size_t samples = samples_for_margin(margin, confidence);
      EXPECT_GE(margin_confidence(margin, samples), confidence * (1 - 1e-12));
      if (samples > 1) {
        EXPECT_LT(margin_confidence(margin, samples - 1), confidence);
      }
    }
  }
  EXPECT_EQ(samples_for_margin(0.1, 0.999), 346U);
}

TEST(MarginForSamples, HasTheConfidenceAskedFor) {
  for (const std::size_t samples : {1U, 10U, 500U, 100'000U}) {
    for (const double confidence : {0.5, 0.9, 0.999}) {
      EXPECT_NEAR(margin_confidence(margin_for_samples(samples, confidence), samples), confidence,
                  1e-12);
    }
  }
}

TEST(SoftRateBound, IsPropositionTwo) {
  EXPECT_DOUBLE_EQ(soft_rate_bound(0.05, 0.1, 0.5), 0.3);
  EXPECT_DOUBLE_EQ(soft_rate_bound(0.0, 0.02, 0.8), 0.1);
}

TEST(BoundKinds, AreReadByTheirNames) {
  for (const BoundKind kind :
       {BoundKind::clopper_pearson, BoundKind::hoeffding, BoundKind::empirical_bernstein}) {
    EXPECT_EQ(parse_bound(name_of(kind)), kind);
  }
  EXPECT_EQ(name_of(BoundKind::clopper_pearson), "clopper-pearson");
  EXPECT_EQ(message_of<InvalidArgument>([] { return parse_bound("exact"); }),
            "bound is 'exact'; it must be clopper-pearson, hoeffding or empirical-bernstein");
}

TEST(BoundErrors, NameTheConfidence) {
  const std::string rule = "; it must be greater than 0 and less than 1";
  const auto text = [](double confidence) {
    return message_of<InvalidArgument>([&] { return clopper_pearson_upper(0, 10, confidence); });
  };
  EXPECT_EQ(text(0), "confidence is 0" + rule);
  EXPECT_EQ(text(1), "confidence is 1" + rule);
  EXPECT_EQ(text(-0.5), "confidence is -0.5" + rule);
  EXPECT_EQ(text(std::numeric_limits<double>::quiet_NaN()), "confidence is nan" + rule);
  for (const BoundKind kind : {BoundKind::hoeffding, BoundKind::empirical_bernstein}) {
    EXPECT_EQ(message_of<InvalidArgument>([&] { return upper_bound(kind, 0, 10, 1.5); }),
              "confidence is 1.5" + rule);
  }
}

TEST(BoundErrors, NameTheCounts) {
  const std::string none = "a bound needs at least 1 sample; it was given 0";
  for (const BoundKind kind :
       {BoundKind::clopper_pearson, BoundKind::hoeffding, BoundKind::empirical_bernstein}) {
    EXPECT_EQ(message_of<InvalidArgument>([&] { return upper_bound(kind, 0, 0, 0.9); }), none);
  }
  EXPECT_EQ(message_of<InvalidArgument>([] { return margin_for_samples(0, 0.9); }), none);
  EXPECT_EQ(message_of<InvalidArgument>([] { return clopper_pearson_upper(5, 4, 0.9); }),
            "5 events in 4 trials; they cannot be more");
}

TEST(BoundErrors, NameTheMargin) {
  EXPECT_EQ(message_of<InvalidArgument>([] { return samples_for_margin(0, 0.9); }),
            "margin is 0; it must be greater than 0");
  EXPECT_EQ(message_of<InvalidArgument>([] { return samples_for_margin(1e-9, 0.9); }),
            "margin is 1e-09; at confidence 0.9 it needs 1.15e+18 samples, more than can be drawn");
}

TEST(Bounds, LowerEndMirrorsTheUpperOne) {
  for (const std::size_t events : {0UL, 1UL, 7UL, 50UL, 99UL, 100UL}) {
    const double lower = clopper_pearson_lower(events, 100, 0.99);
    if (events == 0) {
      EXPECT_EQ(lower, 0);
      continue;
    }
    // The rate at which as many events or more have a probability of 1 %.
    EXPECT_NEAR(1 - fixtures::binomial_cdf(events - 1, 100, lower), 0.01, 1e-9) << events;
  }
  EXPECT_THROW(static_cast<void>(clopper_pearson_lower(2, 1, 0.99)), InvalidArgument);
}

TEST(Bounds, AnExactRateIsNoBoundOfDraws) {
  EXPECT_EQ(name_of(BoundKind::exact), "exact");
  EXPECT_THROW(static_cast<void>(parse_bound("exact")), InvalidArgument);
  EXPECT_EQ(upper_bound(BoundKind::exact, 0, 10, 0.9), 1.0);
}

TEST(Bounds, ClopperPearsonLowerMirrorsTheUpper) {
  for (const std::size_t events : {0U, 1U, 17U, 99U, 100U}) {
    EXPECT_NEAR(clopper_pearson_lower(events, 100, 0.99),
                1 - clopper_pearson_upper(100 - events, 100, 0.99), 1e-12);
  }
  EXPECT_EQ(clopper_pearson_lower(0, 100, 0.99), 0);
  EXPECT_THROW((void)clopper_pearson_lower(3, 2, 0.9), InvalidArgument);
}

TEST(Bounds, CountNotExceededIsTheLeastThatHolds) {
  for (const std::size_t trials : {1U, 50U, 1000U}) {
    for (const double rate : {0.02, 0.3}) {
      const std::size_t count = count_not_exceeded(trials, rate, 0.99);
      ASSERT_LE(count, trials);
      if (count < trials) {
        EXPECT_GE(fixtures::binomial_cdf(count, trials, rate), 0.99 - 1e-9);
      }
      if (count > 0) {
        EXPECT_LT(fixtures::binomial_cdf(count - 1, trials, rate), 0.99 + 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace croco
