// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/remote_options.hpp>

#include <array>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/data/url.hpp>
#include <croco/remote/command_words.hpp>
#include <croco/remote/secrets.hpp>

namespace croco {
namespace {

constexpr std::array<std::string_view, 5> kNames{"auto", "csv", "binary", "dataframe", "instances"};

}  // namespace

std::string_view name_of(RemoteProtocol protocol) noexcept {
  return kNames[static_cast<std::size_t>(protocol)];
}

RemoteProtocol parse_remote_protocol(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (text == kNames[i]) return static_cast<RemoteProtocol>(i);
  }
  throw InvalidArgument(
      fmt::format("model-protocol is '{}'; it must be csv or binary for a command, dataframe or "
                  "instances for a URL, or auto",
                  text));
}

std::string RemoteOptions::name() const {
  if (kind == Kind::function) return fmt::format("model function '{}'", address);
  return fmt::format("model {} '{}'", kind == Kind::command ? "command" : "URL",
                     shown_address(*this));
}

RemoteOptions validated(RemoteOptions options) {
  constexpr double kMostSeconds = 86'400;
  constexpr std::size_t kMostWorkers = 256;
  constexpr std::size_t kMostRows = std::size_t{1} << 20;
  const bool command = options.kind == RemoteOptions::Kind::command;
  if (!(options.seconds > 0) || options.seconds > kMostSeconds) {
    throw InvalidArgument(fmt::format("model-timeout is {}; it must be above 0 and at most {} s",
                                      options.seconds, kMostSeconds));
  }
  if (options.workers < 1 || options.workers > kMostWorkers) {
    throw InvalidArgument(fmt::format("model-workers is {}; it must be between 1 and {}",
                                      options.workers, kMostWorkers));
  }
  // A row of its own, and one whose answer is known.
  if (options.batch < 2 || options.batch > kMostRows) {
    throw InvalidArgument(fmt::format("model-batch is {}; it must be between 2 and {} rows",
                                      options.batch, kMostRows));
  }
  if (options.kind == RemoteOptions::Kind::function) {
    if (!options.function) throw InvalidArgument("the model function is empty");
    return options;
  }
  if (command) {
    static_cast<void>(command_words(options.address));
    if (!options.headers.empty()) {
      throw InvalidArgument("headers are for a model behind a URL; this one is a command");
    }
  } else if (!parse_url(options.address)) {
    throw InvalidArgument(
        fmt::format("model-url is '{}'; it must be a URL that starts with http:// or https://, "
                    "without a user name (a secret belongs into --model-header-file)",
                    shown_address(options)));
  }
  const bool fits = options.protocol == RemoteProtocol::automatic ||
                    (options.protocol <= RemoteProtocol::binary) == command;
  if (!fits) {
    throw InvalidArgument(fmt::format("model-protocol is {}, which is for {}; for {} there are {}",
                                      name_of(options.protocol), command ? "a URL" : "a command",
                                      command ? "a command" : "a URL",
                                      command ? "csv and binary" : "dataframe and instances"));
  }
  if (options.protocol == RemoteProtocol::automatic) {
    options.protocol = command ? RemoteProtocol::csv : RemoteProtocol::dataframe;
  }
  return options;
}

}  // namespace croco
