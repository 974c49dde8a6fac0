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
