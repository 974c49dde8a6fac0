// SPDX-License-Identifier: Apache-2.0
// LightGBM's files.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <croco/base/error.hpp>
#include <croco/models/files/lightgbm_file.hpp>
#include <tests/fuzz/trees.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    croco::fuzz::ask_trees(croco::parse_lightgbm(bytes, "fuzz"));
  } catch (const croco::ModelError&) {  // anything else ends the run
  }
  return 0;
}
