// SPDX-License-Identifier: Apache-2.0
#include <croco/space/features.hpp>

#include <gmock/gmock.h>

#include <croco/space/admissible.hpp>

namespace croco {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A number, a category of three levels, a number.
Space mixed() {
  Space space;
  const Column level{.lower = 0, .upper = 1, .movement = Movement::fixed, .continuous = false};
  space.columns = {{}, level, level, level, {}};
  space.groups = {{1, 3, {{0, 1, 1.0}, {0, 2, 1.0}}}};
  return space;
}

TEST(Features, ACategoryIsOneHoweverManyColumnsItHas) {
  const Space space = mixed();
  const Vector origin{0.5, 1, 0, 0, 0.5};
  EXPECT_THAT(changed_features(space, origin, origin), IsEmpty());
  EXPECT_THAT(changed_features(space, origin, Vector{0.5, 0, 1, 0, 0.5}), ElementsAre(1));
  EXPECT_THAT(changed_features(space, origin, Vector{0.6, 0, 0, 1, 0.4}), ElementsAre(0, 1, 4));
}

TEST(Features, AtMostSoManyAreAdmissible) {
  Space space = mixed();
  const Vector origin{0.5, 1, 0, 0, 0.5};
  const Vector two{0.6, 0, 1, 0, 0.5};
  EXPECT_TRUE(is_admissible(space, origin, two));
  space.most_changed = 2;
  EXPECT_TRUE(is_admissible(space, origin, two));
  space.most_changed = 1;
  EXPECT_FALSE(is_admissible(space, origin, two));
  EXPECT_TRUE(is_admissible(space, origin, Vector{0.6, 1, 0, 0, 0.5}));
}

TEST(HittingSets, HaveOneOfEachAndNothingNeedless) {
  EXPECT_THAT(hitting_sets({}), ElementsAre(FeatureSet{}));
  EXPECT_THAT(hitting_sets({{1, 2}}), ElementsAre(FeatureSet{1}, FeatureSet{2}));
  EXPECT_THAT(hitting_sets({{1, 2}, {2, 3}}), ElementsAre(FeatureSet{2}, FeatureSet{1, 3}));
  EXPECT_THAT(hitting_sets({{1}, {2}}), ElementsAre(FeatureSet{1, 2}));
  EXPECT_THAT(hitting_sets({{1}, {}}), IsEmpty());
}

TEST(HittingSets, PropertyLeavingOneAloneSparesEverySet) {
  // All families of three sets over four features.
  for (unsigned code = 0; code < 15 * 15 * 15; ++code) {
    std::vector<FeatureSet> sets;
    for (unsigned rest = code, i = 0; i < 3; ++i, rest /= 15) {
      FeatureSet& set = sets.emplace_back();
      for (std::size_t feature = 0; feature < 4; ++feature) {
        if (((rest % 15 + 1) >> feature & 1U) != 0) set.push_back(feature);
      }
    }
    const std::vector<FeatureSet> hitting = hitting_sets(sets);
    // Every set of features is either found wanting or contains one of the answer.
    for (unsigned mask = 0; mask < 16; ++mask) {
      FeatureSet frozen;
      for (std::size_t feature = 0; feature < 4; ++feature) {
        if ((mask >> feature & 1U) != 0) frozen.push_back(feature);
      }
      const bool hits = std::ranges::all_of(sets, [&](const FeatureSet& set) {
        return std::ranges::any_of(set, [&](std::size_t f) { return contains(frozen, f); });
      });
      const bool found = std::ranges::any_of(
          hitting, [&](const FeatureSet& least) { return contains(frozen, least); });
      ASSERT_EQ(hits, found) << code << ' ' << mask;
    }
  }
}

}  // namespace
}  // namespace croco
