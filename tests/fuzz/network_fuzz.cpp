// SPDX-License-Identifier: Apache-2.0
// croco's own model files: read, asked, and their encoding made a codec.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <croco/base/error.hpp>
#include <croco/data/codec.hpp>
#include <croco/models/files/model_file.hpp>
#include <tests/fuzz/ask.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const croco::ModelFile file = croco::parse_model(bytes, "fuzz");
    if (file.model->parameter_count() > 100'000) return 0;
    croco::fuzz::ask(*file.model);
    static_cast<void>(croco::space_of(file.inputs, true));
    if (!file.encoding.empty()) static_cast<void>(croco::Codec::from_json(file.encoding, "fuzz"));
  } catch (const croco::ModelError&) {
  } catch (const croco::DataError&) {  // of the encoding; anything else ends the run
  }
  return 0;
}
