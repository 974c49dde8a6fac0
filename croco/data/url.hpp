// SPDX-License-Identifier: Apache-2.0
/// Addresses of servers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace croco {

struct Url {
  std::string origin;  ///< "https://host:port"
  std::string target;  ///< "/path?query"

  [[nodiscard]] bool secure() const { return origin.starts_with("https://"); }
};

/// Nothing unless the text starts with http:// or https://, names a host (and a port below 65,536),
/// and has neither blanks nor a user name.
[[nodiscard]] std::optional<Url> parse_url(std::string_view text);

}  // namespace croco
