// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/plane_choice.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <croco/base/random.hpp>

namespace croco {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a function makes of one item.
double value_of(const OpaqueFunction& function, const Vector& inputs) {
  std::vector<const double*> in;
  for (const double& input : inputs) in.push_back(&input);
  double out = 0;
  double* const results[1] = {&out};
  function.apply(in, results, 1);
  return out;
}

double rounded(double x, bool single) {
  return single ? static_cast<double>(static_cast<float>(x)) : x;
}

struct Case {
  Choice choice = {};
  Vector thresholds = {};
  bool single = false;

  [[nodiscard]] Vector distances(double x) const {
    Vector out;
    for (const double threshold : thresholds) {
      out.push_back(std::abs(rounded(x - threshold, single)));
    }
    return out;
  }
};

/// Thresholds from far apart to neighbours and equal ones; rows of the table repeat.
Case random_case(Sequence& random) {
  Case out{.choice = {.smallest = true, .last = random.below(2) == 0}};
  out.single = random.below(2) == 0;
  const std::size_t count = 1 + random.below(30);
  const double scale = std::exp(6 * random.uniform() - 3);
  double at = scale * (2 * random.uniform() - 1);
  for (std::size_t i = 0; i < count; ++i) {
    out.thresholds.push_back(rounded(at, out.single));
    out.choice.table.push_back(static_cast<double>(random.below(4)));
    const auto kind = random.below(8);
    at += kind == 0   ? 0
          : kind == 1 ? 1e-7 * scale
          : kind == 2 ? 1e-5 * scale
                      : scale * random.uniform();
  }
  out.choice.width = count;
  return out;
}

/// Numbers at thresholds, halfway between two, next to those, and beyond all.
Vector numbers_for(const Case& from, Sequence& random) {
  Vector out{kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(), 1e30, -1e30};
  for (std::size_t i = 0; i < from.thresholds.size(); ++i) {
    const std::size_t next = std::min(i + 1, from.thresholds.size() - 1);
    const double middle = (from.thresholds[i] + from.thresholds[next]) / 2;
    for (const double near : {from.thresholds[i], middle}) {
      out.push_back(near);
      for (const double step : {1e-8, 1e-7, 1e-6, 3e-6, 1e-5, 1e-4, 1e-2, 1.0}) {
        out.push_back(near + step * (2 * random.uniform() - 1));
      }
      out.push_back(static_cast<double>(std::nextafter(static_cast<float>(near), 1e9F)));
      out.push_back(std::nextafter(near, -kInfinity));
    }
  }
  for (double& x : out) x = rounded(x, from.single);
  return out;
}

TEST(NearestEntry, IsTheEntryOfTheSmallestDistance) {
  Sequence random({.seed = 5, .purpose = Purpose::train, .item = 1});
  std::size_t unclear = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const Case one = random_case(random);
    const ChosenEntry chosen(one.choice);
    const auto nearest =
        std::make_shared<const NearestEntry>(one.choice, one.thresholds, one.single);
    Vector sizes;
    for (const double threshold : one.thresholds) sizes.push_back(std::abs(threshold));
    const ChoiceDoubts doubts(one.choice, std::vector<bool>(one.choice.width, true), sizes);
    const NearestDoubts nearest_doubts(nearest);
    for (const double x : numbers_for(one, random)) {
      Vector distances = one.distances(x);
      const double expected = value_of(chosen, distances);
      const double found = value_of(*nearest, {x});
      ASSERT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected)))
          << x << ": " << found << " instead of " << expected << ", trial " << trial;
      const double size = random.below(3) == 0 ? std::abs(x) : 10 * random.uniform();
      distances.push_back(size);
      const bool clear = value_of(doubts, distances) == 0;
      ASSERT_EQ(value_of(nearest_doubts, {x, size}) == 0, clear) << x << ", trial " << trial;
      unclear += clear ? 0 : 1;
    }
  }
  EXPECT_GT(unclear, 1000U);
}

}  // namespace
}  // namespace croco
