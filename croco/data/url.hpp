// SPDX-License-Identifier: Apache-2.0
/// Addresses of servers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace croco {

struct Url {
  std::string origin;  ///< "https://host:port"
  std::string target;  ///< "/path?query"

  [[nodiscard]] bool secure() const { return origin.starts_with("https://"); }
};

/// Nothing unless the text starts with http:// or https://, names a host (and a port below 65,536),
/// and has neither blanks nor a user name.
[[nodiscard]] std::optional<Url> parse_url(std::string_view text);

/// A URL as messages and files may hold it: user information, the values of a query and the
/// fragment are `***`, since they are where keys are. Takes any text, among them what is no URL.
[[nodiscard]] std::string shown_url(std::string_view text);

/// Whatever a URL says in the values of its query, as it is and without its percent signs: what
/// must not be repeated when a server does.
[[nodiscard]] std::vector<std::string> secrets_of_url(std::string_view text);

}  // namespace croco
