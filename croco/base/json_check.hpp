// SPDX-License-Identifier: Apache-2.0
/// Guards in front of the JSON files that people edit and exchange.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace croco {

/// How large a document is once it is read, for those who have to limit it.
struct JsonSize {
  std::size_t values = 0;      ///< numbers, texts, lists and objects
  std::size_t containers = 0;  ///< lists and objects
  std::size_t texts = 0;       ///< texts and keys
  std::size_t text_bytes = 0;  ///< of all of them
  /// Pairs of keys of one object: readers that keep their order compare each with those before it.
  std::size_t key_pairs = 0;
};

/// Throws DataError naming `source` when `json` is no JSON text (with line and column), repeats a
/// key within one object, or nests deeper than any format of croco does.
JsonSize check_json(std::string_view json, const std::string& source);
/// The same for UBJSON, a binary form of JSON. A few bytes of it can announce any number of values,
/// so that more values than bytes are refused too.
JsonSize check_ubjson(std::string_view bytes, const std::string& source);

}  // namespace croco
