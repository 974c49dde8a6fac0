// SPDX-License-Identifier: Apache-2.0
// Codecs of matrices that are encoded already.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/data/codec.hpp>

namespace croco {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Two numbers, the second in steps of 0.5 from 0.25, and a group of two columns.
Space given_space() {
  Space space;
  space.columns.resize(4);
  space.columns[0].lower = -1.0;
  space.columns[0].step = 0.25;
  space.columns[0].movement = Movement::up;
  space.columns[1].step = 0.5;
  space.columns[1].step_origin = 0.25;
  space.columns[1].cost = 3.0;
  for (std::size_t k = 2; k < 4; ++k) {
    space.columns[k].continuous = false;
    space.columns[k].movement = Movement::fixed;
  }
  space.groups = {{2, 2}};
  return space;
}

TEST(CodecIdentity, KeepsNumbersAndSpace) {
  const Codec codec = Codec::identity({"a", "b", "c", "d"}, given_space());
  EXPECT_EQ(codec.space(), given_space());
  EXPECT_THAT(codec.column_names(), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(codec.encode({"0.1", "-7", "0", "1"}, "here"), ElementsAre(0.1, -7.0, 0.0, 1.0));
  EXPECT_THAT(codec.decode(Vector{0.5, 0.75, 1.0, 0.0}), ElementsAre("0.5", "0.75", "1", "0"));
  EXPECT_EQ(codec.schema().features[0].minimum, -1.0);
  EXPECT_EQ(codec.schema().features[0].maximum, std::nullopt);
  EXPECT_EQ(codec.schema().features[0].step, 0.25);
  EXPECT_EQ(codec.schema().features[1].step, 0.0) << "a schema counts steps from 0";
  EXPECT_EQ(codec.schema().features[1].cost, 3.0);
  EXPECT_EQ(codec.unit_of(2), 1.0);
}

TEST(CodecIdentity, ChecksOneHotGroups) {
  const Codec codec = Codec::identity({"a", "b", "c", "d"}, given_space());
  for (const auto& [c, d] : std::vector<std::pair<std::string, std::string>>{
           {"1", "1"}, {"0", "0"}, {"0.5", "0.5"}, {"1", "0.5"}}) {
    EXPECT_THAT(
        [&] { static_cast<void>(codec.encode({"0", "0", c, d}, "p.csv, line 2")); },
        ThrowsMessage<DataError>("p.csv, line 2, columns 'c', 'd': exactly one must be 1 and "
                                 "the others 0, not " +
                                 c + ", " + d));
  }
}

TEST(CodecIdentity, ChecksThatNamesAndSpaceFit) {
  EXPECT_THAT([] { static_cast<void>(Codec::identity({"a"}, given_space())); },
              ThrowsMessage<DataError>("columns: there are 1 names for a space of 4 columns"));
  EXPECT_THAT([] { static_cast<void>(Codec::identity({"a", "b", "c", "a"}, given_space())); },
              ThrowsMessage<DataError>("feature 'a': occurs twice; names must differ"));
  Space space = given_space();
  space.groups = {{3, 2}};
  EXPECT_THAT([&] { static_cast<void>(Codec::identity({"a", "b", "c", "d"}, space)); },
              ThrowsMessage<DataError>(HasSubstr("one-hot group of 2 columns from column 3")));
}

TEST(CodecIdentity, TakesConstraintsFromAnotherSchema) {
  const Codec codec = Codec::identity({"a", "b", "c", "d"}, given_space());
  Schema schema = codec.schema();
  schema.features[0].minimum = std::nullopt;
  schema.features[0].maximum = 2.0;
  schema.features[1].movement = Movement::fixed;
  schema.features[2].movement = Movement::both;
  const Space space = codec.with_schema(schema).space();
  Space expected = given_space();
  expected.columns[0].lower = -kInfinity;
  expected.columns[0].upper = 2.0;
  expected.columns[1].movement = Movement::fixed;
  EXPECT_EQ(space, expected) << "columns of a group stay fixed";
}

}  // namespace
}  // namespace croco
