// SPDX-License-Identifier: Apache-2.0
#include <croco/base/spooled_median.hpp>

#include <cmath>

#include <gmock/gmock.h>

#include <croco/base/statistics.hpp>

namespace croco {
namespace {

TEST(SpooledMedianTest, IsTheMedianWhereverTheValuesAre) {
  for (const std::size_t count : {0U, 1U, 2U, 9U, 10U, 1'001U, 40'000U}) {
    std::vector<double> values;
    SpooledMedian memory;
    SpooledMedian file(10);
    for (std::size_t i = 0; i < count; ++i) {
      // Many are equal, some are 0, magnitudes differ.
      const double value = std::floor(std::fmod(static_cast<double>(i * 7919), 1013.0)) *
                           std::pow(10.0, static_cast<double>(i % 5) - 3) * (i % 11 == 0 ? 0 : 1);
      values.push_back(value);
      memory.add(value);
      file.add(value);
    }
    EXPECT_EQ(memory.value(), median_of(values)) << count;
    EXPECT_EQ(file.value(), median_of(values)) << count;
  }
}

}  // namespace
}  // namespace croco
