// SPDX-License-Identifier: Apache-2.0
/// Headers for a server, and what must never be repeated of how a model is reached.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <croco/remote/remote_options.hpp>

namespace croco {

/// The headers in a text, one "Name: value" per line; blank lines and lines that begin with # are
/// skipped. Throws InvalidArgument with `source` and the line, but never its text: for a line of
/// another form, control characters, too many lines, and headers that croco sets itself.
[[nodiscard]] std::vector<std::string> parse_headers(std::string_view text,
                                                     const std::string& source);

/// The same from a file. Throws IoError when it cannot be read.
[[nodiscard]] std::vector<std::string> read_headers(const std::filesystem::path& path);

/// Where a model is, fit for messages and files: the URL or command without what is, or looks like,
/// a secret in it.
[[nodiscard]] std::string shown_address(const RemoteOptions& options);

/// The text of a server with the values of the request's headers and of its query hidden.
[[nodiscard]] std::string without_secrets(std::string text, const RemoteOptions& options);

}  // namespace croco
