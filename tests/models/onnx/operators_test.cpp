// SPDX-License-Identifier: Apache-2.0
// Every operator in a graph of its own, against onnxruntime.
#include <croco/models/onnx/operators.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <croco/models/graph/plane_model.hpp>
#include <croco/models/onnx/model.hpp>
#include <tests/fixtures.hpp>
#include <tests/golden.hpp>

namespace croco::onnx {
namespace {

std::string from_hex(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return out;
}

SourceColumns four_columns() {
  SourceColumns out{.width = 4, .columns = {}, .favourable = {}};
  for (std::size_t j = 0; j < 4; ++j) {
    out.columns.push_back({.name = "c" + std::to_string(j), .column = j});
  }
  return out;
}

/// A category of numbers, as a code in an input.
SourceColumns one_category() {
  SourceColumns out{.width = 3, .columns = {}, .favourable = {}};
  out.columns.push_back({.name = "code", .column = 0, .levels = {"0", "1", "2"}});
  return out;
}

TEST(OnnxOperators, AgreeWithOnnxruntime) {
  const Matrix rows = golden::matrix(golden::list("onnx_operators", "rows"));
  for (const golden::Json& value : golden::list("onnx_operators", "cases")) {
    const std::string name = value.at("name");
    const File file = parse_onnx(from_hex(value.at("model")), name);
    const CompiledModel bound = make_model(file, four_columns(), name);
    const Vector expected = golden::vector(value.at("logits"));
    Vector logits(rows.count());
    bound.model->logits(rows.rows(), logits);
    for (std::size_t k = 0; k < logits.size(); ++k) {
      ASSERT_NEAR(logits[k], expected[k], 1e-5 * std::max(1.0, std::abs(expected[k])))
          << name << ", row " << k;
    }
  }
}

TEST(OnnxOperators, GradientsAreCentralDifferences) {
  const Matrix rows = golden::matrix(golden::list("onnx_operators", "rows"));
  std::size_t smooth = 0;
  for (const golden::Json& value : golden::list("onnx_operators", "cases")) {
    const std::string name = value.at("name");
    const CompiledModel bound =
        make_model(parse_onnx(from_hex(value.at("model")), name), four_columns(), name);
    const Gradient* gradient = bound.model->gradient();
    if (gradient == nullptr) continue;
    ++smooth;
    for (std::size_t k = 0; k < rows.count(); ++k) {
      Vector point(rows[k].begin(), rows[k].end());
      for (double& number : point) number += 0.00137;  // no kink has so many digits
      Vector found(4);
      gradient->logit_gradient(point, found);
      // Graphs that jump are rounded to single precision all along; so are their differences.
      const auto* planes = dynamic_cast<const PlaneModel*>(bound.model.get());
      const bool rounded = planes != nullptr && planes->by_rows();
      const Vector expected = fixtures::central_difference(
          [&](View at) { return bound.model->logit(at); }, point, rounded ? 1e-3 : 1e-6);
      const double slack = rounded ? 5e-4 : 1e-4;
      for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_NEAR(found[j], expected[j], slack * std::max(1.0, std::abs(expected[j])))
            << name << ", row " << k << ", column " << j;
      }
    }
  }
  EXPECT_GE(smooth, 35U);
}

TEST(OnnxOperators, AreFoundByDomainAndName) {
  EXPECT_NE(find_operator("", "Gemm"), nullptr);
  EXPECT_NE(find_operator(kTableDomain, "Scaler"), nullptr);
  EXPECT_EQ(find_operator("", "Scaler"), nullptr);
  EXPECT_EQ(find_operator("com.example", "Gemm"), nullptr);
}

TEST(OnnxOperators, CodesOfACategoryAreWeightsOfItsLevels) {
  // Rows of a table by a code, summed: an embedding.
  File file;
  file.ir_version = 8;
  file.opsets = {{"", 17}};
  file.inputs = {{"code", ElementType::integer, true, {kOpenDimension, 1}}};
  file.outputs = {{"score", ElementType::floating, true, {kOpenDimension, 1}}};
  file.initializers = {{"table", ElementType::floating, {3, 2}, {1, 2, 10, 20, 100, 200}, {}},
                       {"axes", ElementType::integer, {1}, {2}, {}}};
  file.nodes = {
      {.name = "embed", .op = "Gather", .inputs = {"table", "code"}, .outputs = {"rows"}},
      {.name = "sum", .op = "ReduceSum", .inputs = {"rows", "axes"}, .outputs = {"score"}}};
  file.nodes[1].attributes = {{.name = "keepdims", .i = 0}};
  const CompiledModel bound = make_model(file, one_category(), "embedding");
  EXPECT_EQ(bound.model->logit(Vector{1, 0, 0}), 3);
  EXPECT_EQ(bound.model->logit(Vector{0, 1, 0}), 30);
  EXPECT_EQ(bound.model->logit(Vector{0, 0, 1}), 300);
  // Linear in the one-hot columns, so that a network behind it is a network.
  EXPECT_NE(dynamic_cast<const Mlp*>(bound.model.get()), nullptr);
}

}  // namespace
}  // namespace croco::onnx
