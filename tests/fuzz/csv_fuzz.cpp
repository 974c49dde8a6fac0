// SPDX-License-Identifier: Apache-2.0
// CSV: read, written and read again as the same; a schema inferred, a codec fitted, rows encoded.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/csv.hpp>
#include <croco/data/infer.hpp>
#include <croco/data/record_reader.hpp>
#include <tests/fuzz/ask.hpp>

namespace {

void write_and_read(const croco::CsvTable& table) {
  std::string text = croco::csv_record(table.header);
  for (const croco::CsvRow& row : table.rows) text += croco::csv_record(row.fields);
  const croco::CsvTable again = croco::parse_csv(text, "again");
  croco::fuzz::require(again.header == table.header, "a header that is written is read as it was");
}

void encode_rows(const croco::CsvTable& table) {
  // The label is the last column, as in most files, and its first value the favourable one.
  if (table.rows.empty()) return;
  const std::vector<std::string>& first = table.rows.front().fields;
  if (first.size() != table.header.size() || croco::trimmed(first.back()).empty()) return;
  const croco::Inference inference = croco::infer_schema(
      table,
      {.label = table.header.back(), .favourable = std::string(croco::trimmed(first.back()))});
  const croco::Codec codec = croco::Codec::fit(inference.schema, table);
  const croco::RecordReader reader(codec.schema(), table);
  for (const croco::CsvRow& row : table.rows) {
    try {
      static_cast<void>(codec.encode(reader.read(row), reader.where(row)));
    } catch (const croco::DataError&) {  // this row's fault
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const croco::CsvTable table = croco::parse_csv(bytes, "fuzz");
    write_and_read(table);
    encode_rows(table);
  } catch (const croco::DataError&) {  // anything else ends the run
  }
  return 0;
}
