// SPDX-License-Identifier: Apache-2.0
#include <croco/data/url.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace croco {
namespace {

/// Whether "host", "host:port" or "[address]:port" names a host, and a port only below 65,536.
bool has_valid_port(std::string_view authority) {
  const std::size_t host_end = authority.starts_with('[') ? authority.find(']') : 0;
  const std::size_t colon = authority.find(':', host_end);
  if (colon == std::string_view::npos) return !authority.empty();
  std::uint16_t port = 0;
  const char* const end = authority.data() + authority.size();
  const auto [stop, error] = std::from_chars(authority.data() + colon + 1, end, port);
  return colon > 0 && error == std::errc{} && stop == end;
}

}  // namespace

std::optional<Url> parse_url(std::string_view text) {
  const bool blank = std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; });
  if (blank || !(text.starts_with("https://") || text.starts_with("http://"))) return std::nullopt;
  text = text.substr(0, text.find('#'));
  const std::size_t host = text.find("://") + 3;
  const std::size_t target = std::min(text.find_first_of("/?", host), text.size());
  const std::string_view authority = text.substr(host, target - host);
  if (authority.find('@') != std::string_view::npos || !has_valid_port(authority)) {
    return std::nullopt;
  }
  Url url{.origin = std::string(text.substr(0, target)),
          .target = std::string(text.substr(target))};
  if (!url.target.starts_with('/')) url.target.insert(0, 1, '/');
  return url;
}

}  // namespace croco
