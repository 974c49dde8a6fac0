// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/group_by.hpp>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal_of(const std::vector<std::string>& texts) {
  return message_of<InvalidArgument>([&] { return parse_groups(texts); });
}

TEST(ParseGroups, ReadsColumnsAndCutPoints) {
  EXPECT_THAT(
      parse_groups({"sex,age:25,40,60,race", "a:b"}),
      ElementsAre(GroupBy{"sex"}, GroupBy{"age", {25, 40, 60}}, GroupBy{"race"}, GroupBy{"a:b"}));
}

TEST(ParseGroups, RefusesWhatIsNoListOfColumns) {
  EXPECT_THAT(refusal_of({"sex,,age"}), HasSubstr("group is 'sex,,age'; it must name columns"));
  EXPECT_THAT(refusal_of({"age:40,25"}),
              HasSubstr("group 'age' has the cut points 40, 25; they must be finite and rise"));
  EXPECT_THAT(refusal_of({"age:25,25"}), HasSubstr("25, 25; they must be finite and rise"));
  EXPECT_THAT(refusal_of({"age:inf"}), HasSubstr("inf; they must be finite and rise"));
  EXPECT_THAT(refusal_of({"sex", "sex"}), HasSubstr("group names 'sex' twice"));
  EXPECT_THAT(refusal_of({}), HasSubstr("group names no column"));
}

TEST(ParseReferences, ReadsAGroupForAColumn) {
  EXPECT_EQ(parse_references({"sex=Male", "a=b=c"}),
            (ReferenceGroups{{"sex", "Male"}, {"a", "b=c"}}));
  EXPECT_THAT(message_of<InvalidArgument>([] { return parse_references({"Male"}); }),
              HasSubstr("reference is 'Male'; it must be COLUMN=GROUP"));
}

std::vector<Person> townspeople() {
  std::vector<Person> out;
  const std::vector<std::vector<std::string>> rows{{"40", "rent", "North"},
                                                   {"25", "own", " North "},
                                                   {"24", "rent", ""},
                                                   {"60", "rent", "East"}};
  for (const auto& row : rows) {
    out.push_back(people::person(out.size(), {"40", "10", row[0], row[1]}));
    out.back().kept = {{"town", row[2]}};
  }
  out.push_back(people::person(4, {}));
  out.back().problem = "a row that cannot be read";
  return out;
}

std::vector<AuditAttribute> found(const std::vector<std::string>& groups,
                                  const std::vector<std::string>& references = {}) {
  static const Schema schema = people::schema();
  GroupFinder finder(parse_groups(groups), parse_references(references), schema);
  for (const Person& person : townspeople()) finder.add(person);
  return finder.attributes();
}

TEST(GroupFinder, FindsTheGroupsThatOccur) {
  const auto made = found({"age:25,40,60,home,town"});
  ASSERT_EQ(made.size(), 3U);
  EXPECT_THAT(made[0].groups,
              ElementsAre("below 25", "25 to below 40", "40 to below 60", "60 and above"));
  EXPECT_FALSE(made[0].swappable);
  EXPECT_THAT(made[1].groups, ElementsAre("rent", "own"));  // in the schema's order
  EXPECT_TRUE(made[1].swappable);
  EXPECT_EQ(made[1].reference, 0U);
  EXPECT_THAT(made[2].groups, ElementsAre("(missing)", "East", "North"));
  EXPECT_FALSE(made[2].feature);
  EXPECT_EQ(made[2].reference, 2U);  // the largest
  const auto everyone = townspeople();
  EXPECT_EQ(made[0].group_of(everyone[1]), 1U);
  EXPECT_EQ(made[2].group_of(everyone[2]), 0U);
  EXPECT_EQ(made[2].group_of(everyone[4]), std::nullopt);
}

TEST(GroupFinder, TakesTheReferenceThatIsNamed) {
  EXPECT_EQ(found({"town"}, {"town=East"})[0].reference, 1U);
  EXPECT_THAT(message_of<InvalidArgument>([] { return found({"town"}, {"town=Eas"}); }),
              HasSubstr("reference is 'town=Eas'; there is no such group; did you mean 'East'? "
                        "(groups: '(missing)', 'East', 'North')"));
  EXPECT_THAT(message_of<InvalidArgument>([] { return found({"town"}, {"home=own"}); }),
              HasSubstr("reference is 'home=own'; no group is by that column"));
}

TEST(GroupFinder, RefusesWhatCannotBeCompared) {
  EXPECT_THAT(message_of<InvalidArgument>([] { return found({"income"}); }),
              HasSubstr("group is 'income', and everybody is in the group '40'; there is nothing "
                        "to compare"));
  EXPECT_THAT(message_of<DataError>([] { return found({"town:5"}); }),
              HasSubstr("people.csv, line 2: column 'town': 'North' is not a number"));
}

TEST(GroupFinder, RefusesAColumnOfNumbersWithoutCutPoints) {
  const Schema schema = people::schema();
  GroupFinder finder(parse_groups({"income"}), {}, schema);
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                for (std::size_t i = 0; i < 51; ++i) {
                  finder.add(people::person(i, {std::to_string(i), "1", "30", "rent"}));
                }
              }),
              HasSubstr("group is 'income', a column with more than 50 values; at most 50 groups "
                        "are compared, and numbers need cut points such as income:25,40,60"));
}

TEST(ColumnsBeside, AreThoseThatAreNoFeatures) {
  EXPECT_THAT(columns_beside(parse_groups({"town,age:40,home"}), people::schema()),
              ElementsAre("town"));
}

}  // namespace
}  // namespace croco
