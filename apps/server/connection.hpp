// SPDX-License-Identifier: Apache-2.0
/// A connection as the server sees it, and what all connections share.
#pragma once

#include <chrono>
#include <set>
#include <utility>  // Boost 1.74 forgets it

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <apps/server/access_log.hpp>
#include <apps/server/guard.hpp>
#include <apps/server/http_server.hpp>
#include <apps/server/metrics.hpp>
#include <apps/server/routes.hpp>
#include <apps/server/work_queue.hpp>

namespace croco::server {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::beast::flat_buffer;
using Clock = std::chrono::steady_clock;
using ErrorCode = boost::system::error_code;

/// A connection as the server sees it.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void close() = 0;
  /// Ends after what runs, or at once when nothing does.
  virtual void end_soon() = 0;
};

/// What all connections share. Used on the thread that reads and writes.
struct Shared {
  const ServerOptions& options;
  const Guard& guard;
  const AccessLog& log;
  asio::io_context& context;
  WorkQueue& queue;
  Metrics& metrics;
  const Routes& routes;
  std::set<Connection*>& open;
  bool& ending;
};

}  // namespace croco::server
