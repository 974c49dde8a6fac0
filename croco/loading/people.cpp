// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/people.hpp>

#include <fmt/format.h>

#include <croco/data/record_reader.hpp>
#include <croco/loading/people_stream.hpp>

namespace croco {

std::vector<Person> read_people(const CsvTable& table, const Schema& schema, std::size_t begin,
                                std::size_t end, std::span<const std::string> kept) {
  const RecordReader reader(schema, table);
  std::vector<Person> people;
  people.reserve(end - begin);
  for (std::size_t row = begin; row < end; ++row) {
    people.push_back(read_person(reader, table, table.rows[row], row, kept));
  }
  return people;
}

std::vector<Person> read_people(const std::filesystem::path& path, const Schema& schema,
                                std::span<const std::string> kept) {
  const CsvTable table = read_csv(path);
  return read_people(table, schema, 0, table.rows.size(), kept);
}

std::vector<Person> read_people(const DataFrame& frame, const Schema& schema) {
  validate(frame);
  std::vector<Person> people(frame.rows());
  for (std::size_t row = 0; row < people.size(); ++row) {
    people[row].row = row;
    people[row].where = fmt::format("{}, row {}", frame.source, row);
    people[row].record = record_of(frame, schema, row);
  }
  return people;
}

std::string place_of(const Person& person) {
  return person.where.empty() ? fmt::format("row {}", person.row) : person.where;
}

}  // namespace croco
