// SPDX-License-Identifier: Apache-2.0
/// A command line as its words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace croco {

/// Splits as a shell does, but is none: blanks separate, '...' and "..." and \ quote, and $, *, ~,
/// |, < and > mean themselves. Never empty. Throws InvalidArgument naming the text for a quote that
/// is not closed and for a text without words.
[[nodiscard]] std::vector<std::string> command_words(std::string_view text);

/// A command line as messages and files may hold it, with what looks like a secret as `***`: what
/// follows an option such as --token, or a name such as API_KEY and =; users and queries of URLs.
[[nodiscard]] std::string shown_command(std::string_view text);

}  // namespace croco
