// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/loaded_model.hpp>

#include <filesystem>
#include <limits>
#include <optional>
#include <unistd.h>
#include <utility>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/sha256.hpp>
#include <croco/data/data_frame.hpp>
#include <croco/loading/accepted_examples.hpp>
#include <croco/models/files/model_file.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Options for columns that are in the model's space already.
LoadModelOptions encoded(std::optional<Interval> box = {}, std::optional<Schema> schema = {}) {
  LoadModelOptions options;
  options.encoded = true;
  options.box = box;
  options.schema = std::move(schema);
  return options;
}

LoadModelOptions with_schema(Schema schema) {
  LoadModelOptions options;
  options.schema = std::move(schema);
  return options;
}

Schema schema_of(Feature feature) { return {.label = {}, .features = {std::move(feature)}}; }

class LoadModel : public testing::Test {
 protected:
  LoadModel() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("croco-load-{}-{}", ::getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directory(folder_);
  }
  ~LoadModel() override { std::filesystem::remove_all(folder_); }

  /// A file of three numeric columns and one category, without an encoding.
  static Json encoded_file() {
    return Json::parse(R"({
      "name": "tiny",
      "feature_names": ["income", "debt", "age", "home_rent", "home_own"],
      "continuous": ["income", "debt", "age"],
      "categorical_groups": [["home_rent", "home_own"]],
      "immutable": ["age"],
      "output": "sigmoid",
      "layers": [{"weight": [[6, -4, 0.5, 0, 0.5]], "bias": [-3]}]
    })");
  }
  /// The same model as `croco train` writes it.
  static std::string record_file() {
    return model_json({.name = "people",
                       .model = people::model(),
                       .inputs = {.names = people::codec().column_names()},
                       .target = "accepted",
                       .encoding = people::codec().json()});
  }

  std::filesystem::path write(const std::string& text) {
    const std::filesystem::path path = folder_ / "model.json";
    write_file(path, text);
    return path;
  }
  std::filesystem::path write(const Json& document) { return write(document.dump()); }

  template <typename Exception>
  std::string failure(const std::string& text, const LoadModelOptions& options = {}) {
    const std::filesystem::path path = write(text);
    return message_of<Exception>([&] { return load_model(path, options); });
  }

  std::filesystem::path folder_;
};

TEST_F(LoadModel, ReadsWhatTrainingWrote) {
  const std::string text = record_file();
  const std::filesystem::path path = write(text);
  const LoadedModel loaded = load_model(path);
  EXPECT_EQ(loaded.name, "people");
  EXPECT_EQ(loaded.source, path.string());
  EXPECT_EQ(loaded.fingerprint, sha256(text));
  EXPECT_EQ(loaded.codec.schema(), people::schema());
  EXPECT_EQ(loaded.codec.space(), people::codec().space());
  const Vector point{0.4, 0.2, 0.1, 1, 0};
  EXPECT_EQ(loaded.model->logit(point), people::model()->logit(point));
  EXPECT_TRUE(loaded.unfrozen.empty());
}

TEST_F(LoadModel, ASchemaReplacesTheModelsOwn) {
  Schema schema = people::schema();
  schema.features[0].maximum = 60;
  schema.features[1].movement = Movement::fixed;
  schema.features[0].unit = "EUR";
  const LoadedModel loaded = load_model(write(record_file()), with_schema(schema));
  EXPECT_EQ(loaded.codec.schema(), schema);
  EXPECT_DOUBLE_EQ(loaded.codec.space().columns[0].upper, 0.6);
  EXPECT_FALSE(loaded.codec.space().movable(1));
  EXPECT_EQ(loaded.codec.encode({"40", "10", "30", "own"}, "here"),
            people::codec().encode({"40", "10", "30", "own"}, "here"))
      << "the scales stay those of the training";
}

TEST_F(LoadModel, RefusesASchemaOfOtherFeatures) {
  Schema schema = people::schema();
  schema.features[0].name = "wage";
  EXPECT_EQ(failure<DataError>(record_file(), with_schema(schema)),
            "schema: feature 1 is 'wage', but the model was trained with 'income' in its place");
  schema = people::schema();
  schema.features.pop_back();
  EXPECT_EQ(failure<DataError>(record_file(), with_schema(schema)),
            "schema: has 3 features, but the model was trained with 4");
}

TEST_F(LoadModel, EncodedColumnsMeanThemselves) {
  const LoadedModel loaded = load_model(write(encoded_file()), encoded());
  EXPECT_EQ(loaded.codec.column_names(),
            std::vector<std::string>({"income", "debt", "age", "home_rent", "home_own"}));
  EXPECT_EQ(loaded.codec.encode({"0.4", "-3", "7", "0", "1"}, "here"), Vector({0.4, -3, 7, 0, 1}));
  EXPECT_EQ(loaded.codec.space().columns[0].lower, -kInfinity);
  EXPECT_TRUE(loaded.codec.space().movable(2));
  EXPECT_FALSE(loaded.codec.space().movable(3));
  EXPECT_THAT(loaded.unfrozen, ElementsAre("age"));
  EXPECT_THAT(message_of<DataError>([&] {
                return loaded.codec.encode({"0.4", "-3", "7", "1", "1"}, "people.csv, line 2");
              }),
              HasSubstr("people.csv, line 2, columns 'home_rent', 'home_own': exactly one must be "
                        "1"));
}

TEST_F(LoadModel, FreezesWhatTheFileCallsImmutable) {
  LoadModelOptions options = encoded();
  options.freeze_immutable = true;
  const LoadedModel loaded = load_model(write(encoded_file()), options);
  EXPECT_FALSE(loaded.codec.space().movable(2));
  EXPECT_TRUE(loaded.codec.space().movable(0));
  EXPECT_TRUE(loaded.unfrozen.empty());
}

TEST_F(LoadModel, ABoxHoldsTheNumericColumns) {
  const LoadedModel loaded = load_model(write(encoded_file()), encoded(Interval{-0.5, 2}));
  EXPECT_EQ(loaded.codec.space().columns[1].lower, -0.5);
  EXPECT_EQ(loaded.codec.space().columns[1].upper, 2);
  EXPECT_EQ(loaded.codec.space().columns[3].upper, 1) << "one-hot columns keep their own range";
  EXPECT_EQ(failure<InvalidArgument>(encoded_file().dump(), encoded(Interval{1, 1})),
            "box is 1:1; its lower end must be below its upper end");
}

TEST_F(LoadModel, ASchemaOfEncodedColumnsOverridesTheBox) {
  const Schema schema =
      schema_of({.name = "debt", .movement = Movement::down, .cost = 2, .minimum = 0, .step = 0.1});
  const LoadedModel loaded = load_model(write(encoded_file()), encoded(Interval{-1, 1}, schema));
  const Column& debt = loaded.codec.space().columns[1];
  EXPECT_EQ(debt.lower, 0);
  EXPECT_EQ(debt.upper, 1);
  EXPECT_EQ(debt.movement, Movement::down);
  EXPECT_EQ(debt.cost, 2);
  EXPECT_EQ(debt.step, 0.1);
  EXPECT_EQ(loaded.codec.space().columns[0].lower, -1);
}

TEST_F(LoadModel, RefusesSchemasThatEncodedDataCannotHave) {
  const std::string text = encoded_file().dump();
  EXPECT_EQ(failure<DataError>(text, encoded({}, schema_of({.name = "wage"}))),
            "the schema has the feature 'wage', which is no column of the model; for encoded data "
            "its features are encoded columns");
  const Schema category = schema_of({.name = "home_rent",
                                     .type = FeatureType::categorical,
                                     .movement = Movement::fixed,
                                     .levels = {"a", "b"}});
  EXPECT_EQ(failure<DataError>(text, encoded({}, category)),
            "the schema's feature 'home_rent' is categorical; for encoded data every column is a "
            "number");
}

TEST_F(LoadModel, SaysWhichOptionsAreForEncodedData) {
  const std::string rule =
      "a box or frozen immutables are for encoded data; otherwise the schema says them";
  LoadModelOptions box;
  box.box = Interval{0, 1};
  EXPECT_EQ(failure<InvalidArgument>(record_file(), box), rule);
  LoadModelOptions frozen;
  frozen.freeze_immutable = true;
  EXPECT_EQ(failure<InvalidArgument>(record_file(), frozen), rule);
}

TEST_F(LoadModel, SaysWhichKindOfDataAFileIsFor) {
  EXPECT_THAT(failure<ModelError>(encoded_file().dump()),
              EndsWith("model.json: 'encoding' is missing, so this model takes encoded columns; "
                       "give encoded data, or train a model from records"));
  Json nameless = encoded_file();
  nameless.erase("feature_names");
  EXPECT_THAT(failure<ModelError>(nameless.dump(), encoded()),
              EndsWith("model.json: 'feature_names' is missing; encoded data are matched by column "
                       "name"));
}

TEST_F(LoadModel, SaysWhatIsWrongWithAFile) {
  EXPECT_THAT(message_of<IoError>([&] { return load_model(folder_ / "none.json"); }),
              HasSubstr("none.json: cannot open: No such file or directory"));
  EXPECT_THAT(message_of<IoError>([&] { return load_model(folder_); }),
              EndsWith("is a directory, not a file"));
  const std::string text = record_file();
  EXPECT_THAT(failure<ModelError>(text.substr(0, text.size() / 2)),
              HasSubstr("model.json: parse error at line 1, column "));
  Json broken = encoded_file();
  broken["layers"][0]["weight"][0][1] = nullptr;
  EXPECT_THAT(failure<ModelError>(broken.dump(), encoded()),
              EndsWith("layers[0].weight[0][1] is null; weights must be finite numbers"));
  Json narrow = encoded_file();
  narrow["layers"][0]["weight"][0].erase(0);
  EXPECT_THAT(failure<ModelError>(narrow.dump(), encoded()),
              EndsWith("'feature_names' has 5 names; the first layer takes 4 inputs"));
  Json mismatch = Json::parse(record_file());
  mismatch.erase("feature_names");
  mismatch["layers"][0]["weight"][0].erase(0);
  EXPECT_THAT(failure<ModelError>(mismatch.dump()),
              EndsWith("model.json: the model takes 4 columns; its encoding has 5"));
  Json encoding = Json::parse(record_file());
  encoding["encoding"].erase("schema");
  EXPECT_THAT(failure<DataError>(encoding.dump()), HasSubstr("model.json"));
}

/// People for the golden model of XGBoost; the label is not among the features.
TrainingData training() {
  TrainingData out;
  for (const char* name : {"amount", "months", "share", "balance", "own_home"}) {
    out.schema.features.push_back({.name = name});
  }
  out.rows = parse_csv(
      "own_home,amount,months,share,balance\n"
      "1,3000,36,0.3,-200\n0,1500,60,0.1,0\n1,12000,10,0.9,800\n",
      "train.csv");
  return out;
}

std::filesystem::path golden_model() {
  return std::filesystem::path(CROCO_GOLDEN_DIR) / "trees" / "xgb_numbers.json";
}

TEST(LoadForeignModel, TakesUnitsFromTheTrainingData) {
  LoadModelOptions options;
  options.training = training;
  const LoadedModel loaded = load_model(golden_model(), options);
  EXPECT_EQ(loaded.codec.width(), 5U);
  EXPECT_EQ(loaded.codec.encoding(), NumberEncoding::exact);
  EXPECT_EQ(loaded.codec.unit_of(0), 8192);
  EXPECT_EQ(loaded.codec.span_of(0), 10'500.0 / 8192);
  ASSERT_TRUE(loaded.examples);
  EXPECT_EQ(loaded.examples->count(), 3U);
  // The same answers as with the model's own columns.
  const LoadedModel raw = load_model(golden_model(), encoded());
  const Vector own{3000, 36, 0.3, -200, 1};
  EXPECT_EQ(raw.codec.column_names()[0], "amount");
  EXPECT_EQ(loaded.model->logit((*loaded.examples)[0]), raw.model->logit(own));
}

TEST(LoadForeignModel, ColumnsInMemoryAreAsGoodAsText) {
  LoadModelOptions text;
  text.training = training;
  LoadModelOptions columns;
  columns.training = [] {
    return TrainingData{training().schema,
                        DataFrame{.source = "train",
                                  .columns = {{"own_home", NumberColumn{{1, 0, 1}}},
                                              {"amount", NumberColumn{{3000, 1500, 12000}}},
                                              {"months", NumberColumn{{36, 60, 10}}},
                                              {"share", NumberColumn{{0.3, 0.1, 0.9}}},
                                              {"balance", NumberColumn{{-200, 0, 800}}}}}};
  };
  const LoadedModel a = load_model(golden_model(), text);
  const LoadedModel b = load_model(golden_model(), columns);
  EXPECT_EQ(a.codec.json(), b.codec.json());
  EXPECT_EQ(a.examples->data, b.examples->data);
  EXPECT_EQ(a.fingerprint, b.fingerprint);
}

TEST(LoadModelBytes, AreThoseOfTheFile) {
  LoadModelOptions options;
  options.training = training;
  const std::string bytes = read_file(golden_model(), 1 << 20);
  const LoadedModel loaded = load_model_bytes(bytes, "in memory", options);
  EXPECT_EQ(loaded.fingerprint, load_model(golden_model(), options).fingerprint);
  EXPECT_EQ(loaded.source, "in memory");
  EXPECT_EQ(message_of<ModelError>([] { return load_model_bytes("", "in memory"); }),
            "in memory: the file is empty; it must be a model of croco, ONNX, XGBoost, LightGBM or "
            "CatBoost");
  EXPECT_THAT(message_of<ModelError>([] { return load_model_bytes("{\"a\": 1}", "in memory"); }),
              HasSubstr("in memory"));
}

TEST(LoadForeignModel, AskedForASchemaOfItsOwnItTakesThat) {
  LoadModelOptions options;
  options.training = training;
  options.schema = training().schema;
  options.schema->features[1].movement = Movement::fixed;
  EXPECT_FALSE(load_model(golden_model(), options).codec.space().movable(1));
}

TEST(LoadForeignModel, NeedsTrainingData) {
  EXPECT_THAT(message_of<ModelError>([] { return load_model(golden_model()); }),
              HasSubstr("xgb_numbers.json: XGBoost does not save what its columns mean to people; "
                        "a schema and the data that the model was trained on are needed"));
  LoadModelOptions options;
  options.training = training;
  options.freeze_immutable = true;
  EXPECT_THAT(message_of<InvalidArgument>([&] { return load_model(golden_model(), options); }),
              HasSubstr("for encoded data"));
}

TEST(LoadForeignModel, AcceptedExamplesAreStartingPoints) {
  LoadModelOptions options;
  options.training = training;
  const LoadedModel loaded = load_model(golden_model(), options);
  const auto donors = accepted_examples(loaded, Goal());
  ASSERT_TRUE(donors);
  EXPECT_LT(donors->count(), 3U);
  for (std::size_t i = 0; i < donors->count(); ++i) EXPECT_GT(loaded.model->logit((*donors)[i]), 0);
  EXPECT_EQ(accepted_examples(loaded, Goal(), 1)->count(), 1U);
  EXPECT_EQ(accepted_examples(load_model(golden_model(), encoded()), Goal()), nullptr);
}

}  // namespace
}  // namespace croco
