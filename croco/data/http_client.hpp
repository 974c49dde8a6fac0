// SPDX-License-Identifier: Apache-2.0
/// HTTP requests with a limit on everything that the other side decides: bytes of headers, bytes of
/// the body, time, redirects. Proxies are those of the environment (http_proxy, https_proxy,
/// all_proxy, no_proxy), and certificates are verified against those of the system, or of
/// SSL_CERT_FILE and SSL_CERT_DIR.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace croco {

/// Headers of one request in all, those of redirects included; a longer answer is refused.
inline constexpr std::size_t kMaxHeaderBytes = 65'536;
/// The slowest body that a limit on silence accepts, in bytes per second.
inline constexpr long kSlowestBody = 256;

struct HttpRequest {
  std::string url;                        ///< as `parse_url` accepts it
  std::vector<std::string> headers = {};  ///< "Name: value"
  const std::string* body = nullptr;      ///< sent by POST; without one it is a GET
  double connect_seconds = 30;            ///< until the connection stands, TLS included; > 0
  double total_seconds = 3600;            ///< for everything, redirects included; > 0
  /// The longest time without an answer, or with fewer than `kSlowestBody` bytes per second of it;
  /// 0 for no such limit.
  long silence_seconds = 0;
  std::uintmax_t max_bytes = 0;  ///< of the body
  long max_redirects = 0;        ///< followed to http and https only, and never from https to http
  /// Called once per answer that is no redirect, before its body, with the status and the announced
  /// length; false ends the transfer. May be empty.
  std::function<bool(int status, std::optional<std::uintmax_t> length)> on_head = {};
  /// Called with every piece of the body; false ends the transfer.
  std::function<bool(std::string_view piece)> on_piece = {};
  std::stop_token stop = {};  ///< ends the transfer at once
};

/// How a transfer ended.
enum class HttpEnd : std::uint8_t {
  complete,             ///< there is an answer, whatever its status
  refused,              ///< a callback ended it
  stopped,              ///< `stop` was requested
  no_connection,        ///< nobody listens there, or the name is unknown
  no_proxy,             ///< the proxy cannot be reached, or refuses
  connect_late,         ///< no connection in time
  late,                 ///< not complete in time
  silent,               ///< connected, but silent or too slow
  cut,                  ///< the connection was closed before the end
  body_too_long,        ///< more than `max_bytes`
  head_too_long,        ///< more than `kMaxHeaderBytes`
  too_many_redirects,   ///< more than `max_redirects`
  bad_redirect,         ///< to something that is neither http nor https, or from https to http
  not_http,             ///< the answer is not HTTP
  tls_failed,           ///< the handshake failed
  tls_untrusted,        ///< the certificate is not trusted
  tls_no_certificates,  ///< the trusted certificates cannot be read
  other,                ///< see `detail`
};

struct HttpResult {
  HttpEnd end = HttpEnd::other;
  int status = 0;                                ///< of the last answer; 0 when there was none
  std::string location = {};                     ///< of the last answer, if it was a redirect
  std::uintmax_t received = 0;                   ///< bytes of the body
  std::optional<std::uintmax_t> announced = {};  ///< bytes of the body, if the server said
  std::string detail = {};                       ///< what the library says, for `other`

  /// Why there is no answer, in words; for every end but `complete` and `refused`.
  [[nodiscard]] std::string reason(const HttpRequest& request) const;
};

/// The library that speaks HTTP and its parts, such as "libcurl/7.88.1 OpenSSL/3.0.17 ..."; nothing
/// when it is looked for at run time and is not there.
[[nodiscard]] std::optional<std::string> http_library();

/// Keeps its connection from one request to the next. One thread at a time.
class HttpClient {
 public:
  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Throws what a callback throws, and IoError when no request can be made at all.
  [[nodiscard]] HttpResult send(const HttpRequest& request);

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace croco
