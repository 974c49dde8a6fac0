// SPDX-License-Identifier: Apache-2.0
/// Advice that any tool made beside the people it is for, some pairs at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <croco/data/csv_reader.hpp>
#include <croco/data/record_reader.hpp>
#include <croco/data/row_source.hpp>
#include <croco/explain/assess.hpp>
#include <croco/explain/pairing.hpp>

namespace croco {

/// The pairs that `pair_up` makes. Where the advice names its people in rising order, or does not
/// name them, both files are read side by side in little memory. Otherwise all people are kept.
class AdviceStream {
 public:
  /// Only pairs whose person is one of the rows `first .. end - 1`. Reads both sources once to
  /// count and check them. Throws as `pair_up` does.
  AdviceStream(const RowSource& people, const RowSource& advised, const Schema& schema,
               std::span<const std::string> kept = {}, std::size_t first = 0,
               std::optional<std::size_t> end = {});

  /// How many pairs there are.
  [[nodiscard]] std::size_t count() const noexcept { return seen_.pairs; }
  /// The next pairs; fewer, and then none, at the end.
  [[nodiscard]] std::vector<AdvisedPerson> next(std::size_t count);
  /// Passes over some pairs.
  void skip(std::size_t count);

 private:
  /// What a first look at both sources found.
  struct Seen {
    std::size_t people = 0;
    std::size_t pairs = 0;
    bool rising = true;  ///< people come in the order of their rows
  };
  /// Which rows of advice belong to the pairs.
  struct Rows {
    std::size_t first;
    std::size_t end;
    [[nodiscard]] bool contain(std::size_t row) const { return row >= first && row < end; }
  };

  [[nodiscard]] static Seen look(const RowSource& people, const RowSource& advised,
                                 const Schema& schema, Rows range);
  /// The next row of advice that belongs to the pairs, its place and its person; false at the end.
  [[nodiscard]] bool next_advice(CsvRow& row, std::size_t& place, std::size_t& person);
  [[nodiscard]] const Person& person_at(std::size_t index);

  Rows range_;
  Seen seen_;
  std::vector<std::string> kept_;
  std::unique_ptr<CsvReader> people_;
  std::unique_ptr<CsvReader> advised_;
  AdviceRows rows_;
  RecordReader before_;
  RecordReader after_;
  std::size_t advice_at_ = 0;  ///< rows of advice that were read
  std::vector<Person> read_;   ///< people: the last one, or all when they do not rise
  std::size_t people_at_ = 0;  ///< rows of people that were read
};

}  // namespace croco
