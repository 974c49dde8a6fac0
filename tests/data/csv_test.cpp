// SPDX-License-Identifier: Apache-2.0
#include <croco/data/csv.hpp>

#include <array>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using namespace std::string_literals;

CsvTable parse(std::string_view text) { return parse_csv(text, "t.csv"); }

void expect_error(std::string_view text, const std::string& message) {
  EXPECT_THAT([&] { static_cast<void>(parse(text)); }, ThrowsMessage<DataError>(message)) << text;
}

TEST(Csv, ReadsHeaderAndRows) {
  const CsvTable table = parse("a,b\n1,2\n3,4\n");
  EXPECT_EQ(table.source, "t.csv");
  EXPECT_THAT(table.header, ElementsAre("a", "b"));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(table.rows[0].fields, ElementsAre("1", "2"));
  EXPECT_EQ(table.rows[0].line, 2U);
  EXPECT_THAT(table.rows[1].fields, ElementsAre("3", "4"));
  EXPECT_EQ(table.rows[1].line, 3U);
}

TEST(Csv, LineEndingsDoNotMatter) {
  for (const char* text :
       {"a,b\r\n1,2\r\n", "a,b\r\n1,2", "a,b\n1,2", "a,b\n1,2\r\n", "a,b\n1,2\r",
        "\xEF\xBB\xBF"
        "a,b\n1,2\n",
        "\"a\",\"b\"\r\n\"1\",\"2\"\r\n", "a,b\n\"1\",\"2\"", "a,b\n1,\"2\"\r"}) {
    const CsvTable table = parse(text);
    EXPECT_THAT(table.header, ElementsAre("a", "b")) << text;
    ASSERT_EQ(table.rows.size(), 1U) << text;
    EXPECT_THAT(table.rows[0].fields, ElementsAre("1", "2")) << text;
  }
}

TEST(Csv, QuotesHoldSeparatorsQuotesAndLineBreaks) {
  const CsvTable table = parse("a,b\n\"x,\"\"y\"\"\",\"1\n2\r\n3\"\nlast,\"\"\n");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(table.rows[0].fields, ElementsAre("x,\"y\"", "1\n2\r\n3"));
  EXPECT_EQ(table.rows[0].line, 2U);
  EXPECT_THAT(table.rows[1].fields, ElementsAre("last", ""));
  EXPECT_EQ(table.rows[1].line, 5U);
}

TEST(Csv, LineBreaksInTheHeaderCountAsLines) {
  const CsvTable table = parse("\"a\nb\",c\n1,2\n");
  EXPECT_THAT(table.header, ElementsAre("a\nb", "c"));
  EXPECT_EQ(table.rows[0].line, 3U);
}

TEST(Csv, QuotesAndBlanksInsidePlainFieldsAreOrdinary) {
  const CsvTable table = parse("a,b\n5\" pipe, \"x\"\n");
  EXPECT_THAT(table.rows[0].fields, ElementsAre("5\" pipe", " \"x\""));
}

TEST(Csv, EmptyFieldsAreKept) {
  const CsvTable table = parse("a,b,c\n,,\n1,,\n,,3");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_THAT(table.rows[0].fields, ElementsAre("", "", ""));
  EXPECT_THAT(table.rows[1].fields, ElementsAre("1", "", ""));
  EXPECT_THAT(table.rows[2].fields, ElementsAre("", "", "3"));
  EXPECT_THAT(parse("a,b\n1,").rows[0].fields, ElementsAre("1", ""));
}

TEST(Csv, BlankLinesCountInTheMiddleAndNotAtTheEnd) {
  const CsvTable table = parse("a,b\n1,2\n\n3,4\n\n\r\n\n");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_THAT(table.rows[1].fields, ElementsAre(""));
  EXPECT_EQ(table.rows[1].line, 3U);
  EXPECT_THAT(table.rows[2].fields, ElementsAre("3", "4"));
  EXPECT_EQ(table.rows[2].line, 4U);
  EXPECT_TRUE(parse("a\n\n\n").rows.empty());
  EXPECT_EQ(parse("a\n\"\"\n\n").rows.size(), 1U) << "an empty field in quotes is a value";
}

TEST(Csv, RowsMayHaveAnotherNumberOfFields) {
  const CsvTable table = parse("a,b\n1\n1,2,3\n");
  EXPECT_EQ(table.rows[0].fields.size(), 1U);
  EXPECT_EQ(table.rows[1].fields.size(), 3U);
}

TEST(Csv, RefusesBrokenHeaders) {
  expect_error("", "t.csv: the file is empty; it must begin with a header line of column names");
  expect_error("\xEF\xBB\xBF",
               "t.csv: the file is empty; it must begin with a header line of column names");
  expect_error("\n1\n", "t.csv, line 1: column 1 of 1 has no name");
  expect_error("a, ,c\n",
               "t.csv, line 1: column 2 of 3 has no name; only an index in front may lack one");
  expect_error("a,b,a\n", "t.csv, line 1: column 'a' occurs twice; names must differ");
}

TEST(Csv, ANeverClosedQuoteIsNamedWhereItOpens) {
  expect_error("a,b\n1,2\n3,\"4\n5,6\n",
               "t.csv, line 3, character 3, column 'b': the quote that opens here is never closed");
  expect_error("a,\"b\n", "t.csv, line 1, character 3: the quote that opens here is never closed");
  expect_error("a,b\n\"1\n2\",\"3\"\"",
               "t.csv, line 3, character 4, column 'b': the quote that opens here is never closed");
  expect_error("a\n1,\"2", "t.csv, line 2, character 3: the quote that opens here is never closed");
}

TEST(Csv, TextBehindAClosingQuoteIsNamed) {
  expect_error(
      "a,b\n1,\"2\"x\n",
      "t.csv, line 2, character 6, column 'b': a closing quote must be followed by a comma "
      "or the end of the line, not by 'x'");
  expect_error(
      "a,b\n\"\xC3\xA9\"\xC3\xA9,2\n",
      "t.csv, line 2, character 4, column 'a': a closing quote must be followed by a comma "
      "or the end of the line, not by '\xC3\xA9'");
  expect_error(
      "a,b\n\"1\n2\" ,3\n",
      "t.csv, line 3, character 3, column 'a': a closing quote must be followed by a comma "
      "or the end of the line, not by ' '");
}

TEST(Csv, RefusesBytesThatAreNoText) {
  expect_error("a,b\n1,2\nx\0,3\n"s,
               "t.csv, line 3, character 2: a NUL byte; the file must be text in UTF-8 (or ASCII)");
  expect_error("a\n\"x\n\0\"\n"s,
               "t.csv, line 3, character 1: a NUL byte; the file must be text in UTF-8 (or ASCII)");
}

TEST(Csv, RefusesOtherEncodingsWithTheWayToConvert) {
  expect_error(
      "a,b\n1,2\n\xC3\xA9\xE9,3\n",
      "t.csv, line 3, character 2: the byte 0xE9 is not UTF-8; if the file is in Latin-1 or "
      "Windows-1252, convert it: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW-FILE");
  expect_error(
      "\xFF\xFE\x61\0\n\0\x3D\xD8"s,
      "t.csv, line 2, character 1: the byte 0xFF is not UTF-8; if the file is in Latin-1 or "
      "Windows-1252, convert it: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW-FILE");
}

TEST(Csv, ReadsUtf16WithAByteOrderMark) {
  const CsvTable table = parse("\xFF\xFE\x61\0\t\0\xE9\0\n\0001\0\t\0002\0\n\0"s);
  EXPECT_THAT(table.header, ElementsAre("a", "\xC3\xA9"));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_THAT(table.rows[0].fields, ElementsAre("1", "2"));
}

TEST(Csv, TheHeaderSaysWhatSeparates) {
  for (const char* text : {"a;b\n1;2\n", "a\tb\n1\t2\n", "\"a\";\"b\"\r\n\"1\";\"2\"\r\n"}) {
    const CsvTable table = parse(text);
    EXPECT_THAT(table.header, ElementsAre("a", "b")) << text;
    ASSERT_EQ(table.rows.size(), 1U) << text;
    EXPECT_THAT(table.rows[0].fields, ElementsAre("1", "2")) << text;
  }
  EXPECT_EQ(parse("a;b\n").separator, ';');
  EXPECT_THAT(parse("a;b\n1,5;2\n").rows[0].fields, ElementsAre("1,5", "2"));
  EXPECT_THAT(parse("\"a,x\";b\n1;2\n").header, ElementsAre("a,x", "b"));
  EXPECT_THAT(parse("\"a\"\",x\"\tb\n").header, ElementsAre("a\",x", "b"));
  // A comma wins, so that no file with commas is read otherwise.
  EXPECT_THAT(parse("a;b,c\n1;2,3\n").rows[0].fields, ElementsAre("1;2", "3"));
  EXPECT_THAT(parse("a\n1;2\n").rows[0].fields, ElementsAre("1;2"));
  expect_error("a;b\n1;\"2\"x\n",
               "t.csv, line 2, character 6, column 'b': a closing quote must be followed by a "
               "semicolon or the end of the line, not by 'x'");
  expect_error(
      "a\tb\n\"1\",\t2\n",
      "t.csv, line 2, character 4, column 'a': a closing quote must be followed by a tab or "
      "the end of the line, not by ','");
}

TEST(Csv, AnIndexInFrontNeedsNoName) {
  const CsvTable table = parse(",a\n0,5\n");
  EXPECT_THAT(table.header, ElementsAre("", "a"));
  EXPECT_THAT(parse("\"\",a\n0,5\n").header, ElementsAre("", "a"));
}

TEST(Csv, RefusesACarriageReturnThatEndsNoLine) {
  expect_error("a,b\r1,2\r",
               "t.csv, line 1, character 4: a carriage return without a line feed; "
               "lines must end with LF or CRLF");
  expect_error(
      "a,b\n\"1\"\r,2\n",
      "t.csv, line 2, character 4, column 'a': a carriage return without a line feed; lines "
      "must end with LF or CRLF");
  EXPECT_EQ(parse("a\n\"x\ry\"\n").rows[0].fields[0], "x\ry");
}

TEST(Csv, FindsColumnsByName) {
  const CsvTable table = parse("age,income\n");
  EXPECT_EQ(table.find("income"), 1U);
  EXPECT_EQ(table.find("Income"), std::nullopt);
  EXPECT_EQ(table.column("age"), 0U);
  EXPECT_THAT([&] { static_cast<void>(table.column("incom")); },
              ThrowsMessage<DataError>("t.csv: there is no column 'incom'; did you mean 'income'? "
                                       "(columns: 'age', 'income')"));
}

TEST(Csv, AHeaderAloneIsATableOfNoRows) {
  const CsvTable table = parse("a,b");
  EXPECT_TRUE(table.rows.empty());
  EXPECT_THAT(
      [&] { require_rows(table); },
      ThrowsMessage<DataError>("t.csv: has a header but no rows; at least one row is needed"));
  EXPECT_NO_THROW(require_rows(parse("a\n1")));
}

TEST(Csv, ReadingAFileThatIsNotThereNamesIt) {
  EXPECT_THAT([] { static_cast<void>(read_csv("no/such/file.csv")); },
              ThrowsMessage<IoError>(HasSubstr("no/such/file.csv")));
}

TEST(Csv, WritesQuotesOnlyWhereNeeded) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_field("a\rb"), "\"a\rb\"");
  EXPECT_EQ(csv_record({"a", "", "c,d"}), "a,,\"c,d\"\n");
  EXPECT_EQ(csv_record({""}), "\"\"\n");
  EXPECT_EQ(csv_record({}), "\n");
  EXPECT_EQ(csv_record({"a;b"}), "\"a;b\"\n") << "a header that would be taken for two names";
  EXPECT_EQ(csv_record({"a;b", "c"}), "a;b,c\n");
}

TEST(Csv, KeepsAByteOrderMarkThatIsPartOfAName) {
  const CsvTable table = parse_csv("\xEF\xBB\xBF\xEF\xBB\xBFname\n1\n", "two marks");
  EXPECT_EQ(table.header[0], "\xEF\xBB\xBFname");
  EXPECT_EQ(parse_csv(csv_record(table.header), "again").header, table.header);
}

TEST(Csv, RandomTablesSurviveWritingAndReading) {
  std::mt19937 random(11);
  constexpr std::array<std::string_view, 11> kAlphabet = {"a", "b",        ",", "\"", "\n", "\r",
                                                          " ", "\xC3\xA9", ";", "\t", "1"};
  for (int round = 0; round < 500; ++round) {
    const std::size_t width = 1 + random() % 4;
    std::vector<std::string> header;
    for (std::size_t k = 0; k < width; ++k) header.push_back("c" + std::to_string(k));
    std::string text = csv_record(header);
    std::vector<std::vector<std::string>> rows(random() % 6);
    for (auto& row : rows) {
      for (std::size_t k = 0; k < width; ++k) {
        std::string& field = row.emplace_back();
        for (std::size_t n = random() % 6; n > 0; --n) {
          field += kAlphabet[random() % kAlphabet.size()];
        }
      }
      text += csv_record(row);
    }
    if (random() % 2 == 0) text.pop_back();
    const CsvTable table = parse(text);
    ASSERT_EQ(table.header, header);
    ASSERT_EQ(table.rows.size(), rows.size()) << text;
    for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(table.rows[k].fields, rows[k]) << text;
  }
}

TEST(Csv, RandomBytesAreParsedOrRefusedButNeverWorse) {
  std::mt19937 random(13);
  constexpr std::string_view kAlphabet = "a,\"\n\r\xC3 1";
  int parsed = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = "a,b\n";
    for (std::size_t n = random() % 12; n > 0; --n) text += kAlphabet[random() % kAlphabet.size()];
    try {
      const CsvTable table = parse(text);
      ++parsed;
      // What was understood must survive being written and read again.
      std::string written = csv_record(table.header);
      for (const CsvRow& row : table.rows) written += csv_record(row.fields);
      const CsvTable again = parse(written);
      ASSERT_EQ(again.rows.size(), table.rows.size()) << text;
      for (std::size_t k = 0; k < table.rows.size(); ++k) {
        ASSERT_EQ(again.rows[k].fields, table.rows[k].fields) << text;
      }
    } catch (const DataError&) {
    }
  }
  EXPECT_GT(parsed, 1'000);
}

}  // namespace
}  // namespace croco
