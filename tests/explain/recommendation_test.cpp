// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/recommendation.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <croco/explain/explainer.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

TEST(ToldRecord, KeepsTheWordingOfWhatStays) {
  const Codec codec = people::codec();
  const Record before{"40.0", "10", "30", "rent"};
  const Vector origin = codec.encode(before, "here");
  Vector point = origin;
  point[1] = 0.1;
  EXPECT_EQ(recommended_record(codec, before, origin, point), Record({"40.0", "5", "30", "rent"}));
  EXPECT_EQ(features_changed(codec, origin, point), 1);
  EXPECT_EQ(features_changed(codec, origin, origin), 0);
  point[3] = 0;
  point[4] = 1;
  EXPECT_EQ(recommended_record(codec, before, origin, point), Record({"40.0", "5", "30", "own"}));
  EXPECT_EQ(features_changed(codec, origin, point), 2) << "both columns of a category are one";
}

TEST(ToldRecord, KeepsTheWordingWhereTheDigitsEnd) {
  const Codec codec = people::codec();
  const Record before{"40.0", "12.500", "30", "rent"};
  const Vector origin = codec.encode(before, "here");
  Vector point = origin;
  for (const std::size_t j : {0UL, 1UL}) point[j] = std::nextafter(point[j], 1);
  EXPECT_EQ(recommended_record(codec, before, origin, point), before);
}

}  // namespace
}  // namespace croco
