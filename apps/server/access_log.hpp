// SPDX-License-Identifier: Apache-2.0
/// One line of JSON per request, with nothing that a person or a query said.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace croco::server {

struct AccessLine {
  std::string route;
  std::string method;
  int status = 0;
  std::size_t bytes = 0;  ///< of the answer's body
  double milliseconds = 0;
  std::string end;  ///< "answered", "closed" by the client, "refused" or "timeout"
};

/// Without a line end. The time is UTC.
[[nodiscard]] std::string access_line(const AccessLine& line);

/// Where lines go; empty for nowhere.
using AccessLog = std::function<void(const std::string&)>;

}  // namespace croco::server
