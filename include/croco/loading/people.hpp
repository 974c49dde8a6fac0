// SPDX-License-Identifier: Apache-2.0
/// The people that are asked about, and how rows of a table become people.
///
///     const auto people = croco::read_people("people.csv", model.codec.schema());
///     const croco::Person one{.row = 0, .record = {"1200", "rent"}};
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/data/csv.hpp>
#include <croco/data/data_frame.hpp>
#include <croco/data/schema.hpp>

namespace croco {

/// Columns of the data that are no features and go with a person into every report: names and
/// values.
using KeptColumns = std::vector<std::pair<std::string, std::string>>;

/// A row of the input.
struct Person {
  std::size_t row = 0;     ///< 0-based index in the input
  std::string where = {};  ///< "people.csv, line 7"
  Record record = {};
  std::string problem = {};  ///< when not empty: why the row could not be read
  KeptColumns kept = {};
};

/// The rows `begin .. end - 1` of a table; one that cannot be read says so in its `problem`. The
/// columns `kept` go with them; of those, what the table lacks is left out. Throws DataError when
/// the table lacks a column of the schema.
[[nodiscard]] CROCO_EXPORT std::vector<Person> read_people(const CsvTable& table,
                                                           const Schema& schema, std::size_t begin,
                                                           std::size_t end,
                                                           std::span<const std::string> kept = {});

/// The same for every row of a CSV file. Throws IoError or DataError.
[[nodiscard]] CROCO_EXPORT std::vector<Person> read_people(const std::filesystem::path& path,
                                                           const Schema& schema,
                                                           std::span<const std::string> kept = {});
/// The same for every row of a data frame; `row` is the place in it.
[[nodiscard]] CROCO_EXPORT std::vector<Person> read_people(const DataFrame& frame,
                                                           const Schema& schema);

/// How messages name a person: the place in the file, or else "row 7".
[[nodiscard]] CROCO_EXPORT std::string place_of(const Person& person);

}  // namespace croco
