// SPDX-License-Identifier: Apache-2.0
// Bundles: read, and their model bound to its codec.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <croco/base/error.hpp>
#include <croco/loading/bundle.hpp>
#include <tests/fuzz/ask.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const croco::LoadedModel loaded = croco::load_bundle(bytes, "fuzz", {});
    croco::fuzz::ask(*loaded.model);
  } catch (const croco::ModelError&) {
  } catch (const croco::DataError&) {  // of the encoding; anything else ends the run
  }
  return 0;
}
