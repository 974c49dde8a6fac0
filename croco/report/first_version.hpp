// SPDX-License-Identifier: Apache-2.0
/// Reports, manifests and certificates of version 1 of their formats. It has other names for some
/// keys and other words in some sentences, and is checked as strictly as what is written now.
#pragma once

#include <string>
#include <string_view>

namespace croco {

inline constexpr int kFirstVersion = 1;

/// The key that numbers the alternatives of a person: "option" in version 1.
[[nodiscard]] std::string alternative_key(int version);

/// A row of version 1 with the keys of now. Throws DataError for a key that version 1 does not
/// have. `row` must be a JSON object.
[[nodiscard]] std::string with_current_keys(std::string_view row);

/// A sentence of version 1 in the words of now; other texts stay as they are.
[[nodiscard]] std::string in_current_words(std::string sentence);

/// The same for all the sentences of a row. `row` must be a JSON object.
[[nodiscard]] std::string row_in_current_words(std::string_view row);

}  // namespace croco
