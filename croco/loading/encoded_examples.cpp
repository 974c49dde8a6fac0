// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/encoded_examples.hpp>

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include <croco/data/record_reader.hpp>

namespace croco {
namespace {

/// Rows from all over the training data, without those that miss values.
class Examples {
 public:
  explicit Examples(const Codec& codec) : codec_(codec) {}

  Matrix operator()(const CsvTable& table) const {
    const RecordReader reader(codec_.schema(), table);
    return encoded(table.rows.size(), [&](std::size_t row) {
      return codec_.encode(reader.read(table.rows[row]), reader.where(table.rows[row]));
    });
  }
  Matrix operator()(const DataFrame& frame) const {
    return encoded(frame.rows(), [&](std::size_t row) {
      return codec_.encode(record_of(frame, codec_.schema(), row),
                           fmt::format("{}, row {}", frame.source, row));
    });
  }

 private:
  [[nodiscard]] Matrix encoded(std::size_t rows,
                               const std::function<Vector(std::size_t)>& point) const {
    constexpr std::size_t kMost = 8192;
    const std::size_t taken = std::min(kMost, rows);
    Matrix points(0, codec_.width());
    for (std::size_t i = 0; i < taken; ++i) {
      try {
        points.append(point(i * rows / taken));
      } catch (const MissingValue&) {
        continue;
      }
    }
    return points;
  }

  const Codec& codec_;
};

}  // namespace

Matrix encoded_examples(const Codec& codec, const std::variant<CsvTable, DataFrame>& rows) {
  return std::visit(Examples(codec), rows);
}

}  // namespace croco
