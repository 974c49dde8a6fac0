// SPDX-License-Identifier: Apache-2.0
#include <apps/server/guard.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/sha256.hpp>
#include <croco/service/service.hpp>

namespace croco::server {
namespace {

/// Without the port: "localhost" of "localhost:8420", "::1" of "[::1]:8420".
std::string name_of(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return std::string(end == std::string_view::npos ? host : host.substr(1, end - 1));
  }
  return std::string(host.substr(0, host.find(':')));
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

/// The host of "http://localhost:8420"; empty when it is no such origin.
std::string_view host_of(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size());
  }
  return {};
}

}  // namespace

Answer problem(int status, const std::string& title, const std::string& detail) {
  return {.status = status,
          .type = "application/problem+json",
          .body = refusal_json({status, "about:blank", title, detail})};
}

bool is_loopback(std::string_view host) {
  const std::string name = lower(host);
  // A name may begin like an address: 127.0.0.1.example.org.
  const bool digits = name.find_first_not_of("0123456789.") == std::string::npos;
  return name == "localhost" || name == "::1" || (digits && name.starts_with("127."));
}

std::string read_token(const std::string& path) {
  constexpr std::size_t kLeast = 16;
  constexpr std::uintmax_t kMost = 4096;
  const std::string text = read_file(path, kMost);
  std::string token(trimmed(std::string_view(text).substr(0, text.find('\n'))));
  const bool printable = std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7f; });
  if (token.size() < kLeast || !printable) {
    throw InvalidArgument(fmt::format(
        "token-file is '{}'; its first line must be at least {} printable characters without "
        "blanks",
        path, kLeast));
  }
  return token;
}

Guard::Guard(GuardOptions options) : options_(std::move(options)) {
  if (!is_loopback(options_.host) && !options_.token) {
    throw InvalidArgument(
        fmt::format("host is '{}', which others can reach; --token-file must say the token that "
                    "they need",
                    options_.host));
  }
  if (options_.token) token_digest_ = sha256(*options_.token);
}

bool Guard::is_own_name(std::string_view host) const {
  const std::string name = lower(name_of(host));
  if (is_loopback(options_.host) && is_loopback(name)) return true;
  if (name == lower(options_.host)) return true;
  return std::ranges::any_of(options_.names,
                             [&](const std::string& one) { return lower(one) == name; });
}

bool Guard::has_token(std::string_view authorization) const {
  constexpr std::string_view kScheme = "bearer ";
  if (!options_.token) return true;
  if (lower(authorization.substr(0, kScheme.size())) != kScheme) return false;
  // Digests have one length, so that not even that of the token shows in the time it takes.
  const std::string digest = sha256(authorization.substr(kScheme.size()));
  return CRYPTO_memcmp(digest.data(), token_digest_.data(), digest.size()) == 0;
}

std::optional<Answer> Guard::refuse(const Request& request, bool is_open) const {
  if (request.host.empty()) {
    return problem(400, "The request cannot be read", "the header Host is missing");
  }
  if (!is_own_name(request.host)) {
    return problem(403, "Not a name of this server",
                   "the header Host names another server; --allow-host adds names");
  }
  if (!request.origin.empty() && lower(host_of(request.origin)) != lower(request.host)) {
    return problem(403, "Not a page of this server",
                   "the header Origin names another page; only the server's own may ask");
  }
  if (!is_open && !has_token(request.authorization)) {
    Answer out = problem(401, "A token is needed",
                         "the header Authorization must be Bearer and the token of --token-file");
    out.headers.emplace_back("WWW-Authenticate", "Bearer");
    return out;
  }
  return std::nullopt;
}

}  // namespace croco::server
