// SPDX-License-Identifier: Apache-2.0
/// Encoded rows with their labels: what training and evaluation of a model need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/csv.hpp>

namespace croco {

/// Rows of the encoded space and their classes.
struct Dataset {
  Matrix points;
  std::vector<std::uint8_t> labels;  ///< 1 is the favourable class
  std::size_t dropped = 0;           ///< rows left out under MissingPolicy::drop
};

/// Encodes every row. Throws DataError for a bad row (naming line and column), for a label value
/// that the schema does not know, and when only one class is left.
[[nodiscard]] Dataset encode_dataset(const CsvTable& table, const Codec& codec,
                                     MissingPolicy missing = MissingPolicy::error);

}  // namespace croco
