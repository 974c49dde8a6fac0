// SPDX-License-Identifier: Apache-2.0
#include <croco/kernels/instruction_set.hpp>

#include <cctype>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <croco/base/error.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

using fixtures::message_of;
using ::testing::HasSubstr;

class InstructionSet : public ::testing::Test {
 protected:
  ~InstructionSet() override { hwy::DisableTargets(0); }
};

TEST_F(InstructionSet, IsTheBestThatThisProcessorHas) {
  EXPECT_EQ(instruction_set(), instruction_sets().front());
}

TEST_F(InstructionSet, CanBeLimitedToEachOfThem) {
  for (const std::string& name : instruction_sets()) {
    limit_instruction_set(name);
    EXPECT_EQ(instruction_set(), name);
    hwy::DisableTargets(0);
  }
}

TEST_F(InstructionSet, IsNamedInCapitalsOrNot) {
  const std::string last = instruction_sets().back();
  std::string lower = last;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  limit_instruction_set(lower);
  EXPECT_EQ(instruction_sets(), std::vector{last});
}

TEST_F(InstructionSet, MustBeOneOfThisProcessor) {
  EXPECT_THAT(message_of<InvalidArgument>([] { limit_instruction_set("AVX9"); }),
              HasSubstr("the instruction set is 'AVX9'; the kernels can use "));
  EXPECT_THAT(message_of<InvalidArgument>([] { limit_instruction_set(""); }),
              HasSubstr("the instruction set is ''"));
  EXPECT_EQ(instruction_set(), instruction_sets().front());
}

}  // namespace
}  // namespace croco
