// SPDX-License-Identifier: Apache-2.0
/// Rows of records as the texts that other programs read.
#pragma once

#include <string>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/remote/record_values.hpp>

namespace croco {

/// Writes rows of values (`RecordColumns::values`), numbers as the shortest text that reads back as
/// the same double. NaN is a missing value: an empty field of CSV, null in JSON. Immutable.
class RowText {
 public:
  /// `name,name,...` and then `value,value,...`, each with a line feed. Throws ModelError for a
  /// name or a level with a line break, which would end a row.
  [[nodiscard]] static RowText csv(const RecordColumns& columns);
  /// `[value,value,...]`, with commas between the rows.
  [[nodiscard]] static RowText json_arrays(const RecordColumns& columns);
  /// `{"name":value,...}`, with commas between the rows.
  [[nodiscard]] static RowText json_objects(const RecordColumns& columns);

  /// The names: a line of CSV, or an array of JSON.
  [[nodiscard]] const std::string& header() const noexcept { return header_; }
  void append(Rows values, std::string& out) const;

 private:
  struct Field {
    std::string before;               ///< what stands before the value
    std::vector<std::string> levels;  ///< of a category: the value itself, by its place
  };

  std::string header_;
  std::vector<Field> fields_;
  std::string missing_;  ///< what stands for a missing value
  std::string after_row_;
  std::string between_rows_;
};

}  // namespace croco
