// SPDX-License-Identifier: Apache-2.0
#include <croco/data/codec.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/numbers.hpp>
#include <croco/data/infer.hpp>
#include <croco/data/record_reader.hpp>

namespace croco {
namespace {

using testing::ElementsAre;
using testing::ThrowsMessage;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// housing, duration (whole months), rate, saved (tenths)
Schema loan_schema() {
  return parse_schema(R"({
    "croco_schema": 1,
    "label": {"name": "risk", "favourable": "good", "unfavourable": "bad"},
    "features": [
      {"name": "housing", "type": "categorical", "levels": ["rent", "own", "?"]},
      {"name": "duration", "type": "numeric", "movement": "down", "minimum": 6, "maximum": 60,
       "step": 1, "cost": 2},
      {"name": "rate", "type": "numeric"},
      {"name": "saved", "type": "numeric", "movement": "up", "step": 0.1, "minimum": 0}
    ]})",
                      "loan.json");
}

Codec loan_codec() {
  return {loan_schema(), {{0, 1, "own"}, {4, 24, "12"}, {-1.5, 2.5, "0.5"}, {0.1, 0.1, "0.1"}}};
}

void expect_encode_error(const Record& record, const std::string& message) {
  EXPECT_THAT([&] { static_cast<void>(loan_codec().encode(record, "p.csv, line 7")); },
              ThrowsMessage<DataError>(message));
}

TEST(Codec, PutsNumbersFirstAndLevelsBehind) {
  const Codec codec = loan_codec();
  EXPECT_EQ(codec.width(), 6U);
  EXPECT_THAT(codec.column_names(),
              ElementsAre("duration", "rate", "saved", "housing_rent", "housing_own", "housing_?"));
  EXPECT_EQ(codec.column_of(0), 3U);
  EXPECT_EQ(codec.column_of(1), 0U);
  EXPECT_EQ(codec.column_of(3), 2U);
  EXPECT_EQ(codec.feature_of(0), 1U);
  EXPECT_EQ(codec.feature_of(5), 0U);
  EXPECT_EQ(codec.unit_of(1), 20.0);
  EXPECT_EQ(codec.unit_of(3), 1.0) << "a constant column";
}

TEST(Codec, BuildsTheSpaceInEncodedUnits) {
  const Codec codec = loan_codec();
  const Space& space = codec.space();
  EXPECT_EQ(space.columns[0], (Column{.lower = (6.0 - 4.0) / 20.0,
                                      .upper = (60.0 - 4.0) / 20.0,
                                      .movement = Movement::down,
                                      .step = 1.0 / 20.0,
                                      .step_origin = -4.0 / 20.0,
                                      .cost = 2.0,
                                      .continuous = true}));
  EXPECT_EQ(space.columns[1], Column());
  EXPECT_EQ(space.columns[2].lower, -0.1);
  EXPECT_EQ(space.columns[2].upper, kInfinity);
  for (std::size_t k = 3; k < 6; ++k) {
    EXPECT_EQ(space.columns[k], (Column{.lower = 0.0,
                                        .upper = 1.0,
                                        .movement = Movement::fixed,
                                        .step = 0.0,
                                        .step_origin = 0.0,
                                        .cost = 1.0,
                                        .continuous = false}));
  }
  EXPECT_THAT(space.groups, ElementsAre(OneHotGroup{3, 3}));
}

TEST(Codec, Encodes) {
  const Codec codec = loan_codec();
  EXPECT_THAT(codec.encode({"own", "14", "-1.5", "0.3"}, "here"),
              ElementsAre(0.5, 0.0, 0.3 - 0.1, 0.0, 1.0, 0.0));
  EXPECT_THAT(codec.encode({" rent ", " 44 ", "+6.5", "1e-1"}, "here"),
              ElementsAre(2.0, 2.0, 0.0, 1.0, 0.0, 0.0))
      << "values outside the training range are not clipped";
  EXPECT_THAT(codec.encode({"?", "24", "0.5", "0"}, "here"),
              ElementsAre(1.0, 0.5, -0.1, 0.0, 0.0, 1.0))
      << "a level that looks like a missing value is a level";
}

TEST(Codec, NamesWhatIsWrongWithARecord) {
  expect_encode_error({"own", "abc", "1", "1"},
                      "p.csv, line 7, column 'duration': 'abc' is not a number");
  expect_encode_error({"own", "1", "inf", "1"},
                      "p.csv, line 7, column 'rate': 'inf' is not a finite number");
  expect_encode_error({"own", "1", "-nan", "1"},
                      "p.csv, line 7, column 'rate': '-nan' is not a finite number");
  expect_encode_error({"own", "1", "1e400", "1"},
                      "p.csv, line 7, column 'rate': '1e400' is out of the range of a double");
  expect_encode_error({"owns", "1", "1", "1"},
                      "p.csv, line 7, column 'housing': 'owns' is no level; did you mean 'own'? "
                      "(levels: 'rent', 'own', '?')");
  expect_encode_error({"own", "1", "1"},
                      "p.csv, line 7: has 3 values, but the schema has 4 features");
  const Codec narrow({{}, {Feature{.name = "x"}}}, {{0.0, 1e-300, ""}});
  EXPECT_THAT(
      [&] { static_cast<void>(narrow.encode({"1e300"}, "here")); },
      ThrowsMessage<DataError>("here, column 'x': '1e300' is too far from the training range "
                               "0 .. 1e-300"));
}

TEST(Codec, MissingValuesFollowThePolicy) {
  const Codec codec = loan_codec();
  for (const char* spelling : {"", " ", "NA", "n/a", "NaN", "null"}) {
    const Record record = {spelling, spelling, spelling, spelling};
    EXPECT_THROW(static_cast<void>(codec.encode(record, "here")), MissingValue) << spelling;
    EXPECT_THROW(static_cast<void>(codec.encode(record, "here", MissingPolicy::drop)),
                 MissingValue);
    EXPECT_EQ(codec.encode(record, "here", MissingPolicy::impute),
              codec.encode({"own", "12", "0.5", "0.1"}, "here"));
  }
  EXPECT_THAT([&] { static_cast<void>(codec.encode({"own", "NA", "1", "1"}, "p.csv, line 7")); },
              ThrowsMessage<MissingValue>(
                  "p.csv, line 7, column 'duration': the value is missing ('NA'); --missing drop "
                  "or impute says what to do with such rows, and keep asks a model that takes "
                  "missing values"));
  const Codec untyped({{}, {Feature{.name = "x"}}}, {FeatureScale{}});
  EXPECT_THAT(
      [&] { static_cast<void>(untyped.encode({""}, "here", MissingPolicy::impute)); },
      ThrowsMessage<DataError>("here, column 'x': the value is missing, and no typical value "
                               "is known to fill it"));
}

TEST(Codec, DecodesStepsExactly) {
  const Codec codec = loan_codec();
  EXPECT_THAT(
      codec.decode(Vector{(24.0 - 4.0) / 20.0 - 1e-12, 0.0, 0.3 - 0.1 + 1e-11, 0.2, 0.5, 0.3}),
      ElementsAre("own", "24", "-1.5", "0.3"));
  EXPECT_THAT(codec.decode(Vector{-0.2, 0.375, -0.1, 1.0, 0.0, 0.0}),
              ElementsAre("rent", "0", "0", "0"));
  EXPECT_EQ(codec.decode_number(1, 0.5), 14.0);
}

TEST(Codec, DecodesValuesBetweenStepsAsTheyAre) {
  const Codec codec = loan_codec();
  const Record record = {"own", "14.25", "0.123456789", "0.37"};
  EXPECT_EQ(codec.decode(codec.encode(record, "here")), record);
}

TEST(Codec, RefusesPointsOfAnotherWidth) {
  EXPECT_THAT([] { static_cast<void>(loan_codec().decode(Vector(5))); },
              ThrowsMessage<InvalidArgument>("point: has 5 columns, but the encoded space has 6"));
}

TEST(Codec, RandomRecordsSurviveEncodingAndDecoding) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int round = 0; round < 2'000; ++round) {
    // Ranges of all magnitudes, and origins that dwarf them by up to a thousand times.
    const double unit = std::pow(10.0, 6.0 * uniform(random));
    const double minimum = unit * 1e3 * std::pow(uniform(random), 3);
    const int places = std::max(0, 6 - static_cast<int>(std::floor(std::log10(unit))));
    Schema schema{
        {},
        {Feature{.name = "free"}, Feature{.name = "whole", .step = 1.0},
         Feature{.name = "tenth", .step = 0.1},
         Feature{.name = "level", .type = FeatureType::categorical, .levels = {"a", "b"}}}};
    const Codec codec(schema, {{minimum, minimum + unit, ""}, {-3, 1e6, ""}, {0.7, 31.4, ""}, {}});
    const Record record = {
        format_fixed(minimum + unit * uniform(random), places),
        std::to_string(static_cast<int>(1e6 * uniform(random))),
        format_fixed(0.1 * static_cast<double>(static_cast<int>(400 * uniform(random))), 1),
        random() % 2 == 0 ? "a" : "b"};
    Record canonical = record;
    canonical[0] = format_number(*parse_number(record[0]));
    EXPECT_EQ(codec.decode(codec.encode(record, "here")), canonical) << minimum << " + " << unit;
  }
}

TEST(Codec, WhatIsToldEncodesToItself) {
  std::mt19937 random(19);
  std::normal_distribution<double> normal;
  const Codec codec = loan_codec();
  for (int round = 0; round < 5'000; ++round) {
    Vector point(6);
    for (double& value : point) value = normal(random);
    const Record told = codec.decode(point);
    const Vector again = codec.encode(told, "here");
    EXPECT_EQ(codec.decode(again), told);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(again[k], point[k], 1e-10);
  }
}

TEST(Codec, ChecksItsScales) {
  const auto expect_error = [](std::vector<FeatureScale> scales, const std::string& message) {
    EXPECT_THAT([&] { Codec(loan_schema(), std::move(scales)); },
                ThrowsMessage<DataError>(message));
  };
  std::vector<FeatureScale> scales = loan_codec().scales();
  expect_error({{}}, "scales: there are 1, but the schema has 4 features; each needs one");
  scales[1].maximum = 3.0;
  expect_error(scales, "scale of feature 'duration': minimum 4 is above maximum 3");
  scales[1].maximum = kInfinity;
  expect_error(scales, "scale of feature 'duration': the range 4 .. inf is not finite");
  scales[1] = {-1e308, 1e308, ""};
  expect_error(scales, "scale of feature 'duration': the range -1e+308 .. 1e+308 is not finite");
  scales[1] = {0, 1, "x"};
  expect_error(scales, "scale of feature 'duration': typical value 'x' is not a number");
  scales[0].typical = "house";
  expect_error(scales,
               "scale of feature 'housing': typical value 'house' is no level (levels: 'rent', "
               "'own', '?')");
}

TEST(CodecFit, LearnsRangesAndTypicalValues) {
  const CsvTable table = parse_csv(
      "risk,saved,rate,duration,housing,other\n"
      "good,0.5,1,12,own,x\n"
      "bad,NA,-2,24,own,x\n"
      "bad,0.2,3.5,18,rent,x\n"
      "bad,0.9,,30,,x\n",
      "t.csv");
  const Codec codec = Codec::fit(loan_schema(), table);
  EXPECT_THAT(codec.scales(),
              ElementsAre(FeatureScale{0, 1, "own", {"?"}},
                          FeatureScale{12,
                                       30,
                                       "18",
                                       {},
                                       Distribution{.deviation = 6,
                                                    .values = {12, 18, 24, 30},
                                                    .shares = {0.125, 0.375, 0.625, 0.875}}},
                          FeatureScale{-2,
                                       3.5,
                                       "1",
                                       {},
                                       Distribution{.deviation = 2.5,
                                                    .values = {-2, 1, 3.5},
                                                    .shares = {1.0 / 6, 0.5, 5.0 / 6}}},
                          FeatureScale{0.2,
                                       0.9,
                                       "0.5",
                                       {},
                                       Distribution{.deviation = 0.5 - 0.2,
                                                    .values = {0.2, 0.5, 0.9},
                                                    .shares = {1.0 / 6, 0.5, 5.0 / 6}}}));
}

TEST(CodecFit, NamesTheCellThatIsWrong) {
  const auto expect_error = [](const std::string& rows, const std::string& message) {
    const CsvTable table = parse_csv("housing,duration,rate,saved\n" + rows, "t.csv");
    EXPECT_THAT([&] { static_cast<void>(Codec::fit(loan_schema(), table)); },
                ThrowsMessage<DataError>(message));
  };
  expect_error("own,1,2,3\nown,1,x,3\n", "t.csv, line 3, column 'rate': 'x' is not a number");
  expect_error("own,1,2,3\nboat,1,2,3\n",
               "t.csv, line 3, column 'housing': 'boat' is no level (levels: 'rent', 'own', '?')");
  expect_error("own,1,2,3\n\"own\n\",1,2\n", "t.csv, line 3: has 3 fields, but the header has 4");
  expect_error("own,1,,3\nown,1,NA,3\n",
               "t.csv, column 'rate': every value is missing; a scale cannot be learnt");
  expect_error("", "t.csv: has a header but no rows; at least one row is needed");
}

TEST(CodecWithSchema, ChangesConstraintsOnly) {
  Schema schema = loan_schema();
  schema.features[1].movement = Movement::fixed;
  schema.features[1].minimum = 14.0;
  schema.features[2].label = "Interest";
  const Codec codec = loan_codec().with_schema(schema);
  EXPECT_EQ(codec.schema(), schema);
  EXPECT_EQ(codec.scales(), loan_codec().scales());
  EXPECT_EQ(codec.space().columns[0].movement, Movement::fixed);
  EXPECT_EQ(codec.space().columns[0].lower, 0.5);
}

TEST(CodecWithSchema, RefusesOtherFeatures) {
  const auto expect_error = [](auto change, const std::string& message) {
    Schema schema = loan_schema();
    change(schema.features);
    EXPECT_THAT([&] { static_cast<void>(loan_codec().with_schema(schema)); },
                ThrowsMessage<DataError>(message));
  };
  expect_error([](auto& f) { f.pop_back(); },
               "schema: has 3 features, but the model was trained with 4");
  expect_error(
      [](auto& f) { std::swap(f[1], f[2]); },
      "schema: feature 2 is 'rate', but the model was trained with 'duration' in its place");
  expect_error([](auto& f) { f[0].levels.pop_back(); },
               "schema: feature 'housing' has another list of levels than the one that the model "
               "was trained with");
  expect_error([](auto& f) { f[2].type = FeatureType::categorical, f[2].levels = {"x"}; },
               "schema: feature 'rate' has another type than the one that the model was trained "
               "with");
}

TEST(SlowCodec, RealDataSurviveEncodingAndDecoding) {
  const char* const folder = std::getenv("CROCO_TEST_DATA_DIR");
  if (folder == nullptr) GTEST_SKIP() << "CROCO_TEST_DATA_DIR is not set";
  const std::filesystem::path path(folder);
  for (const auto& [file, label] : std::vector<std::pair<std::string, std::string>>{
           {"adult.csv", "income"},
           {"compas.csv", "score"},
           {"give_me_some_credit.csv", "SeriousDlqin2yrs"}}) {
    const CsvTable table = read_csv(path / file);
    const Codec codec =
        Codec::fit(infer_schema(table, {.label = label, .favourable = "1"}).schema, table);
    const RecordReader reader(codec.schema(), table);
    std::size_t different = 0;
    for (const CsvRow& row : table.rows) {
      const Record record = reader.read(row);
      const Record back = codec.decode(codec.encode(record, reader.where(row)));
      for (std::size_t k = 0; k < record.size(); ++k) {
        if (codec.schema().features[k].type == FeatureType::categorical) {
          different += record[k] == back[k] ? 0U : 1U;
          continue;
        }
        const double before = *parse_number(record[k]);
        const double after = *parse_number(back[k]);
        const bool same = codec.schema().features[k].step > 0.0
                              ? after == before
                              : std::abs(after - before) <= 1e-12 * std::abs(before);
        different += same ? 0U : 1U;
      }
    }
    EXPECT_EQ(different, 0U) << file;
  }
}

}  // namespace
}  // namespace croco
