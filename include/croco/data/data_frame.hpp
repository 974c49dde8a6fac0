// SPDX-License-Identifier: Apache-2.0
/// A table in memory, by columns: what another program's data frame holds, without a detour through
/// text.
///
///     croco::DataFrame frame{.source = "applicants"};
///     frame.columns.push_back({"income", croco::NumberColumn{{1200, 3400, 950}}});
///     frame.columns.push_back({"housing", croco::LevelColumn{{"own", "rent"}, {0, 1, 1}}});
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/data/schema.hpp>

namespace croco {

/// NaN is a missing value.
struct NumberColumn {
  std::vector<double> values;
};

/// Texts by their places among the levels; -1 is a missing value.
struct LevelColumn {
  std::vector<std::string> levels;
  std::vector<std::int32_t> codes;
};

struct CROCO_EXPORT DataColumn {
  std::string name;
  std::variant<NumberColumn, LevelColumn> values;

  [[nodiscard]] std::size_t size() const noexcept;
};

struct CROCO_EXPORT DataFrame {
  std::string source = "the data";  ///< how messages name it
  std::vector<DataColumn> columns = {};

  [[nodiscard]] std::size_t rows() const noexcept;
  /// Throws DataError naming the column, when it is not there.
  [[nodiscard]] const DataColumn& column(const std::string& name) const;
};

/// Throws DataError when columns differ in length, share a name or have codes without a level.
CROCO_EXPORT void validate(const DataFrame& frame);

/// A row as a record of the schema: numbers with the digits that read back as the same number,
/// missing values as empty texts. Throws DataError when the frame lacks a feature.
[[nodiscard]] CROCO_EXPORT Record record_of(const DataFrame& frame, const Schema& schema,
                                            std::size_t row);

}  // namespace croco
