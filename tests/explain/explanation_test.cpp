// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/explanation.hpp>

#include <set>

#include <gtest/gtest.h>

namespace croco {
namespace {

TEST(Status, HasANameForEach) {
  EXPECT_EQ(name_of(Status::found), "found");
  EXPECT_EQ(name_of(Status::unmet), "unmet");
  EXPECT_EQ(name_of(Status::infeasible), "infeasible");
  EXPECT_EQ(name_of(Status::undecided), "undecided");
  EXPECT_EQ(name_of(Status::already), "already");
  EXPECT_EQ(name_of(Status::error), "error");
}

}  // namespace
}  // namespace croco
