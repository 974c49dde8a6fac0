// SPDX-License-Identifier: Apache-2.0
/// A small HTTP server for one machine: bounded in everything that a client can ask of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include <apps/server/access_log.hpp>
#include <apps/server/guard.hpp>
#include <croco/service/service.hpp>

namespace croco::server {

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8420;  ///< 0: any that is free
  std::size_t workers = 2;    ///< threads that answer
  std::size_t queue = 64;     ///< requests that wait for them
  std::size_t connections = 256;
  std::size_t header_bytes = 16384;
  std::size_t body_bytes = std::size_t{2} << 20;
  std::chrono::milliseconds read_time{10'000};   ///< for a whole request, from its first byte
  std::chrono::milliseconds idle_time{30'000};   ///< between requests
  std::chrono::milliseconds write_time{20'000};  ///< for a part of an answer
  std::chrono::milliseconds work_time{30'000};   ///< of a request
  std::chrono::milliseconds end_time{10'000};    ///< for what runs when the server is to end
  std::string certificate = {};                  ///< PEM files for TLS, both or none
  std::string key = {};
};

/// Serves until `stop` is requested, and then finishes what runs. `ready` is called with the port
/// once connections are accepted. Throws IoError when the port cannot be used, InvalidArgument for
/// TLS files that do not fit.
void serve(const ServerOptions& options, const Guard& guard,
           const std::shared_ptr<const Service>& service, const std::string& page,
           const AccessLog& log, const std::function<void(std::uint16_t)>& ready,
           const std::stop_token& stop);

}  // namespace croco::server
