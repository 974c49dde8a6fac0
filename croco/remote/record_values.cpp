// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/record_values.hpp>

#include <croco/space/levels.hpp>

namespace croco {

RecordColumns::RecordColumns(const Codec& codec) {
  const std::vector<Feature>& features = codec.schema().features;
  for (std::size_t f = 0; f < features.size(); ++f) {
    RecordColumn column{.name = features[f].name,
                        .group = {.first = codec.column_of(f), .count = 1}};
    if (features[f].type == FeatureType::categorical) {
      column.levels = features[f].levels;
      column.group.count = column.levels.size();
    } else {
      column.minimum = codec.origin_of(f);
      column.unit = codec.unit_of(f);
    }
    columns_.push_back(std::move(column));
  }
}

Matrix RecordColumns::values(Rows points) const {
  Matrix out(points.count(), columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const RecordColumn& column = columns_[c];
    // Encoded data mean themselves, to the last bit.
    const bool plain = column.minimum == 0 && column.unit == 1;
    const std::size_t j = column.group.first;
    for (std::size_t k = 0; k < points.count(); ++k) {
      double& value = out[k][c];
      if (column.categorical()) {
        value = static_cast<double>(level_at(column.group, points[k]));
      } else if (plain) {
        value = points[k][j];
      } else if (k > 0 && points[k][j] == points[k - 1][j]) {
        value = out[k - 1][c];  // columns without noise stay the same all along
      } else {
        value = column.minimum + column.unit * points[k][j];
      }
    }
  }
  return out;
}

}  // namespace croco
