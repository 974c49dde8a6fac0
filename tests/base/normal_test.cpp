// SPDX-License-Identifier: Apache-2.0
#include <croco/base/normal.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <croco/base/random.hpp>

#include "tests/golden.hpp"

namespace croco {
namespace {

TEST(NormalQuantile, IsTheGoldenOne) {
  for (const auto& entry : golden::list("normal", "quantile")) {
    const double expected = entry.at("value");
    EXPECT_NEAR(normal_quantile(entry.at("probability")), expected,
                4e-15 * std::abs(expected) + 1e-17)
        << entry;
  }
}

TEST(NormalQuantile, IsSymmetric) {
  for (const double p : {0.25, 0x1p-3, 0x1p-10, 0x1p-33}) {
    EXPECT_EQ(normal_quantile(1 - p), -normal_quantile(p)) << p;
  }
  EXPECT_EQ(normal_quantile(0.5), 0.0);
}

TEST(NormalCdf, IsTheGoldenOne) {
  for (const auto& entry : golden::list("normal", "cdf")) {
    const double expected = entry.at("probability");
    EXPECT_NEAR(normal_cdf(entry.at("value")), expected, 1e-12 * expected) << entry;
  }
}

TEST(NormalCdf, InvertsTheQuantile) {
  Sequence random({1, Purpose::evaluate, 0});
  for (int k = 0; k < 1000; ++k) {
    const double p = random.uniform();
    EXPECT_NEAR(normal_cdf(normal_quantile(p)), p, 1e-14);
  }
}

TEST(NormalPdf, IsTheSlopeOfTheCdf) {
  constexpr double kStep = 1e-5;
  for (double x = -4; x <= 4; x += 0.5) {
    const double slope = (normal_cdf(x + kStep) - normal_cdf(x - kStep)) / (2 * kStep);
    EXPECT_NEAR(normal_pdf(x), slope, 1e-9) << x;
  }
}

TEST(PortableLog, IsWithinTwoUnitsInTheLastPlace) {
  const auto check = [](double x) {
    const double expected = std::log(x);
    const double unit = std::nextafter(std::abs(expected), HUGE_VAL) - std::abs(expected);
    EXPECT_LE(std::abs(portable_log(x) - expected), 2 * unit) << x;
  };
  Sequence random({2, Purpose::evaluate, 0});
  for (int k = 0; k < 2000; ++k) {
    const double u = random.uniform();
    check(u);
    check(std::ldexp(u, static_cast<int>(random.below(2000)) - 990));
    check(1 + (u - 0.5) * 1e-3);
  }
  check(std::numeric_limits<double>::min());
  check(std::numeric_limits<double>::max());
  EXPECT_EQ(portable_log(1.0), 0.0);
}

}  // namespace
}  // namespace croco
