// SPDX-License-Identifier: Apache-2.0
/// Requests and answers as the server's parts hand them to each other, without a library.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace croco::server {

/// A request whose head was read and accepted.
struct Request {
  std::string method;  ///< "GET"
  std::string target;  ///< "/api/v1/people?limit=5"
  std::string accept;  ///< empty when not stated
  std::string content_type;
  std::string host;
  std::string origin;
  std::string authorization;
  std::string body;
};

/// What is sent back.
struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

}  // namespace croco::server
