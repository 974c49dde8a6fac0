// SPDX-License-Identifier: Apache-2.0
/// Guards in front of the JSON files that people edit and exchange.
#pragma once

#include <string>
#include <string_view>

namespace croco {

/// Throws DataError naming `source` when `json` is no JSON text (with line and column), repeats a
/// key within one object, or nests deeper than any format of croco does.
void check_json(std::string_view json, const std::string& source);
/// The same for UBJSON, a binary form of JSON. A few bytes of it can announce any number of values,
/// so that more values than bytes are refused too.
void check_ubjson(std::string_view bytes, const std::string& source);

}  // namespace croco
