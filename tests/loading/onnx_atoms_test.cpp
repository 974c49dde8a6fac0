// SPDX-License-Identifier: Apache-2.0
// Rows on thresholds and next to them, through a schema whose ranges begin below 0 and have odd
// lengths: written as text, read back, and decided as onnxruntime and scikit-learn decide about the
// numbers themselves. `threshold_atoms_test` does the same for files of boosted trees.
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <croco/base/numbers.hpp>
#include <croco/base/random.hpp>
#include <croco/loading/loaded_model.hpp>
#include <tests/golden.hpp>

namespace croco {
namespace {

std::string path_of(const std::string& file) {
  return std::string(CROCO_GOLDEN_DIR) + "/onnx/" + file;
}

/// Ranges that no power of two divides, each beginning below all values of the rows.
TrainingData shifted(std::size_t width, const std::string& favourable, double begin) {
  TrainingData out;
  std::string header = "label";
  std::string low = favourable;
  std::string high = "other";
  for (std::size_t j = 0; j < width; ++j) {
    out.schema.features.push_back({.name = fmt::format("c{}", j)});
    header += fmt::format(",c{}", j);
    low += fmt::format(",{}", begin - static_cast<double>(j));
    high += fmt::format(",{}", 1013.45 * static_cast<double>(j + 1) / 3);
  }
  out.schema.label = {.name = "label", .favourable = favourable, .unfavourable = "other"};
  out.rows = parse_csv(header + "\n" + low + "\n" + high + "\n", "train.csv");
  return out;
}

LoadedModel load(const std::string& file, std::size_t width, const std::string& favourable,
                 double begin = -987.3) {
  const std::set<std::string> decided_by_label = {"label_svc_probability.onnx", "label_moved.onnx",
                                                  "label_cut.onnx"};
  LoadModelOptions options;
  options.training = [=] { return shifted(width, favourable, begin); };
  if (decided_by_label.contains(file)) options.score.decided_by = DecidedBy::label;
  return load_model(path_of(file), options);
}

Record text_of(View row) {
  Record out;
  for (const double value : row) out.push_back(format_number(value));
  return out;
}

TEST(OnnxAtoms, AreDecidedAsTheRuntimeDecides) {
  std::size_t files = 0;
  for (const golden::Json& known : golden::list("onnx_labels", "cases")) {
    const std::string file = known.at("file");
    const std::string favourable = known.at("favourable");
    const Matrix rows = golden::matrix(known.at("rows"));
    const LoadedModel loaded = load(file, rows[0].size(), favourable);
    std::size_t clear = 0;
    for (std::size_t k = 0; k < rows.count(); ++k) {
      const double logit = loaded.model->logit(loaded.codec.encode(text_of(rows[k]), "here"));
      if (!(std::abs(logit) > loaded.model->tolerance(0.5))) continue;
      ++clear;
      EXPECT_EQ(logit > 0, known.at("labels").at(k) == favourable) << file << ", row " << k;
    }
    EXPECT_GE(static_cast<double>(clear), 0.9 * static_cast<double>(rows.count())) << file;
    ++files;
  }
  EXPECT_EQ(files, 17U);
}

/// Where the range begins is the schema's business, and no part of the model.
TEST(OnnxAtoms, ScoreTheSameWhereverTheRangeBegins) {
  for (const golden::Json& known : golden::list("onnx_labels", "cases")) {
    const std::string file = known.at("file");
    const Matrix rows = golden::matrix(known.at("rows"));
    const LoadedModel one = load(file, rows[0].size(), known.at("favourable"));
    const LoadedModel other = load(file, rows[0].size(), known.at("favourable"), -73.6);
    Sequence random({11, Purpose::train, 0});
    const auto any = [&] { return random.below(static_cast<std::uint32_t>(rows.count())); };
    for (int k = 0; k < 300; ++k) {
      // Each value is one of its column: thresholds, their neighbours and ordinary ones, mixed.
      Vector row;
      for (std::size_t j = 0; j < rows[0].size(); ++j) row.push_back(rows[any()][j]);
      const Record record = text_of(row);
      ASSERT_EQ(one.model->logit(one.codec.encode(record, "here")),
                other.model->logit(other.codec.encode(record, "here")))
          << file << ": " << fmt::format("{}, {}, {}, {}", row[0], row[1], row[2], row[3]);
    }
  }
}

/// A recommended record is read back as the point that was certified, however often it is written.
TEST(OnnxAtoms, RecommendedRecordsAreFixedPoints) {
  for (const golden::Json& known : golden::list("onnx_labels", "cases")) {
    const std::string file = known.at("file");
    const Matrix rows = golden::matrix(known.at("rows"));
    const LoadedModel loaded = load(file, rows[0].size(), known.at("favourable"));
    for (std::size_t k = 0; k < rows.count(); ++k) {
      const Record recommended = loaded.codec.decode(loaded.codec.encode(text_of(rows[k]), "here"));
      const Vector certified = loaded.codec.encode(recommended, "here");
      ASSERT_EQ(loaded.codec.decode(certified), recommended) << file << ", row " << k;
    }
  }
}

}  // namespace
}  // namespace croco
