// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/people_stream.hpp>

#include <algorithm>
#include <utility>

#include <croco/base/error.hpp>

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

Person read_person(const RecordReader& reader, const CsvTable& table, const CsvRow& row,
                   std::size_t index, std::span<const std::string> kept) {
  Person person{.row = index,
                .where = reader.where(row),
                .record = {},
                .problem = {},
                .kept = kept_of(table, row, kept)};
  try {
    person.record = reader.read(row);
  } catch (const DataError& error) {
    person.problem = error.what();
  }
  return person;
}

PeopleStream::PeopleStream(const RowSource& source, const Schema& schema, std::size_t begin,
                           std::size_t end, std::span<const std::string> kept)
    : rows_(source.read()),
      reader_(schema, rows_->table()),
      kept_(kept.begin(), kept.end()),
      end_(end) {
  for (CsvRow row; at_ < std::min(begin, end) && rows_->next(row);) ++at_;
}

std::vector<Person> PeopleStream::next(std::size_t count) {
  std::vector<Person> out;
  for (CsvRow row; out.size() < count && at_ < end_ && rows_->next(row); ++at_) {
    out.push_back(read_person(reader_, rows_->table(), row, at_, kept_));
  }
  return out;
}

}  // namespace croco
