// SPDX-License-Identifier: Apache-2.0
/// Encoded rows from all over a table, such as the training data of a model.
#pragma once

#include <variant>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/csv.hpp>
#include <croco/data/data_frame.hpp>

namespace croco {

/// At most 8,192 rows, evenly spread over the table, without those that miss values. Throws
/// DataError for a row that cannot be read.
[[nodiscard]] Matrix encoded_examples(const Codec& codec,
                                      const std::variant<CsvTable, DataFrame>& rows);

}  // namespace croco
