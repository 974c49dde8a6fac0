// SPDX-License-Identifier: Apache-2.0
#include <croco/data/data_frame.hpp>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/data/codec.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

using fixtures::message_of;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

Schema schema() {
  Schema out{.label = {"accepted", "yes", "no"}, .features = {}};
  out.features.push_back({.name = "income"});
  out.features.push_back(
      {.name = "home", .type = FeatureType::categorical, .levels = {"rent", "own", "free"}});
  return out;
}

DataFrame frame() {
  return {.source = "people",
          .columns = {{"other", NumberColumn{{1, 2, 3, 4}}},
                      {"home", LevelColumn{{"own", "rent", "castle"}, {1, 0, -1, 1}}},
                      {"income", NumberColumn{{1200.5, 0.1, kMissing, -3}}}}};
}

TEST(DataFrame, GivesTheSameCodecAsItsText) {
  const CsvTable table =
      parse_csv("income,home\n1200.5,rent\n0.1,own\n,NA\n-3,rent\n", "people.csv");
  for (const NumberEncoding encoding : {NumberEncoding::scaled, NumberEncoding::exact}) {
    const Codec from_text = Codec::fit(schema(), table, encoding);
    const Codec from_columns = Codec::fit(schema(), frame(), encoding);
    EXPECT_EQ(from_columns.scales(), from_text.scales());
    EXPECT_EQ(from_columns.scales()[1].unseen, std::vector<std::string>{"free"});
    EXPECT_EQ(from_columns.json(), from_text.json());
  }
}

TEST(DataFrame, NumbersMayBeLevelsAndLevelsNumbers) {
  Schema codes = schema();
  codes.features[1].levels = {"1", "2"};
  const DataFrame data{.source = "people",
                       .columns = {{"income", LevelColumn{{"7", "1,234"}, {0, 1, 1}}},
                                   {"home", NumberColumn{{1, 2, 2}}}}};
  const Codec codec = Codec::fit(codes, data);
  EXPECT_EQ(codec.scales()[0].maximum, 1234);
  EXPECT_EQ(codec.scales()[1].typical, "2");
}

TEST(DataFrame, RowsAreRecordsThatReadBackExactly) {
  EXPECT_EQ(record_of(frame(), schema(), 0), Record({"1200.5", "rent"}));
  EXPECT_EQ(record_of(frame(), schema(), 2), Record({"", ""}));
  DataFrame tenth = frame();
  std::get<NumberColumn>(tenth.columns[2].values).values[0] = 0.1 + 0.2;
  EXPECT_EQ(std::stod(record_of(tenth, schema(), 0)[0]), 0.1 + 0.2);
}

TEST(DataFrame, NamesWhatIsWrong) {
  const auto fault = [](const DataFrame& data) {
    return message_of<DataError>([&] { return Codec::fit(schema(), data); });
  };
  DataFrame short_column = frame();
  std::get<NumberColumn>(short_column.columns[2].values).values.pop_back();
  EXPECT_EQ(fault(short_column), "people, column 'income': it has 3 rows; the first column has 4");
  DataFrame twice = frame();
  twice.columns[0].name = "income";
  EXPECT_EQ(fault(twice), "people: two columns are called 'income'");
  DataFrame code = frame();
  std::get<LevelColumn>(code.columns[1].values).codes[3] = 3;
  EXPECT_EQ(fault(code), "people, row 3, column 'home': the code 3 has no level; there are 3");
  DataFrame missing = frame();
  missing.columns.pop_back();
  EXPECT_EQ(fault(missing), "people: column 'income' is missing");
  DataFrame unknown = frame();
  std::get<LevelColumn>(unknown.columns[1].values).codes[2] = 2;
  EXPECT_THAT(fault(unknown), testing::StartsWith("people, row 2, column 'home': 'castle' is no"));
  DataFrame infinite = frame();
  std::get<NumberColumn>(infinite.columns[2].values).values[1] =
      std::numeric_limits<double>::infinity();
  EXPECT_THAT(fault(infinite), testing::StartsWith("people, row 1, column 'income': "));
  DataFrame empty = frame();
  for (double& value : std::get<NumberColumn>(empty.columns[2].values).values) value = kMissing;
  EXPECT_EQ(fault(empty),
            "people, column 'income': every value is missing; a scale cannot be learnt");
  EXPECT_EQ(fault(DataFrame{.source = "people"}), "people: it has no rows");
}

}  // namespace
}  // namespace croco
