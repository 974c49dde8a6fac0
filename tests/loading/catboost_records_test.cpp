// SPDX-License-Identifier: Apache-2.0
// CatBoost's models on people's records: texts of categories, blanks, names of classes and a
// threshold of the file's own. See tests/golden/make_catboost_models.py.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/numbers.hpp>
#include <croco/loading/column_matching.hpp>
#include <croco/loading/foreign_model.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/loading/missing_values.hpp>
#include <croco/loading/model_summary.hpp>
#include <tests/fixtures.hpp>
#include <tests/golden.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

const std::string kFile = "cat_categories.json";

std::filesystem::path path_of(const std::string& file) {
  return std::filesystem::path(CROCO_GOLDEN_DIR) / "trees" / file;
}

golden::Json golden_model(const std::string& file) {
  for (const golden::Json& model : golden::list("catboost", "models")) {
    if (model.at("file") == file) return model;
  }
  throw std::runtime_error(file + ": no such model");
}

Record record_of(const golden::Json& row) {
  Record out;
  for (const golden::Json& value : row) {
    out.push_back(value.is_null()     ? ""
                  : value.is_string() ? value.get<std::string>()
                                      : format_number(value.get<double>()));
  }
  return out;
}

/// Numbers that people have: far larger and far smaller ones are no records, but the models met
/// them in `catboost_golden_test`.
bool is_record(const golden::Json& row) {
  return std::ranges::none_of(row, [](const golden::Json& value) {
    if (!value.is_number()) return false;
    const double size = std::abs(value.get<double>());
    return size > 1e6 || (size > 0 && size < 1e-6);
  });
}

/// The schema of a golden model: texts are categories, whose levels are in no order of theirs.
Schema schema_of(const golden::Json& model) {
  Schema out;
  const golden::Json& rows = model.at("rows");
  for (std::size_t j = 0; j < model.at("columns").size(); ++j) {
    Feature feature{.name = model.at("columns")[j]};
    std::set<std::string, std::greater<>> levels;
    for (const golden::Json& row : rows) {
      if (row[j].is_string()) levels.insert(row[j].get<std::string>());
    }
    if (!levels.empty()) {
      feature.type = FeatureType::categorical;
      feature.levels.assign(levels.begin(), levels.end());
    }
    out.features.push_back(std::move(feature));
  }
  return out;
}

LoadModelOptions options_for(const golden::Json& model, const Schema& schema) {
  std::string text;
  for (const Feature& feature : schema.features) text += (text.empty() ? "" : ",") + feature.name;
  text += "\n";
  for (const golden::Json& row : model.at("rows")) {
    if (!is_record(row)) continue;
    std::string line;
    for (const std::string& field : record_of(row)) {
      line += (line.empty() ? "\"" : ",\"") + field + "\"";
    }
    text += line + "\n";
  }
  LoadModelOptions options;
  options.training = [schema, table = parse_csv(text, "people.csv")] {
    return TrainingData{schema, table};
  };
  return options;
}

LoadedModel load(const std::function<void(Schema&)>& change = {}) {
  const golden::Json model = golden_model(kFile);
  Schema schema = schema_of(model);
  if (change) change(schema);
  return load_model(path_of(kFile), options_for(model, schema));
}

TEST(CatboostRecords, GetCatboostsMarginsWithTheirTextsAndBlanks) {
  for (const char* file : {"cat_categories.json", "cat_lossguide.json", "cat_numbers.json"}) {
    const golden::Json model = golden_model(file);
    const LoadedModel loaded = load_model(path_of(file), options_for(model, schema_of(model)));
    const Vector margins = golden::vector(model.at("margins"));
    std::size_t blank = 0;
    for (std::size_t k = 0; k < margins.size(); ++k) {
      if (!is_record(model.at("rows")[k])) continue;
      const Record record = record_of(model.at("rows")[k]);
      const std::vector<std::size_t> missing = loaded.codec.missing_features(record);
      if (missing.empty()) {
        EXPECT_EQ(loaded.model->logit(loaded.codec.encode(record, "row")), margins[k])
            << file << ", row " << k;
        continue;
      }
      ++blank;
      const PartialModel partial = partial_model(loaded.models, loaded.codec, missing);
      EXPECT_EQ(partial.model->logit(partial.codec.encode(record, "row")), margins[k])
          << file << ", row " << k;
    }
    EXPECT_GT(blank, 10U) << file;
  }
}

TEST(CatboostRecords, AMissingCategoryIsRefusedAsCatboostDoes) {
  const LoadedModel loaded = load();
  EXPECT_THAT(
      message_of<ModelError>([&] { return partial_model(loaded.models, loaded.codec, {5}); }),
      HasSubstr("cat_categories.json: column 'purpose': the category is missing, and the "
                "model takes no missing category; if it was trained with a text in such "
                "places, write that text"));
}

TEST(CatboostRecords, ClassOneIsTheSchemasFavourableLabel) {
  const Record record = record_of(golden_model(kFile).at("rows")[30]);
  const auto logit = [&](const LabelColumn& label) {
    const LoadedModel loaded = load([&](Schema& schema) { schema.label = label; });
    return loaded.model->logit(loaded.codec.encode(record, "row"));
  };
  const double own = golden::vector(golden_model(kFile).at("margins"))[30];
  EXPECT_EQ(logit({}), own) << "the second class, where nothing else is said";
  EXPECT_EQ(logit({"risk", "good", "bad"}), own);
  EXPECT_EQ(logit({"risk", "bad", "good"}), -own);
  EXPECT_THAT(message_of<ModelError>([&] { return logit({"risk", "yes", "no"}); }),
              HasSubstr("cat_categories.json: the model's classes are 'bad' and 'good'; the "
                        "schema's favourable label is 'yes'"));
}

TEST(CatboostRecords, NumberedClassesAreWhatTheyAreCalled) {
  ForeignModel foreign;
  foreign.classes = {"0", "1"};
  EXPECT_FALSE(classes_exchanged(foreign, "", "m"));
  EXPECT_FALSE(classes_exchanged(foreign, "good", "m")) << "numbers stand for any labels";
  EXPECT_TRUE(classes_exchanged(foreign, "0", "m"));
  EXPECT_FALSE(classes_exchanged(foreign, "1.0", "m"));
  foreign.classes = {"1", "0"};
  EXPECT_TRUE(classes_exchanged(foreign, "", "m"));
  foreign.classes = {"False", "True"};
  EXPECT_FALSE(classes_exchanged(foreign, "paid", "m"));
  foreign.classes.clear();
  EXPECT_FALSE(classes_exchanged(foreign, "good", "m"));
}

TEST(CatboostRecords, LevelsHaveToBeSpeltAsInTraining) {
  const auto with_levels = [](const std::vector<std::string>& levels) {
    return message_of<ModelError>([&] {
      const golden::Json model = golden_model(kFile);
      const Schema schema = schema_of(model);
      const Codec codec =
          Codec::fit(schema, std::get<CsvTable>(options_for(model, schema).training().rows),
                     NumberEncoding::exact);
      Schema other = schema;
      other.features[5].levels = levels;
      ForeignColumns columns{.width = 1, .names = {"purpose"}};
      columns.hashed_levels = {
          read_foreign_model(read_file(path_of(kFile)), kFile)->columns.hashed_levels[5]};
      CodedColumn column{.name = "purpose", .hashes = columns.hashed_levels[0]};
      return category_codes(other.features[5], column, {}, kFile);
    });
  };
  EXPECT_THAT(with_levels({"Car", "RADIO"}),
              HasSubstr("by the hashes of their texts; none of the data's levels is one of them: "
                        "'Car', 'RADIO'. Levels have to be spelt as in training"));
}

TEST(CatboostRecords, ACategoryIsNoNumberNorAColumnOfALevel) {
  EXPECT_THAT(message_of<ModelError>([] {
                return load([](Schema& schema) { schema.features[6] = {.name = "branch"}; });
              }),
              HasSubstr("the model's column 'branch' is a category, and a number in the data; call "
                        "it categorical in the schema"));
  LoadModelOptions options;
  options.encoded = true;
  EXPECT_THAT(message_of<ModelError>([&] { return load_model(path_of(kFile), options); }),
              HasSubstr("the model's column 'purpose' is a category of texts, which encoded data "
                        "cannot hold; give records instead"));
  const Schema schema{
      .label = {},
      .features = {{.name = "home", .type = FeatureType::categorical, .levels = {"own", "rent"}}}};
  const Codec codec =
      Codec::fit(schema, parse_csv("home\nown\nrent\n", "people.csv"), NumberEncoding::exact);
  ForeignColumns columns{.width = 2};
  columns.hashed_levels = {std::vector<std::int32_t>{5}, std::nullopt};
  EXPECT_THAT(message_of<ModelError>([&] { return match_columns(codec, columns, "m.json"); }),
              HasSubstr("m.json: the model's column 0 is a category of texts, and the model has no "
                        "names for its columns"));
  columns.names = {"home=own", "home=rent"};
  EXPECT_THAT(
      message_of<ModelError>([&] { return match_columns(codec, columns, "m.json"); }),
      HasSubstr("m.json: the model's column 'home=own' is a category of texts; the column of "
                "a level holds the numbers 0 and 1. Train the model with it as a number"));
}

TEST(CatboostRecords, CodesOfTextsCannotBeStated) {
  const golden::Json model = golden_model(kFile);
  LoadModelOptions options = options_for(model, schema_of(model));
  options.category_orders = parse_category_orders({"purpose=schema"});
  EXPECT_THAT(message_of<InvalidArgument>([&] { return load_model(path_of(kFile), options); }),
              HasSubstr("category-order is given for 'purpose'; "));
  options.category_orders = parse_category_orders({"schema"});
  EXPECT_EQ(load_model(path_of(kFile), options).model->width(), load().model->width())
      << "what is said of all features is for those of which nothing else is known";
}

TEST(CatboostRecords, AThresholdOfTheFilesOwnIsTheOnlyOne) {
  LoadedModel loaded = load();
  EXPECT_NO_THROW(require_threshold(loaded, 0.7));
  loaded.own_threshold = 0.3;
  loaded.source = "m.json";
  EXPECT_NO_THROW(require_threshold(loaded, 0.3));
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              require_threshold(loaded, 0.5);
              return 0;
            }),
            "threshold is 0.5; m.json says that CatBoost predicts at 0.3 "
            "(set_probability_threshold): pass --threshold 0.3, or save the model with another "
            "one");
}

TEST(CatboostRecords, TheSummarySaysTextsAndTheClass) {
  const ModelSummary summary = summarise_model(path_of(kFile), {}).summary;
  EXPECT_EQ(summary.program, "CatBoost");
  EXPECT_EQ(summary.score, "of class 'good'");
  EXPECT_EQ(summary.inputs[0].type, "number");
  EXPECT_EQ(summary.inputs[5].type, "text");
}

}  // namespace
}  // namespace croco
