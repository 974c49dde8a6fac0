// SPDX-License-Identifier: Apache-2.0
/// A first schema, read from the values of a data set, for people to correct.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <croco/data/csv.hpp>
#include <croco/data/schema.hpp>

namespace croco {

struct InferOptions {
  std::string label{};          ///< the label column; empty when the data have none
  std::string favourable{};     ///< which of its values is the good one; see infer_label when empty
  std::size_t max_levels = 20;  ///< a category with more levels than this earns a note
};

/// What inference saw of a column, for the table that `croco inspect` prints.
struct ColumnSummary {
  std::size_t distinct = 0;  ///< without missing values
  std::size_t missing = 0;
  double minimum = 0.0;  ///< numeric only, as the next two
  double median = 0.0;
  double maximum = 0.0;
};

struct Inference {
  Schema schema;
  std::vector<ColumnSummary> columns;  ///< one per feature
  std::vector<std::string> notes;      ///< what was guessed or looks odd, a sentence each
};

/// Reads the meaning of the columns from their values. A column is numeric when each of its values
/// is a finite number (also one with a currency, commas between thousands or a percent sign, which
/// becomes its unit), in steps of its last decimal when it has at most two, over the range that the
/// data span, without values that look like codes for "unknown"; anything else is a category, which
/// is fixed. Columns named like what nobody can change or advice should not touch (age, sex, race,
/// religion and the like) are fixed and marked so. Columns without any value, without a name, with
/// dates, and those that identify the rows are left out. Each of these comes with a note. A schema
/// without a label serves to explain, not to train. Throws InvalidArgument for a favourable value
/// without a label or when it is not clear which value is favourable, and DataError when the label
/// column is missing or has not exactly two values, when there are no rows, and for columns of
/// numbers in a notation that is not read.
[[nodiscard]] Inference infer_schema(const CsvTable& table, const InferOptions& options);

}  // namespace croco
