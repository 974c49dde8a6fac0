// SPDX-License-Identifier: Apache-2.0
// Schemas: what is read is written and read again as the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <croco/base/error.hpp>
#include <croco/data/schema.hpp>
#include <tests/fuzz/ask.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const croco::Schema schema = croco::parse_schema(bytes, "fuzz");
    croco::fuzz::require(croco::parse_schema(croco::schema_json(schema), "fuzz") == schema,
                         "a schema that is written is read as the same");
  } catch (const croco::DataError&) {  // anything else ends the run
  }
  return 0;
}
