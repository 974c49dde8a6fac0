// SPDX-License-Identifier: Apache-2.0
/// Who may ask: the names that the server answers to, the pages that may call it, the token.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apps/server/http.hpp>

namespace croco::server {

struct GuardOptions {
  std::string host = "127.0.0.1";         ///< that the server listens on
  std::vector<std::string> names = {};    ///< further names that it is called by
  std::optional<std::string> token = {};  ///< that requests must carry
};

/// Whether an address is one of this machine alone.
[[nodiscard]] bool is_loopback(std::string_view host);

/// The token in a file: its first line. Throws InvalidArgument when it is shorter than 16
/// characters or has others than printable ones, IoError when it cannot be read.
[[nodiscard]] std::string read_token(const std::string& path);

/// Immutable.
class Guard {
 public:
  /// Throws InvalidArgument when the host is not loopback and there is no token.
  explicit Guard(GuardOptions options);

  /// Why a request is refused; none when it may go on. `is_open`: the token is not asked for, as
  /// for health checks and the page itself, which hold nothing of anybody.
  [[nodiscard]] std::optional<Answer> refuse(const Request& request, bool is_open) const;

 private:
  [[nodiscard]] bool is_own_name(std::string_view host) const;
  [[nodiscard]] bool has_token(std::string_view authorization) const;

  GuardOptions options_;
  std::string token_digest_;
};

/// An answer of kind application/problem+json.
[[nodiscard]] Answer problem(int status, const std::string& title, const std::string& detail);

}  // namespace croco::server
