// SPDX-License-Identifier: Apache-2.0
// The only file that knows Boost.Beast, which takes long to compile. One thread reads and writes;
// workers answer. A connection is read while its answer is made, so that a client who goes away is
// noticed at once.
#include <apps/server/http_server.hpp>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <apps/server/encryption.hpp>
#include <apps/server/session.hpp>
#include <croco/base/error.hpp>

namespace croco::server {
namespace {

tcp::endpoint endpoint_of(asio::io_context& context, const ServerOptions& options) {
  ErrorCode error;
  tcp::resolver resolver(context);
  const auto found =
      resolver.resolve(options.host, std::to_string(options.port), tcp::resolver::passive, error);
  if (error || found.empty()) {
    throw IoError(fmt::format("host is '{}', which is no address of this machine", options.host));
  }
  return found.begin()->endpoint();
}

tcp::acceptor listen(asio::io_context& context, const ServerOptions& options) {
  const tcp::endpoint endpoint = endpoint_of(context, options);
  tcp::acceptor acceptor(context);
  ErrorCode error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    throw IoError(fmt::format("{} port {}: cannot listen there: {}", options.host, options.port,
                              error.message()));
  }
  return acceptor;
}

/// Accepts connections until it is to end.
class Server {
 public:
  Server(const ServerOptions& options, const Guard& guard,
         const std::shared_ptr<const Service>& service, const std::string& page,
         const AccessLog& log)
      : options_(options),
        acceptor_(listen(context_, options)),
        encryption_(encryption(options)),
        pause_(context_),
        end_(context_),
        queue_(options.workers, options.queue),
        routes_(service, page,
                {.metrics =
                     [this, service] {
                       return metrics_.text(queue_.counts(), service->cache_counts());
                     },
                 .is_ready = [this] { return !ending_; }}),
        shared_{options_, guard, log, context_, queue_, metrics_, routes_, open_, ending_} {}

  [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  void run(const std::stop_token& stop) {
    accept();
    const std::stop_callback on_stop(stop, [this] { asio::post(context_, [this] { end(); }); });
    context_.run();
  }

 private:
  void accept() {
    acceptor_.async_accept([this](ErrorCode error, tcp::socket socket) {
      if (ending_) return;
      if (error) {  // such as too many open files: wait until some are closed
        pause_.expires_after(std::chrono::milliseconds(100));
        pause_.async_wait([this](ErrorCode failed) {
          if (!failed && !ending_) accept();
        });
        return;
      }
      take(std::move(socket));
      accept();
    });
  }

  void take(tcp::socket socket) {
    if (open_.size() >= options_.connections) {
      metrics_.add_refused();
      return;  // closes it
    }
    ErrorCode ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    if (encryption_) {
      EncryptedStream stream(std::move(socket), *encryption_);
      std::make_shared<Session<EncryptedStream>>(std::move(stream), shared_)->start();
    } else {
      std::make_shared<Session<tcp::socket>>(std::move(socket), shared_)->start();
    }
  }

  /// Finishes what runs. `run` returns when no connection is left.
  void end() {
    ending_ = true;
    ErrorCode ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    for (Connection* one : std::set(open_)) one->end_soon();
    end_.expires_after(options_.end_time);
    end_.async_wait([this](ErrorCode error) {
      if (error) return;
      for (Connection* one : std::set(open_)) one->close();
    });
    wait_for_end();
  }
  void wait_for_end() {
    if (open_.empty()) {
      end_.cancel();
      return;
    }
    pause_.expires_after(std::chrono::milliseconds(20));
    pause_.async_wait([this](ErrorCode error) {
      if (!error) wait_for_end();
    });
  }

  const ServerOptions& options_;
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  std::unique_ptr<Encryption> encryption_;
  asio::steady_timer pause_;
  asio::steady_timer end_;
  Metrics metrics_;
  std::set<Connection*> open_;
  bool ending_ = false;
  WorkQueue queue_;  ///< ends before what its jobs use
  Routes routes_;
  Shared shared_;
};

}  // namespace

void serve(const ServerOptions& options, const Guard& guard,
           const std::shared_ptr<const Service>& service, const std::string& page,
           const AccessLog& log, const std::function<void(std::uint16_t)>& ready,
           const std::stop_token& stop) {
  Server server(options, guard, service, page, log);
  ready(server.port());
  server.run(stop);
}

}  // namespace croco::server
