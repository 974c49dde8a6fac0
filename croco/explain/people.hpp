// SPDX-License-Identifier: Apache-2.0
/// From the rows of a table to people.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <croco/data/csv.hpp>
#include <croco/data/schema.hpp>
#include <croco/explain/explanation.hpp>

namespace croco {

/// The rows `begin .. end - 1` of a table; one that cannot be read says so in its `problem`. The
/// columns `kept` go with them; of those, what the table lacks is left out. Throws DataError when
/// the table lacks a column of the schema.
[[nodiscard]] std::vector<Person> read_people(const CsvTable& table, const Schema& schema,
                                              std::size_t begin, std::size_t end,
                                              std::span<const std::string> kept = {});

/// How messages name a person: the place in the file, or else "row 7".
[[nodiscard]] std::string place_of(const Person& person);

}  // namespace croco
