// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/stopped_rate.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/bounds.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/robustness/looks.hpp>

namespace croco {
namespace {

using Counts = std::vector<std::size_t>;

/// Goes on inside an interval of counts at each look.
struct Boundaries {
  Counts looks;
  std::vector<GoingOn> goes_on;  ///< of every look but the last

  [[nodiscard]] GoingOn counts(std::size_t look) const { return goes_on[look]; }
  [[nodiscard]] bool stops(std::size_t look, std::size_t invalid) const {
    return look + 1 == looks.size() || invalid < goes_on[look].lowest ||
           invalid >= goes_on[look].end;
  }
};

/// Every sequence of answers, one by one: those that end at (look, count), and those of them that
/// begin with a failure.
struct Ends {
  std::map<std::pair<std::size_t, std::size_t>, std::pair<double, double>> at;

  void follow(const Boundaries& plan, std::size_t made, std::size_t look, std::size_t invalid,
              bool first_failed) {
    if (made == plan.looks[look]) {
      if (plan.stops(look, invalid)) {
        auto& [all, failed] = at[{look, invalid}];
        all += 1;
        failed += first_failed ? 1 : 0;
        return;
      }
      ++look;
    }
    follow(plan, made + 1, look, invalid, first_failed);
    follow(plan, made + 1, look, invalid + 1, made == 0 || first_failed);
  }
};

TEST(StoppedRate, IsTheShareOfSequencesThatBeginWithAFailure) {
  for (const Boundaries& plan :
       {Boundaries{{3, 6, 12}, {{1, 3}, {2, 4}}},
        Boundaries{{4, 5, 9, 14}, {{0, 3}, {1, 4}, {1, 5}}}, Boundaries{{2, 13}, {{1, 2}}},
        Boundaries{{5, 10, 12}, {{0, 5}, {3, 3}}}}) {
    Ends ends;
    ends.follow(plan, 0, 0, 0, false);
    for (const double around : {0.05, 0.3, 0.9}) {
      StoppedRate rate(plan.looks, [&](std::size_t look) { return plan.counts(look); }, around);
      for (const auto& [end, count] : ends.at) {
        EXPECT_NEAR(rate.at(end.first, end.second), count.second / count.first, 1e-13)
            << end.first << ", " << end.second;
      }
    }
  }
}

TEST(StoppedRate, IsTheQuotientWhereNothingCouldStopEarlier) {
  StoppedRate never({10, 30, 70}, [](std::size_t) { return GoingOn{0, 1000}; }, 0.2);
  for (const std::size_t invalid : {0UL, 1UL, 13UL, 70UL}) {
    EXPECT_NEAR(never.at(2, invalid), static_cast<double>(invalid) / 70, 1e-13);
  }
  StoppedRate always({10, 30}, [](std::size_t) { return GoingOn{11, 11}; }, 0.2);
  EXPECT_EQ(always.at(0, 3), 0.3);
  EXPECT_EQ(always.at(1, 3), 0.1);  // cannot be reached
}

/// P(Bin(samples, rate) = count) for all counts.
std::vector<double> binomial(std::size_t samples, double rate) {
  std::vector<double> out(samples + 1);
  for (std::size_t count = 0; count <= samples; ++count) {
    const auto n = static_cast<double>(samples);
    const auto k = static_cast<double>(count);
    out[count] = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                          k * std::log(rate) + (n - k) * std::log1p(-rate));
  }
  return out;
}

// Every kind of bound, on every count: what is counted on is what stops.
TEST(StoppedRate, KnowsWhereEveryKindOfBoundStops) {
  for (const BoundKind bound :
       {BoundKind::clopper_pearson, BoundKind::hoeffding, BoundKind::empirical_bernstein}) {
    for (const double target : {0.02, 0.3}) {
      const CertifyOptions options{
          .bound = bound, .samples = 3000, .confidence = 0.9, .target = target};
      const double first = look_confidence(0.9, 1, 1, 0, look_share(3, 0));
      const double last = look_confidence(0.9, 1, 1, 0, look_share(3, 2));
      GoingOn counts{1001, 0};
      for (std::size_t n = 0; n <= 1000; ++n) {
        if (upper_bound(bound, n, 1000, first) <= target) continue;
        if (is_futile(bound, n, 1000, 3000, last, target)) continue;
        counts = {std::min(counts.lowest, n), n + 1};
      }
      StoppedRate rate({1000, 2000}, [&](std::size_t) { return counts; }, 0.4);
      for (const std::size_t n : {0UL, 10UL, 30UL, 40UL, 55UL, 500UL, 600UL, 700UL, 1999UL}) {
        EXPECT_NEAR(stated_rate(options, 2000, n), rate.at(1, n), 1e-12) << target << ", " << n;
      }
    }
  }
}

// Over all that can happen to a certificate, its stated rate has the true rate as its mean, while
// the quotient of its counts is too low: it stops when failures are few.
TEST(StoppedRate, HasTheTrueRateAsItsMeanOverAllCertificates) {
  constexpr double kTarget = 0.05;
  const CertifyOptions options{.samples = 6000, .confidence = 0.95, .target = kTarget};
  Counts looks;
  for (const Look& look : planned_looks(6000)) looks.push_back(look.samples);
  for (const double truth : {0.03, 0.042, 0.05, 0.06}) {
    double mean = 0;
    double quotients = 0;
    double early = 0;
    std::vector<double> reached{1.0};  // probabilities of the counts that went on
    std::size_t made = 0;
    for (std::size_t look = 0; look < looks.size(); ++look) {
      const std::vector<double> more = binomial(looks[look] - made, truth);
      std::vector<double> now(reached.size() + more.size() - 1);
      for (std::size_t i = 0; i < reached.size(); ++i) {
        if (reached[i] < 1e-18) continue;
        for (std::size_t j = 0; j < more.size(); ++j) now[i + j] += reached[i] * more[j];
      }
      made = looks[look];
      const bool last = look + 1 == looks.size();
      const double confidence = look_confidence(0.95, 1, 1, 0, look_share(looks.size(), look));
      const double at_last = look_confidence(0.95, 1, 1, 0, kLastLookShare);
      for (std::size_t n = 0; n < now.size(); ++n) {
        if (now[n] < 1e-14) continue;
        const bool stops = last || clopper_pearson_upper(n, made, confidence) <= kTarget ||
                           is_futile(BoundKind::clopper_pearson, n, made, 6000, at_last, kTarget);
        if (!stops) continue;
        mean += now[n] * stated_rate(options, made, n);
        quotients += now[n] * static_cast<double>(n) / static_cast<double>(made);
        early += last ? 0 : now[n];
        now[n] = 0;
      }
      reached = std::move(now);
    }
    EXPECT_NEAR(mean, truth, 1e-9) << truth;
    if (early > 0.05 && early < 0.95) {
      EXPECT_GT(std::abs(quotients - truth), 1e-5) << truth;
    }
  }
}

TEST(StoppedRate, OfACertificateFollowsFromItsCounts) {
  const CertifyOptions options{.samples = 6000, .confidence = 0.95, .target = 0.05};
  EXPECT_EQ(stated_rate(options, 1000, 20), 0.02);
  EXPECT_GT(stated_rate(options, 2000, 60), 0.03);
  EXPECT_LT(stated_rate(options, 2000, 60), 0.04);
  EXPECT_EQ(stated_rate(options, 1234, 617), 0.5);  // no look is planned there
  CertifyOptions once = options;
  once.sequential = false;
  EXPECT_EQ(stated_rate(once, 6000, 60), 0.01);
}

}  // namespace
}  // namespace croco
