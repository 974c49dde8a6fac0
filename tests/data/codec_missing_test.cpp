// SPDX-License-Identifier: Apache-2.0
// Records that lack values and stay so.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/data/codec.hpp>
#include <croco/space/relation.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::ElementsAre;
using testing::IsEmpty;

enum : std::size_t { kIncome, kDebt, kAge, kHome };

Schema schema() {
  return {.label = {},
          .features = {
              {.name = "income", .minimum = 0, .maximum = 100},
              {.name = "debt", .minimum = 0, .maximum = 50},
              {.name = "age", .minimum = 18, .maximum = 90},
              {.name = "home", .type = FeatureType::categorical, .levels = {"rent", "own", "NA"}}}};
}

Codec codec(std::vector<RelationRule> relations = {}) {
  Schema with = schema();
  with.relations = std::move(relations);
  return Codec(with, {{0, 100, "40"}, {0, 50, "10"}, {20, 80, "50"}, {0, 1, "rent"}});
}

TEST(CodecMissing, FindsWhatARecordLacks) {
  EXPECT_THAT(codec().missing_features({"1", "2", "3", "own"}), IsEmpty());
  EXPECT_THAT(codec().missing_features({"", "2", "n/a", "?"}), ElementsAre(kIncome, kAge, kHome));
  EXPECT_THAT(codec().missing_features({"1", "2", "3", "NA"}), IsEmpty()) << "NA is a level";
  EXPECT_THAT(codec().missing_features({"", "2"}), IsEmpty()) << "no record of this schema";
}

TEST(CodecMissing, MissingFeaturesHoldPlaceholdersAndNeverMove) {
  const Codec partial = codec().with_missing({kDebt, kHome});
  EXPECT_THAT(partial.missing(), ElementsAre(kDebt, kHome));
  EXPECT_TRUE(partial.stays_missing(kHome));
  EXPECT_FALSE(partial.stays_missing(kAge));
  const Vector point = partial.encode({"40", "", "50", "?"}, "here");
  EXPECT_EQ(point, codec().encode({"40", "0", "50", "rent"}, "here"));
  EXPECT_EQ(partial.encode({"40", "NaN", "50", ""}, "here", MissingPolicy::impute), point);
  EXPECT_FALSE(partial.space().movable(partial.column_of(kDebt)));
  EXPECT_TRUE(partial.space().movable(partial.column_of(kIncome)));
  EXPECT_FALSE(codec().space().groups[0].moves.empty());
  EXPECT_TRUE(partial.space().groups[0].moves.empty());
  EXPECT_EQ(partial.filled({"", "", "50", "?"}), Record({"40", "", "50", "?"}));
  EXPECT_EQ(partial.json(), codec().json()) << "a certificate names the encoding of everybody";
}

TEST(CodecMissing, SurvivesAnotherSchema) {
  Schema other = schema();
  other.features[kDebt].movement = Movement::both;
  other.features[kIncome].maximum = 80;
  const Codec partial = codec().with_missing({kDebt}).with_schema(other);
  EXPECT_THAT(partial.missing(), ElementsAre(kDebt));
  EXPECT_FALSE(partial.space().movable(partial.column_of(kDebt)));
  EXPECT_DOUBLE_EQ(partial.space().columns[partial.column_of(kIncome)].upper, 0.8);
}

TEST(CodecMissing, ValuesMustBeMissingWhereTheyStaySo) {
  const Codec partial = codec().with_missing({kDebt});
  EXPECT_EQ(message_of<DataError>([&] { return partial.encode({"40", "7", "50", "own"}, "here"); }),
            "here, column 'debt': the value is '7'; it must be missing, as the rest of the request "
            "has it");
  EXPECT_EQ(
      message_of<MissingValue>(
          [&] { return partial.encode({"", "", "50", "own"}, "here", MissingPolicy::keep); }),
      "here, column 'income': the value is missing (''); --missing drop or impute says what to do "
      "with such rows, and keep asks a model that takes missing values");
}

/// Whether a change keeps the one relation of a codec, for somebody without a debt.
bool keeps(const RelationRule& rule, const Record& before, const Record& after) {
  const Codec partial = codec({rule}).with_missing({kDebt});
  const Vector origin = partial.encode(before, "before");
  return row_of(partial.space().relations[0], origin).holds(partial.encode(after, "after"));
}

TEST(CodecMissing, RelationsWithAMissingPartMayNotGetWorse) {
  const Record today{"40", "", "50", "own"};
  const Record richer{"60", "", "50", "own"};
  const Record poorer{"30", "", "50", "own"};
  // Debt is at most the income: true of whatever debt it is, as long as the income does not fall.
  const RelationRule covered{.name = "covered", .sum = {{"debt"}}, .than = {{"income"}}};
  EXPECT_TRUE(keeps(covered, today, richer));
  EXPECT_FALSE(keeps(covered, today, poorer));
  const RelationRule together{.name = "sum", .sum = {{"income"}, {"debt"}}, .limit = 45.0};
  EXPECT_TRUE(keeps(together, today, poorer));
  EXPECT_FALSE(keeps(together, today, richer));
  const RelationRule share{.name = "share", .sum = {{"income"}}, .per = "debt", .limit = 3.0};
  Schema positive = schema();
  positive.features[kDebt].minimum = 1;
  positive.relations = {share};
  const Codec partial = Codec(positive, codec().scales()).with_missing({kDebt});
  const LinearRow row = row_of(partial.space().relations[0], partial.encode(today, "before"));
  EXPECT_TRUE(row.holds(partial.encode(poorer, "after")));
  EXPECT_FALSE(row.holds(partial.encode(richer, "after")));
  // Debt per year of age, at most 2: with more years it falls, whatever the debt is.
  const RelationRule by_age{.name = "by age", .sum = {{"debt"}}, .per = "age", .limit = 2.0};
  EXPECT_TRUE(keeps(by_age, today, {"40", "", "60", "own"}));
  EXPECT_FALSE(keeps(by_age, today, {"40", "", "40", "own"}));
}

TEST(CodecMissing, ARatioThatIsComparedWithTodayNeedsItsSum) {
  const RelationRule rule{.name = "burden", .sum = {{"debt"}}, .per = "age"};
  EXPECT_EQ(message_of<DataError>([&] { return codec({rule}).with_missing({kDebt}); }),
            "column 'debt': the value is missing; the relation 'burden' compares it, divided by "
            "'age', with today's value, which nobody knows");
  EXPECT_THAT(codec({rule}).with_missing({kIncome}).missing(), ElementsAre(kIncome));
}

TEST(CodecMissing, OneHotColumnsOfEncodedDataCannotBeMissing) {
  Space space;
  space.columns.resize(3);
  space.columns[1].continuous = space.columns[2].continuous = false;
  space.columns[1].movement = space.columns[2].movement = Movement::fixed;
  space.groups = {{1, 2, {}}};
  const Codec encoded = Codec::identity({"a", "b_x", "b_y"}, space);
  EXPECT_THAT(encoded.with_missing({0}).encode({"", "1", "0"}, "here"), ElementsAre(0, 1, 0));
  EXPECT_EQ(message_of<DataError>([&] { return encoded.with_missing({2}); }),
            "column 'b_y': the value is missing; it is one of several that encode a category, "
            "which cannot be missing in encoded data");
}

}  // namespace
}  // namespace croco
