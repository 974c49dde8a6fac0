// SPDX-License-Identifier: Apache-2.0
/// CSV of any size, record by record. croco/data/csv.hpp states what is CSV here.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/byte_source.hpp>
#include <croco/data/csv.hpp>

namespace croco {

/// Needs memory for a part of the text only: 1 MiB, or the longest record. UTF-16 is the exception,
/// which is converted as a whole.
class CsvReader {
 public:
  /// The most bytes of a record; whatever decompresses to a longer line ends there.
  static constexpr std::size_t kMaxRecord = std::size_t{64} << 20U;

  /// Reads the header. Throws as `parse_csv` does. `name` is for messages.
  CsvReader(std::unique_ptr<ByteSource> source, std::string name);
  CsvReader(const CsvReader&) = delete;  // views of its own buffer
  CsvReader& operator=(const CsvReader&) = delete;

  /// Header, separator and name, without rows.
  [[nodiscard]] const CsvTable& table() const noexcept { return *table_; }
  /// The next record; false at the end. Throws DataError and IoError.
  [[nodiscard]] bool next(CsvRow& row);

 private:
  struct NeedMore {};  ///< thrown where the buffer ends inside a record

  void refill();
  void read_header();
  [[nodiscard]] bool ensure(std::size_t bytes);
  [[nodiscard]] bool at_blank_line() const noexcept;
  void read_record(std::vector<std::string>& fields);
  void parse_record(std::vector<std::string>& fields);
  [[nodiscard]] std::string plain();
  [[nodiscard]] std::string quoted();

  [[nodiscard]] bool at_end() const noexcept { return at_ == text_.size(); }
  void need_more_at_end() const;
  [[nodiscard]] bool ends_field(char letter) const noexcept;
  void count_lines(std::size_t end) noexcept;
  void refuse_lone_return() const;
  void refuse_nul(std::size_t from);
  void refuse_other_encodings();
  [[nodiscard]] std::size_t character_length() const noexcept;
  [[nodiscard]] std::size_t character() const noexcept;
  [[nodiscard]] std::string position() const;

  std::unique_ptr<ByteSource> source_;
  std::string converted_;  ///< text that was UTF-16
  std::unique_ptr<CsvTable> table_;
  std::string buffer_;
  std::string_view text_;  ///< `buffer_`
  bool ended_ = false;     ///< the source; the rest is in the buffer
  std::size_t at_ = 0;
  std::size_t checked_ = 0;  ///< bytes that are known to be UTF-8
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
  std::size_t field_ = 0;
  // Blank lines count only when another record follows.
  std::size_t blanks_ = 0;
  std::size_t blank_line_ = 0;
  std::optional<CsvRow> after_blanks_;
};

}  // namespace croco
