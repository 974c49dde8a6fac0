// SPDX-License-Identifier: Apache-2.0
/// Where the rows of a run come from: a file of any size, standard input, or a text. A run reads
/// its rows more than once: it looks at all of them before it answers the first.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <croco/base/byte_source.hpp>
#include <croco/data/csv_reader.hpp>

namespace croco {

/// Cheap to copy; copies share what was read.
class RowSource {
 public:
  /// A CSV file, compressed or not; "-" is standard input. What cannot be read twice (a pipe) is
  /// copied into a file without a name, in the folder for temporary files, when it is first read.
  /// Opens nothing yet.
  [[nodiscard]] static RowSource file(const std::filesystem::path& path);
  /// A text under a name; the text is kept.
  [[nodiscard]] static RowSource text(std::string name, std::string text);

  /// How messages name it.
  [[nodiscard]] const std::string& name() const noexcept;
  /// The bytes from the beginning, decompressed. Throws IoError; also for a file that is not the
  /// one that was opened first, or has changed since.
  [[nodiscard]] std::unique_ptr<ByteSource> open() const;
  /// The same as records.
  [[nodiscard]] std::unique_ptr<CsvReader> read() const;
  /// All records at once.
  [[nodiscard]] CsvTable table() const;

 private:
  class Copy;
  class State;
  explicit RowSource(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// What is to be known of rows before a run begins.
struct RowScan {
  CsvTable head;  ///< without rows
  std::size_t rows = 0;
  std::string fingerprint;  ///< SHA-256 of the text
};

/// Reads everything once, in little memory. Throws DataError for text that is no CSV, and IoError.
[[nodiscard]] RowScan scan(const RowSource& source);
/// Throws DataError when there is a header only.
void require_rows(const RowScan& scanned);

}  // namespace croco
