// SPDX-License-Identifier: Apache-2.0
#include <croco/data/csv_reader.hpp>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/data/row_source.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

TEST(CsvReaderTest, RecordsAcrossTheEdgesOfTheBufferAreWhole) {
  // The buffer holds 1 MiB at a time: records of many lengths put every kind of byte on its edges.
  for (const std::string end : {"\n", "\r\n"}) {
    std::string text = "a,\"b \"\"x\"\"\",c" + end;
    std::vector<std::string> expected;
    for (std::size_t i = 0; text.size() < 3'300'000; ++i) {
      const std::string long_field(i % 97, i % 2 == 0 ? 'x' : 'y');
      const std::string field = long_field + "\"é\n" + std::to_string(i);
      expected.push_back(field);
      text += std::to_string(i) + ",\"" + long_field + "\"\"é\n" + std::to_string(i) + "\",ü" + end;
    }
    CsvReader reader(bytes_of_text(text), "a.csv");
    EXPECT_THAT(reader.table().header, testing::ElementsAre("a", "b \"x\"", "c"));
    CsvRow row;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_TRUE(reader.next(row));
      ASSERT_THAT(row.fields, testing::ElementsAre(std::to_string(i), expected[i], "ü")) << i;
      ASSERT_EQ(row.line, 2 + 2 * i);
    }
    EXPECT_FALSE(reader.next(row));
    EXPECT_FALSE(reader.next(row));
  }
}

TEST(CsvReaderTest, FaultsFarBehindNameTheirPlace) {
  std::string text = "a,b\n";
  std::size_t lines = 1;
  while (text.size() < 2'000'000) {
    text += "1234567,abc\n";
    ++lines;
  }
  const auto fault = [&](const std::string& more) {
    return message_of<DataError>([&] { return parse_csv(text + more, "a.csv").rows.size(); });
  };
  const std::string line = "a.csv, line " + std::to_string(lines + 2);
  EXPECT_EQ(fault("1,2\n3,\"x\n"),
            line + ", character 3, column 'b': the quote that opens here is never closed");
  EXPECT_EQ(fault("1,2\n3,\"x\"y\n"),
            line +
                ", character 6, column 'b': a closing quote must be followed by a comma or the "
                "end of the line, not by 'y'");
  EXPECT_THAT(fault("1,2\nü\xFF,4\n"),
              HasSubstr(line + ", character 2: the byte 0xFF is not UTF-8"));
  EXPECT_THAT(fault(std::string("1,2\n12\0,4\n", 10)),
              HasSubstr(line + ", character 3: a NUL byte"));
  EXPECT_THAT(fault("1,2\n3\r4,5\n"), HasSubstr(line + ", character 2"));
}

TEST(SlowCsvReaderTest, ALineWithoutEndIsRefusedBeforeItFillsTheMemory) {
  std::string text = "a,b\n1,";
  text.append(CsvReader::kMaxRecord + (std::size_t{3} << 20U), 'x');
  EXPECT_EQ(message_of<DataError>([&] { return parse_csv(text, "a.csv").rows.size(); }),
            "a.csv, line 2: the record that begins here is longer than 64 MiB");
}

TEST(RowSourceTest, IsReadAsOftenAsAsked) {
  const RowSource rows = RowSource::text("a.csv", "a,b\n1,2\n\n3,4\n\n\n");
  for (int i = 0; i < 2; ++i) {
    const RowScan scanned = scan(rows);
    EXPECT_EQ(scanned.rows, 3U) << "blank lines at the end are none";
    EXPECT_EQ(scanned.fingerprint.size(), 64U);
    EXPECT_EQ(rows.table().rows[1].fields, std::vector<std::string>{""});
    EXPECT_EQ(rows.table().rows[2].line, 4U);
  }
  EXPECT_NE(scan(rows).fingerprint,
            scan(RowSource::text("a.csv", "a,b\n1,2\n\n3,5\n\n\n")).fingerprint);
}

}  // namespace
}  // namespace croco
