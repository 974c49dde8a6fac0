// SPDX-License-Identifier: Apache-2.0
/// Text from files, servers and other programs, made fit for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace croco {

/// The text with everything escaped that a terminal would obey instead of showing it: control
/// characters other than line breaks and tabs (`\x1b`), C1 controls and what reverses the order of
/// text (`\u202e`), and bytes that are no UTF-8. All other text is as it was.
[[nodiscard]] std::string printable(std::string_view text);

/// The beginning of a text on one line: line breaks and tabs become blanks, and the rest is as
/// `printable` makes it. "..." stands for what is beyond `most` bytes.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t most);

}  // namespace croco
