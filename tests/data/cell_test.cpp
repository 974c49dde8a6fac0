// SPDX-License-Identifier: Apache-2.0
#include <croco/data/cell.hpp>

#include <gtest/gtest.h>

namespace croco {
namespace {

TEST(CellNumber, TakesFiniteNumbersOnly) {
  EXPECT_EQ(cell_number(" 3.5 "), 3.5);
  EXPECT_EQ(cell_number("inf"), std::nullopt);
  EXPECT_EQ(cell_number("nan"), std::nullopt);
  EXPECT_EQ(cell_number("1e400"), std::nullopt);
  EXPECT_EQ(cell_number("abc"), std::nullopt);
}

TEST(CellNumber, FaultsSayWhatIsWrong) {
  EXPECT_EQ(number_fault("abc"), "'abc' is not a number");
  EXPECT_EQ(number_fault("-inf"), "'-inf' is not a finite number");
  EXPECT_EQ(number_fault("1e400"), "'1e400' is out of the range of a double");
}

TEST(CellLevel, PrefersTheExactText) {
  Feature feature;
  feature.levels = {"rent", " own", "own"};
  EXPECT_EQ(cell_level(feature, " own"), 1U);
  EXPECT_EQ(cell_level(feature, "own"), 2U);
  EXPECT_EQ(cell_level(feature, " rent "), 0U);
  EXPECT_EQ(cell_level(feature, "Rent"), std::nullopt);
  EXPECT_EQ(level_fault(feature, "rnet"), "'rnet' is no level (levels: 'rent', ' own', 'own')");
  EXPECT_EQ(level_fault(feature, "ren"),
            "'ren' is no level; did you mean 'rent'? (levels: 'rent', ' own', 'own')");
}

}  // namespace
}  // namespace croco
