// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/advice_stream.hpp>

#include <limits>
#include <utility>

#include <croco/base/error.hpp>
#include <croco/loading/people_stream.hpp>

namespace croco {

AdviceStream::AdviceStream(const RowSource& people, const RowSource& advised, const Schema& schema,
                           std::span<const std::string> kept, std::size_t first,
                           std::optional<std::size_t> end)
    : range_{first, end.value_or(std::numeric_limits<std::size_t>::max())},
      seen_(look(people, advised, schema, range_)),
      kept_(kept.begin(), kept.end()),
      people_(people.read()),
      advised_(advised.read()),
      rows_(advised_->table(), schema),
      before_(schema, people_->table()),
      after_(schema, rows_.table()) {}

AdviceStream::Seen AdviceStream::look(const RowSource& people, const RowSource& advised,
                                      const Schema& schema, Rows range) {
  Seen out;
  const std::unique_ptr<CsvReader> before = people.read();
  const std::unique_ptr<CsvReader> after = advised.read();
  const AdviceRows rows(after->table(), schema);
  for (CsvRow row; before->next(row);) ++out.people;
  if (out.people == 0) require_rows(before->table());
  static_cast<void>(RecordReader(schema, before->table()));
  static_cast<void>(RecordReader(schema, rows.table()));
  std::size_t place = 0;
  std::size_t last = 0;
  for (CsvRow row; after->next(row); ++place) {
    if (!rows.is_advice(row)) continue;
    const std::size_t person = rows.names_people() ? rows.person_of(row, out.people) : place;
    if (!range.contain(person)) continue;
    out.rising = out.rising && person >= last;
    last = person;
    ++out.pairs;
  }
  if (place == 0) require_rows(rows.table());
  if (!rows.names_people()) require_as_many(people.name(), out.people, advised.name(), place);
  return out;
}

bool AdviceStream::next_advice(CsvRow& row, std::size_t& place, std::size_t& person) {
  while (advised_->next(row)) {
    place = advice_at_++;
    if (!rows_.is_advice(row)) continue;
    person = rows_.names_people() ? rows_.person_of(row, seen_.people) : place;
    if (range_.contain(person)) return true;
  }
  return false;
}

const Person& AdviceStream::person_at(std::size_t index) {
  for (CsvRow row; people_at_ <= index || (!seen_.rising && people_at_ < seen_.people);
       ++people_at_) {
    if (!people_->next(row)) break;
    if (seen_.rising) read_.clear();
    if (seen_.rising && people_at_ < index) continue;  // nobody's advice
    read_.push_back(read_person(before_, people_->table(), row, people_at_, kept_));
  }
  return seen_.rising ? read_.back() : read_[index];
}

std::vector<AdvisedPerson> AdviceStream::next(std::size_t count) {
  std::vector<AdvisedPerson> out;
  std::size_t place = 0;
  std::size_t person = 0;
  for (CsvRow row; out.size() < count && next_advice(row, place, person);) {
    out.push_back({person_at(person), read_person(after_, rows_.table(), row, place, {})});
  }
  return out;
}

void AdviceStream::skip(std::size_t count) {
  std::size_t place = 0;
  std::size_t person = 0;
  for (CsvRow row; count > 0 && next_advice(row, place, person);) --count;
}

}  // namespace croco
