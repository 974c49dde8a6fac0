// SPDX-License-Identifier: Apache-2.0
#include <croco/data/suggest.hpp>

#include <gtest/gtest.h>

namespace croco {
namespace {

TEST(DidYouMean, FindsTheNearest) {
  EXPECT_EQ(did_you_mean("maxmum", {"minimum", "maximum"}), "; did you mean 'maximum'?");
  EXPECT_EQ(did_you_mean("Cost", {"name", "cost"}), "; did you mean 'cost'?");
  EXPECT_EQ(did_you_mean("ag", {"income", "age"}), "; did you mean 'age'?");
}

TEST(DidYouMean, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(did_you_mean("colour", {"name", "cost"}), "");
  EXPECT_EQ(did_you_mean("x", {"a"}), "");
  EXPECT_EQ(did_you_mean("x", {}), "");
  EXPECT_EQ(did_you_mean(std::string(10'000, 'a'), {std::string(10'000, 'a')}), "");
}

TEST(QuotedList, JoinsByCommas) {
  EXPECT_EQ(quoted_list({}), "");
  EXPECT_EQ(quoted_list({"a"}), "'a'");
  EXPECT_EQ(quoted_list({"a", "b"}), "'a', 'b'");
}

}  // namespace
}  // namespace croco
