// SPDX-License-Identifier: Apache-2.0
// Rows to look at what a graph answers.
#include <algorithm>
#include <array>

#include <croco/base/random.hpp>
#include <croco/models/onnx/graph.hpp>

namespace croco::onnx {
namespace {

/// Examples that are enough to see what a graph answers.
constexpr std::size_t kMostExamples = 512;
/// Made-up rows for each of the reaches, in units of the columns.
constexpr std::size_t kMadeUp = 16;
constexpr std::array<double, 3> kReaches = {1.0, 30.0, 1000.0};

std::size_t examples_of(const SourceColumns& source) {
  return source.examples ? source.examples->count() : 0;
}

}  // namespace

Matrix usual_rows(const SourceColumns& source) {
  Matrix out = sample_rows(source);
  const std::size_t examples = std::min(examples_of(source), kMostExamples);
  out.data.resize((examples > 0 ? examples : kMadeUp) * source.width);
  return out;
}

Matrix sample_rows(const SourceColumns& source) {
  Matrix out(0, source.width);
  const std::size_t examples = examples_of(source);
  const std::size_t taken = std::min(examples, kMostExamples);
  for (std::size_t i = 0; i < taken; ++i) out.append((*source.examples)[i * examples / taken]);
  Sequence random({.seed = 0, .purpose = Purpose::train, .item = Stream::kShared});
  for (const double reach : kReaches) {
    for (std::size_t i = 0; i < kMadeUp; ++i) {
      Vector row(source.width, 0.0);
      for (const SourceColumn& column : source.columns) {
        if (column.categorical()) {
          row[column.column + random.below(static_cast<std::uint32_t>(column.levels.size()))] = 1;
        } else {
          row[column.column] = reach * (2 * random.uniform() - 1);
        }
      }
      out.append(row);
    }
  }
  return out;
}

}  // namespace croco::onnx
