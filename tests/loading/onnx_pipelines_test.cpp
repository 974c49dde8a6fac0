// SPDX-License-Identifier: Apache-2.0
// Pipelines of scikit-learn, exported with their preparation of columns, on the records of German
// Credit: the scores are scikit-learn's.
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/data/catalog.hpp>
#include <croco/data/record_reader.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/models/graph/plane_model.hpp>
#include <croco/models/network/mlp.hpp>
#include <tests/fixtures.hpp>
#include <tests/golden.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

const CsvTable& german() {
  static const CsvTable table = load_dataset(*find_entry("german"), {});
  return table;
}

LoadModelOptions on_german(Schema schema = catalog_schema(*find_entry("german"))) {
  LoadModelOptions options;
  options.training = [schema] { return TrainingData{schema, german()}; };
  options.score.decided_by = DecidedBy::probability;
  return options;
}

std::string path_of(const std::string& file) {
  return std::string(CROCO_GOLDEN_DIR) + "/onnx/" + file;
}

Vector logits_of(const LoadedModel& loaded, std::size_t count) {
  const RecordReader reader(loaded.codec.schema(), german());
  Matrix points(0, loaded.codec.width());
  for (std::size_t k = 0; k < count; ++k) {
    const CsvRow& row = german().rows[k];
    points.append(loaded.codec.encode(reader.read(row), reader.where(row)));
  }
  Vector logits(count);
  loaded.model->logits(points.rows(), logits);
  return logits;
}

std::vector<golden::Json> cases() {
  std::vector<golden::Json> out;
  for (const auto& value : golden::list("onnx_models", "cases")) {
    if (value.contains("data")) out.push_back(value);
  }
  return out;
}

TEST(OnnxPipelines, ScoresAreThoseOfScikitLearn) {
  ASSERT_GE(cases().size(), 6U);
  for (const golden::Json& value : cases()) {
    const std::string file = value.at("file");
    const LoadedModel loaded = load_model(path_of(file), on_german());
    const Vector expected = golden::vector(value.at("scores"));
    const Vector logits = logits_of(loaded, expected.size());
    for (std::size_t k = 0; k < logits.size(); ++k) {
      ASSERT_NEAR(sigmoid(logits[k]), expected[k], 1e-5) << file << ", row " << k;
    }
  }
}

TEST(OnnxPipelines, PreparationIsFoldedIntoTheNetwork) {
  const LoadedModel network = load_model(path_of("sklearn_mlp.onnx"), on_german());
  const auto* mlp = dynamic_cast<const Mlp*>(network.model.get());
  ASSERT_NE(mlp, nullptr);
  EXPECT_EQ(mlp->layers().size(), 2U);
  EXPECT_EQ(mlp->layers()[0].outputs, 16U);
  EXPECT_EQ(mlp->width(), network.codec.width());
  const LoadedModel linear = load_model(path_of("sklearn_logistic.onnx"), on_german());
  mlp = dynamic_cast<const Mlp*>(linear.model.get());
  ASSERT_NE(mlp, nullptr);
  EXPECT_EQ(mlp->layers().size(), 1U);
}

TEST(OnnxPipelines, SupportVectorMachinesHaveGradients) {
  for (const char* file : {"sklearn_svc.onnx", "sklearn_svc_poly.onnx"}) {
    const LoadedModel loaded = load_model(path_of(file), on_german());
    ASSERT_NE(loaded.model->gradient(), nullptr) << file;
    const RecordReader reader(loaded.codec.schema(), german());
    for (std::size_t k = 0; k < 5; ++k) {
      const CsvRow& row = german().rows[k];
      const Vector point = loaded.codec.encode(reader.read(row), reader.where(row));
      Vector found(point.size());
      loaded.model->gradient()->logit_gradient(point, found);
      // Sums of the polynomial kernel cancel: its scores have the roundings of single precision,
      // which differences over a short way would see.
      const bool rounded = std::string_view(file) == "sklearn_svc_poly.onnx";
      const Vector expected = fixtures::central_difference(
          [&](View at) { return loaded.model->logit(at); }, point, rounded ? 1e-2 : 1e-6);
      const double slack = rounded ? 2e-2 : 1e-4;
      for (std::size_t j = 0; j < found.size(); ++j) {
        EXPECT_NEAR(found[j], expected[j], slack * std::max(1.0, std::abs(expected[j])))
            << file << ", row " << k << ", column " << j;
      }
    }
  }
}

TEST(OnnxPipelines, TheFavourableLabelPicksTheClass) {
  const LoadedModel good = load_model(path_of("sklearn_mlp.onnx"), on_german());
  Schema schema = catalog_schema(*find_entry("german"));
  std::swap(schema.label.favourable, schema.label.unfavourable);
  const LoadedModel bad = load_model(path_of("sklearn_mlp.onnx"), on_german(schema));
  const Vector one = logits_of(good, 5);
  const Vector other = logits_of(bad, 5);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_DOUBLE_EQ(one[k], -other[k]);
  schema.label.favourable = "maybe";
  EXPECT_THAT(message_of<ModelError>(
                  [&] { return load_model(path_of("sklearn_mlp.onnx"), on_german(schema)); }),
              HasSubstr("classes are 'bad' and 'good'; the schema's favourable label is 'maybe'"));
}

TEST(OnnxPipelines, NamesInputsThatTheDataLack) {
  Schema schema = catalog_schema(*find_entry("german"));
  std::erase_if(schema.features, [](const Feature& feature) {
    return feature.name == "duration" || feature.name == "purpose";
  });
  EXPECT_THAT(message_of<ModelError>(
                  [&] { return load_model(path_of("sklearn_mlp.onnx"), on_german(schema)); }),
              HasSubstr("the model takes 'duration', 'purpose', which the schema does not have"));
  EXPECT_THAT(
      message_of<ModelError>([&] { return load_model(path_of("torch_relu.onnx"), on_german()); }),
      HasSubstr("the input 'x' takes 6 numbers; the schema has 20 features (7 numbers, 13 "
                "categories), which are 61 columns when encoded"));
}

TEST(OnnxPipelines, TypesOfColumnsHaveToFit) {
  Schema schema = catalog_schema(*find_entry("german"));
  for (Feature& feature : schema.features) {
    if (feature.name == "duration") {
      feature = {.name = "duration", .type = FeatureType::categorical, .levels = {"short", "long"}};
    }
  }
  LoadModelOptions options;
  options.training = [&] {
    CsvTable table = german();
    for (CsvRow& row : table.rows) row.fields[table.column("duration")] = "short";
    return TrainingData{schema, table};
  };
  EXPECT_THAT(
      message_of<ModelError>([&] { return load_model(path_of("sklearn_mlp.onnx"), options); }),
      HasSubstr("the input 'duration' takes numbers; the column 'duration' has the level 'short', "
                "which is none"));
}

TEST(OnnxPipelines, EncodedColumnsNeedNames) {
  EXPECT_THAT(
      message_of<ModelError>(
          [&] { return load_model(path_of("torch_relu.onnx"), {.encoded = true}); }),
      HasSubstr("ONNX saved no names of its columns; for encoded data a schema must name them"));
  const std::vector<std::string> names{"a", "b", "c", "d", "e", "f"};
  LoadModelOptions by_order{.encoded = true};
  by_order.columns = [&] { return names; };
  const LoadedModel ordered = load_model(path_of("torch_relu.onnx"), by_order);
  EXPECT_TRUE(ordered.columns_by_order);
  EXPECT_EQ(ordered.codec.column_names(), names);
  by_order.columns = [] { return std::vector<std::string>{"a", "b"}; };
  EXPECT_THAT(
      message_of<ModelError>([&] { return load_model(path_of("torch_relu.onnx"), by_order); }),
      HasSubstr("ONNX saved no names of its columns, of which it takes 6, and the data "
                "have 2; for encoded data a schema must name them, in order"));
  Schema schema;
  for (const std::string& name : names) schema.features.push_back({.name = name});
  const LoadedModel loaded =
      load_model(path_of("torch_relu.onnx"), {.schema = schema, .encoded = true});
  EXPECT_FALSE(loaded.columns_by_order);
  EXPECT_EQ(loaded.codec.width(), 6U);
  EXPECT_TRUE(std::isfinite(loaded.model->logit(Vector(6, 0.5))));
}

}  // namespace
}  // namespace croco
