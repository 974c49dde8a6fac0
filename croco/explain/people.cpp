// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/people.hpp>

#include <utility>

#include <croco/base/error.hpp>
#include <croco/data/record_reader.hpp>

namespace croco {

std::vector<Person> read_people(const CsvTable& table, const Schema& schema, std::size_t begin,
                                std::size_t end) {
  const RecordReader reader(schema, table);
  std::vector<Person> people;
  people.reserve(end - begin);
  for (std::size_t row = begin; row < end; ++row) {
    Person person{.row = row, .where = reader.where(table.rows[row]), .record = {}, .problem = {}};
    try {
      person.record = reader.read(table.rows[row]);
    } catch (const DataError& error) {
      person.problem = error.what();
    }
    people.push_back(std::move(person));
  }
  return people;
}

}  // namespace croco
