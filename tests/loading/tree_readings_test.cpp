// SPDX-License-Identifier: Apache-2.0
// One file of boosted trees can be several models: which rounds count, and which level has which
// code. What is read has to be what the library answers; see tests/golden/make_tree_rounds.py.
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/loading/model_summary.hpp>
#include <tests/fixtures.hpp>
#include <tests/golden.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

/// The order of pandas' categories.
const std::vector<std::string> kSorted{"car",   "furniture", "other",
                                       "radio", "repairs",   "study trip"};
const std::vector<std::string> kOther{"radio", "repairs",   "study trip",
                                      "car",   "furniture", "other"};

std::filesystem::path path_of(const std::string& file) {
  return std::filesystem::path(CROCO_GOLDEN_DIR) / "trees" / file;
}

golden::Json golden_case(const std::string& file, const std::string& rounds) {
  for (const golden::Json& one : golden::list("tree_rounds", "cases")) {
    if (one.at("file") == file && one.at("rounds") == rounds) return one;
  }
  throw std::runtime_error(file + ": no such case");
}

/// The rows of a case as people, under a schema with these levels.
LoadModelOptions options_for(const golden::Json& one, const std::vector<std::string>& levels) {
  TrainingData data;
  std::string text;
  for (const std::string name : one.at("columns")) {
    Feature feature{.name = name};
    if (name == "purpose")
      feature = {.name = name, .type = FeatureType::categorical, .levels = levels};
    data.schema.features.push_back(feature);
    text += (text.empty() ? "" : ",") + name;
  }
  text += "\n";
  for (const golden::Json& row : one.at("rows")) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double value = row[j];
      text += fmt::format("{}{}", j == 0 ? "" : ",",
                          j == 5 ? kSorted[static_cast<std::size_t>(value)] : format_number(value));
    }
    text += "\n";
  }
  data.rows = parse_csv(text, "people.csv");
  LoadModelOptions options;
  options.training = [data] { return data; };
  return options;
}

/// How many people get another margin than the library's, beyond the rounding of encoded numbers.
std::size_t others(const LoadedModel& loaded, const golden::Json& one) {
  const Vector margins = golden::vector(one.at("margins"));
  std::size_t count = 0;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    count += loaded.model->logit((*loaded.examples)[i]) != margins[i] ? 1U : 0U;
  }
  return count;
}

TEST(TreeReadings, TheWholeFileWithRoundsIsTheLibrarysModelWhateverTheSchemasOrder) {
  for (const char* rounds : {"best", "2", "all"}) {
    const golden::Json one = golden_case("xgb_early.json", rounds);
    for (const auto& levels : {kSorted, kOther}) {
      LoadModelOptions options = options_for(one, levels);
      options.rounds = parse_rounds(rounds);
      EXPECT_EQ(others(load_model(path_of("xgb_early.json"), options), one), 0U) << rounds;
    }
  }
}

TEST(TreeReadings, ASliceIsRefusedUntilItsCodesAreStated) {
  const golden::Json one = golden_case("xgb_sliced.json", "all");
  LoadModelOptions options = options_for(one, kOther);
  EXPECT_THAT(
      message_of<ModelError>([&] { return load_model(path_of("xgb_sliced.json"), options); }),
      HasSubstr(
          "xgb_sliced.json: the model's column 'purpose' takes codes for levels, and the file "
          "does not say which level has which code. Say it with --category-order "
          "purpose=schema"));
  options.category_orders = parse_category_orders({"schema"});
  EXPECT_GT(others(load_model(path_of("xgb_sliced.json"), options), one), 5U)
      << "another order is another model";
  options = options_for(one, kSorted);
  options.category_orders = parse_category_orders({"purpose=schema"});
  EXPECT_EQ(others(load_model(path_of("xgb_sliced.json"), options), one), 0U);
}

TEST(TreeReadings, AnotherReadingIsAnotherFingerprint) {
  const golden::Json one = golden_case("xgb_early.json", "best");
  LoadModelOptions options = options_for(one, kSorted);
  const auto fingerprint = [&](const char* rounds) {
    options.rounds = parse_rounds(rounds);
    const LoadedModel loaded = load_model(path_of("xgb_early.json"), options);
    EXPECT_EQ(summarise_model(path_of("xgb_early.json"), options).summary.fingerprint,
              loaded.fingerprint);
    return loaded.fingerprint;
  };
  EXPECT_EQ(
      fingerprint("best"),
      fingerprint(golden_case("xgb_early.json", "6").at("rounds").get<std::string>().c_str()));
  EXPECT_NE(fingerprint("best"), fingerprint("all"));
  EXPECT_NE(fingerprint("best"), fingerprint("2"));
}

TEST(TreeReadings, OtherModelsHaveNoRounds) {
  LoadModelOptions options;
  options.encoded = true;
  options.rounds = parse_rounds("3");
  const auto onnx = std::filesystem::path(CROCO_GOLDEN_DIR) / "onnx" / "torch_relu.onnx";
  EXPECT_THAT(message_of<InvalidArgument>([&] { return load_model(onnx, options); }),
              HasSubstr("rounds is for files of XGBoost, LightGBM and CatBoost; "));
  options.rounds = {};
  options.category_orders = parse_category_orders({"schema"});
  EXPECT_THAT(message_of<InvalidArgument>([&] { return load_model(onnx, options); }),
              HasSubstr("category-order is for files of XGBoost, LightGBM and CatBoost; "));
  EXPECT_EQ(
      message_of<InvalidArgument>([&] { return load_model(path_of("xgb_numbers.json"), options); }),
      "category-order is for records; encoded data hold the codes of levels already");
}

}  // namespace
}  // namespace croco
