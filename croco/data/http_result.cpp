// SPDX-License-Identifier: Apache-2.0
// What is said of a transfer that gave no answer.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <croco/data/http_client.hpp>
#include <croco/data/url.hpp>

namespace croco {
namespace {

std::string bytes_so_far(const HttpResult& result) {
  return result.announced ? fmt::format("{} of {} bytes", result.received, *result.announced)
                          : fmt::format("{} bytes", result.received);
}

}  // namespace

std::string HttpResult::reason(const HttpRequest& request) const {
  switch (end) {
    case HttpEnd::stopped:
      return "cancelled";
    case HttpEnd::no_connection:
      return fmt::format("no connection to {}", parse_url(request.url).value_or(Url{}).origin);
    case HttpEnd::no_proxy:
      return "the proxy that the environment names cannot be reached, or refuses";
    case HttpEnd::connect_late:
      return fmt::format("no connection within {:.4g} s",
                         std::min(request.connect_seconds, request.total_seconds));
    case HttpEnd::late:
      return fmt::format("not complete within {:.4g} s, after {}", request.total_seconds,
                         bytes_so_far(*this));
    case HttpEnd::silent:
      return status == 0 ? fmt::format("no answer within {} s", request.silence_seconds)
                         : fmt::format("fewer than {} bytes/s for {} s, after {}", kSlowestBody,
                                       request.silence_seconds, bytes_so_far(*this));
    case HttpEnd::cut:
      return status == 0 ? "the connection was closed before an answer"
                         : "the connection was cut after " + bytes_so_far(*this);
    case HttpEnd::body_too_long:
      return fmt::format("larger than the limit of {} bytes", request.max_bytes);
    case HttpEnd::head_too_long:
      return fmt::format("its headers are longer than {} bytes", kMaxHeaderBytes);
    case HttpEnd::too_many_redirects:
      return fmt::format("more than {} redirects", request.max_redirects);
    case HttpEnd::bad_redirect:
      return fmt::format("redirects to '{}'; only {} followed", shown_url(location),
                         request.url.starts_with("https://")
                             ? "https:// is"
                             : "http:// and https:// without a user name are");
    case HttpEnd::not_http:
      return "its answer is not HTTP";
    case HttpEnd::tls_failed:
      return "no secure connection: the TLS handshake failed";
    case HttpEnd::tls_untrusted:
      return "no secure connection: the server's certificate is not trusted";
    case HttpEnd::tls_no_certificates:
      return "no secure connection: the trusted certificates cannot be read";
    default:
      return detail;
  }
}

}  // namespace croco
