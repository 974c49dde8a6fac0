// SPDX-License-Identifier: Apache-2.0
/// The people of a run, some at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <croco/data/record_reader.hpp>
#include <croco/data/row_source.hpp>
#include <croco/loading/people.hpp>

namespace croco {

/// The rows `begin .. end - 1` of a source, as `read_people` reads them from a table.
class PeopleStream {
 public:
  /// Throws DataError when the source lacks a column of the schema.
  PeopleStream(const RowSource& source, const Schema& schema, std::size_t begin, std::size_t end,
               std::span<const std::string> kept = {});

  /// The next `count` people; fewer, and then none, at the end.
  [[nodiscard]] std::vector<Person> next(std::size_t count);

 private:
  std::unique_ptr<CsvReader> rows_;
  RecordReader reader_;
  std::vector<std::string> kept_;
  std::size_t at_ = 0;
  std::size_t end_;
};

/// The person of one row of a table, which may hold no other rows. A row that cannot be read says
/// so in `problem`.
[[nodiscard]] Person read_person(const RecordReader& reader, const CsvTable& table,
                                 const CsvRow& row, std::size_t index,
                                 std::span<const std::string> kept);

}  // namespace croco
