// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/people.hpp>

#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/data/record_reader.hpp>

namespace croco {

namespace {

KeptColumns kept_of(const CsvTable& table, const CsvRow& row, std::span<const std::string> names) {
  KeptColumns out;
  for (const std::string& name : names) {
    const auto column = table.find(name);
    if (!column) continue;
    // A row that is too short has an answer too: that it cannot be read.
    out.emplace_back(name, *column < row.fields.size() ? row.fields[*column] : std::string());
  }
  return out;
}

}  // namespace

std::vector<Person> read_people(const CsvTable& table, const Schema& schema, std::size_t begin,
                                std::size_t end, std::span<const std::string> kept) {
  const RecordReader reader(schema, table);
  std::vector<Person> people;
  people.reserve(end - begin);
  for (std::size_t row = begin; row < end; ++row) {
    Person person{.row = row,
                  .where = reader.where(table.rows[row]),
                  .record = {},
                  .problem = {},
                  .kept = kept_of(table, table.rows[row], kept)};
    try {
      person.record = reader.read(table.rows[row]);
    } catch (const DataError& error) {
      person.problem = error.what();
    }
    people.push_back(std::move(person));
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
