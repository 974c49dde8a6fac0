// SPDX-License-Identifier: Apache-2.0
// XGBoost's files: JSON where they begin with a brace and a quote, UBJSON otherwise.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <croco/base/error.hpp>
#include <croco/models/files/model_format.hpp>
#include <croco/models/files/xgboost_file.hpp>
#include <tests/fuzz/trees.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const bool binary = croco::format_of(bytes) == croco::ModelFormat::xgboost_ubjson;
    constexpr croco::RoundChoice kAll{.kind = croco::RoundChoice::Kind::all};
    croco::fuzz::ask_trees(binary ? croco::parse_xgboost_ubjson(bytes, "fuzz", kAll)
                                  : croco::parse_xgboost(bytes, "fuzz", kAll));
  } catch (const croco::ModelError&) {  // anything else ends the run
  }
  return 0;
}
