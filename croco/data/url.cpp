// SPDX-License-Identifier: Apache-2.0
#include <croco/data/url.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <utility>

#include <fmt/format.h>

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

constexpr std::string_view kHidden = "***";

/// `name=***` for every part of a query; a part without a name is hidden altogether.
std::string shown_query(std::string_view query) {
  std::string out;
  while (true) {
    const std::size_t end = std::min(query.find_first_of("&;"), query.size());
    const std::string_view part = query.substr(0, end);
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos) out += part.substr(0, equals + 1);
    if (!part.empty()) out += kHidden;
    if (end == query.size()) return out;
    out += query[end];
    query.remove_prefix(end + 1);
  }
}

std::string without_percent_signs(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
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

std::string shown_url(std::string_view text) {
  const std::size_t fragment = std::min(text.find('#'), text.size());
  const std::size_t query = std::min(text.find('?'), fragment);
  const std::size_t scheme = text.substr(0, query).find("://");
  const std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t path = std::min(text.find('/', host), query);
  std::string out(text.substr(0, host));
  // A password may hold what would end it: everything before the last @ is hidden.
  const std::size_t at = text.substr(0, query).rfind('@');
  if (at != std::string_view::npos && at >= host) {
    out += fmt::format("{}{}", kHidden, text.substr(at, query - at));
  } else if (text.find('@', query) != std::string_view::npos &&
             !has_valid_port(text.substr(host, path - host))) {
    return out += kHidden;
  } else {
    out += text.substr(host, query - host);
  }
  if (query < fragment) out += "?" + shown_query(text.substr(query + 1, fragment - query - 1));
  if (fragment < text.size()) out += fmt::format("#{}", kHidden);
  return out;
}

std::vector<std::string> secrets_of_url(std::string_view text) {
  std::vector<std::string> out;
  text = text.substr(0, text.find('#'));
  std::string_view query = text.substr(std::min(text.find('?'), text.size()));
  while (!query.empty()) {
    query.remove_prefix(1);
    const std::size_t end = std::min(query.find_first_of("&;"), query.size());
    const std::string_view part = query.substr(0, end);
    const std::string_view value = part.substr(part.find('=') + 1);
    out.emplace_back(value);
    if (std::string plain = without_percent_signs(value); plain != value) {
      out.push_back(std::move(plain));
    }
    query.remove_prefix(end);
  }
  return out;
}

}  // namespace croco
