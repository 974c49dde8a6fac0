// SPDX-License-Identifier: Apache-2.0
#include <croco/data/record_reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

Schema schema_of(std::initializer_list<const char*> names) {
  Schema schema;
  for (const char* name : names) schema.features.emplace_back().name = name;
  return schema;
}

TEST(RecordReader, PicksTheColumnsInTheOrderOfTheSchema) {
  const CsvTable table = parse_csv("x,b,y,a\n1,2,3,4\n", "people.csv");
  const RecordReader reader(schema_of({"a", "b"}), table);
  EXPECT_THAT(reader.read(table.rows[0]), ElementsAre("4", "2"));
  EXPECT_EQ(reader.where(table.rows[0]), "people.csv, line 2");
}

TEST(RecordReader, NamesEveryColumnThatIsLacking) {
  const CsvTable table = parse_csv("age,b\n", "people.csv");
  EXPECT_THAT([&] { RecordReader(schema_of({"b", "agee"}), table); },
              ThrowsMessage<DataError>("people.csv: lacks a column of the schema: 'agee'; did you "
                                       "mean 'age'? (columns: 'age', 'b')"));
  EXPECT_THAT([&] { RecordReader(schema_of({"income", "b", "debt"}), table); },
              ThrowsMessage<DataError>("people.csv: lacks columns of the schema: 'income', 'debt' "
                                       "(columns: 'age', 'b')"));
}

TEST(RecordReader, MakesNumbersPlainAndLeavesLevels) {
  Schema schema = schema_of({"a", "b", "c"});
  schema.features[1].type = FeatureType::categorical;
  schema.features[2].unit = "%";
  const CsvTable table = parse_csv("a,b,c\n\"$1,006.74\",\"1,006\",5%\n 7 , 5% ,5\n", "people.csv");
  const RecordReader reader(schema, table);
  EXPECT_THAT(reader.read(table.rows[0]), ElementsAre("1006.74", "1,006", "5"));
  EXPECT_THAT(reader.read(table.rows[1]), ElementsAre(" 7 ", " 5% ", "5"));
  const CsvTable semicolons = parse_csv("a;b;c\n1,006;x;5\n", "people.csv");
  EXPECT_THAT(RecordReader(schema, semicolons).read(semicolons.rows[0]),
              ElementsAre("1,006", "x", "5"));
}

TEST(RecordReader, SaysThatCommasSeparateWhereTheHeaderHoldsBoth) {
  const CsvTable table = parse_csv("amount, EUR;b\n1;2\n", "people.csv");
  EXPECT_THAT(
      [&] { check_field_count(table, table.rows[0]); },
      ThrowsMessage<DataError>(
          "people.csv, line 2: has 1 field, but the header has 2; the header has commas, so "
          "they separate the fields: if semicolons or tabs do, put names that hold a comma "
          "in quotes"));
}

TEST(RecordReader, RefusesRowsOfAnotherLength) {
  const CsvTable table = parse_csv("a,b\n1,2\n1\n1,2,3\n", "people.csv");
  const RecordReader reader(schema_of({"a"}), table);
  EXPECT_NO_THROW(static_cast<void>(reader.read(table.rows[0])));
  EXPECT_THAT([&] { static_cast<void>(reader.read(table.rows[1])); },
              ThrowsMessage<DataError>("people.csv, line 3: has 1 field, but the header has 2"));
  EXPECT_THAT([&] { static_cast<void>(reader.read(table.rows[2])); },
              ThrowsMessage<DataError>("people.csv, line 4: has 3 fields, but the header has 2"));
}

}  // namespace
}  // namespace croco
