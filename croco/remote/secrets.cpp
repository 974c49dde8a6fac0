// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/secrets.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include <fmt/format.h>

#include <croco/base/ascii.hpp>
#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/url.hpp>
#include <croco/remote/command_words.hpp>

namespace croco {
namespace {

constexpr std::string_view kHidden = "***";

/// A character of a header's name (RFC 9110, section 5.6.2).
bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

/// Headers that say how the request itself is to be read.
bool is_own(const std::string& name) {
  constexpr std::array<std::string_view, 8> kOwn{
      "accept-encoding", "connection", "content-encoding",  "content-length",
      "content-type",    "expect",     "transfer-encoding", "upgrade"};
  return std::ranges::find(kOwn, name) != kOwn.end();
}

std::string header_of(std::string_view line, const std::string& where) {
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || name.empty() ||
      !std::ranges::all_of(name, is_name_character)) {
    throw InvalidArgument(fmt::format("{} is no header; it must be NAME: VALUE", where));
  }
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (value.empty()) throw InvalidArgument(fmt::format("{} is a header without a value", where));
  const bool control = std::ranges::any_of(value, [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
  });
  if (control) {
    throw InvalidArgument(
        fmt::format("{} has a control character in its value, such as a carriage return", where));
  }
  if (is_own(lower_case(name))) {
    throw InvalidArgument(fmt::format("{} is header {}, which croco sets itself", where, name));
  }
  return fmt::format("{}: {}", name, value);
}

void hide(std::string& text, std::string_view secret) {
  constexpr std::size_t kShortest = 4;  // shorter ones are in every text
  if (secret.size() < kShortest) return;
  for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos;) {
    text.replace(at, secret.size(), kHidden);
    at += kHidden.size();
  }
}

}  // namespace

std::vector<std::string> parse_headers(std::string_view text, const std::string& source) {
  constexpr std::size_t kMostHeaders = 64;
  std::vector<std::string> out;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.ends_with('\r')) one.remove_suffix(1);
    if (trimmed(one).empty() || one.starts_with('#')) continue;
    out.push_back(header_of(one, fmt::format("{}: line {}", source, line)));
    if (out.size() > kMostHeaders) {
      throw InvalidArgument(fmt::format("{}: more than {} headers", source, kMostHeaders));
    }
  }
  return out;
}

std::vector<std::string> read_headers(const std::filesystem::path& path) {
  constexpr std::size_t kMostBytes = 65'536;
  std::vector<std::string> out = parse_headers(read_file(path, kMostBytes), path.string());
  if (out.empty())
    throw InvalidArgument(fmt::format("{}: there is no header in it", path.string()));
  return out;
}

std::string shown_address(const RemoteOptions& options) {
  return options.kind == RemoteOptions::Kind::url ? shown_url(options.address)
                                                  : shown_command(options.address);
}

std::string without_secrets(std::string text, const RemoteOptions& options) {
  for (const std::string& header : options.headers) {
    const std::string_view value = trimmed(std::string_view(header).substr(header.find(':') + 1));
    hide(text, value);
    // "Bearer abc": the server may repeat the last word alone.
    hide(text, value.substr(value.find_last_of(" =") + 1));
  }
  if (options.kind == RemoteOptions::Kind::url) {
    for (const std::string& secret : secrets_of_url(options.address)) hide(text, secret);
  }
  return text;
}

}  // namespace croco
