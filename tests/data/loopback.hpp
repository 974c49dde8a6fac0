// SPDX-License-Identifier: Apache-2.0
/// Servers on the loopback interface, for the tests of what talks HTTP.
#pragma once

#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace croco {

/// A socket that listens on a free port.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (socket_ < 0 || ::bind(socket_, generic, size) != 0 || ::listen(socket_, 8) != 0 ||
        ::getsockname(socket_, generic, &size) != 0) {
      throw std::runtime_error("cannot listen on the loopback interface");
    }
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { ::close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  [[nodiscard]] int port() const { return port_; }
  /// Below 0 once it was ended.
  [[nodiscard]] int accept() const { return ::accept(socket_, nullptr, nullptr); }
  void end() const { ::shutdown(socket_, SHUT_RDWR); }

 private:
  int socket_;
  int port_ = 0;
};

struct TestRequest {
  std::string path;  ///< with its query
  std::string head;  ///< all lines of it
  std::string body;

  [[nodiscard]] std::string header(const std::string& name) const {
    const std::size_t start = head.find("\r\n" + name + ": ");
    if (start == std::string::npos) return {};
    const std::size_t value = start + name.size() + 4;
    return head.substr(value, head.find("\r\n", value) - value);
  }
};

struct TestResponse {
  int status = 200;
  std::string headers;  ///< lines that end in \r\n
  std::string body;

  void redirect(const std::string& location, int code = 302) {
    status = code;
    headers = fmt::format("Location: {}\r\n", location);
  }
};

/// Serves until it is destroyed, over connections that are kept.
class Loopback {
 public:
  using Handler = std::function<void(const TestRequest&, TestResponse&)>;

  Loopback() = default;
  ~Loopback() {
    listener_.end();
    if (thread_.joinable()) thread_.join();
    for (Connection& connection : connections_) {
      ::shutdown(connection.peer, SHUT_RDWR);
      connection.thread.join();
      ::close(connection.peer);
    }
  }
  Loopback(const Loopback&) = delete;
  Loopback& operator=(const Loopback&) = delete;

  /// The path is without its query; for every method.
  void handle(const std::string& path, Handler handler) { handlers_[path] = std::move(handler); }
  void serve(const std::string& path, std::string body) {
    handle(path, [body = std::move(body)](const TestRequest&, TestResponse& response) {
      response.body = body;
    });
  }
  void redirect(const std::string& path, std::string location) {
    handle(path,
           [location](const TestRequest&, TestResponse& response) { response.redirect(location); });
  }
  /// Call after the handlers are set.
  void start() {
    thread_ = std::thread([this] {
      for (int peer = 0; (peer = listener_.accept()) >= 0;) {
        connections_.push_back({peer, std::thread([this, peer] { converse(peer); })});
      }
    });
  }
  [[nodiscard]] std::string url(const std::string& path) const {
    return fmt::format("http://127.0.0.1:{}{}", listener_.port(), path);
  }
  /// How often somebody connected.
  std::atomic<int> connected = 0;

 private:
  struct Connection {
    int peer;
    std::thread thread;
  };

  void converse(int peer) {
    ++connected;
    std::string buffer;
    TestRequest request;
    while (receive(peer, buffer, request)) {
      TestResponse response;
      const auto handler = handlers_.find(request.path.substr(0, request.path.find('?')));
      if (handler == handlers_.end()) {
        response.status = 404;
      } else {
        handler->second(request, response);
      }
      const std::string text =
          fmt::format("HTTP/1.1 {} Words\r\n{}Content-Length: {}\r\n\r\n{}", response.status,
                      response.headers, response.body.size(), response.body);
      for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t size = ::send(peer, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (size <= 0) return;
        sent += static_cast<std::size_t>(size);
      }
    }
  }

  static bool receive(int peer, std::string& buffer, TestRequest& request) {
    std::size_t end = std::string::npos;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
      if (!more(peer, buffer)) return false;
    }
    request.head = buffer.substr(0, end + 2);
    buffer.erase(0, end + 4);
    const std::size_t path = request.head.find(' ') + 1;
    request.path = request.head.substr(path, request.head.find(' ', path) - path);
    const std::string length = request.header("Content-Length");
    const std::size_t size = length.empty() ? 0 : std::stoul(length);
    while (buffer.size() < size) {
      if (!more(peer, buffer)) return false;
    }
    request.body = buffer.substr(0, size);
    buffer.erase(0, size);
    return true;
  }

  static bool more(int peer, std::string& buffer) {
    std::vector<char> piece(65'536);
    const ssize_t size = ::recv(peer, piece.data(), piece.size(), 0);
    if (size > 0) buffer.append(piece.data(), static_cast<std::size_t>(size));
    return size > 0;
  }

  Listener listener_;
  std::map<std::string, Handler> handlers_;
  std::list<Connection> connections_;
  std::thread thread_;
};

/// A socket that answers every request with fixed bytes and then closes, or keeps silent.
class RawServer {
 public:
  enum class Then : std::uint8_t {
    close,
    hang,    ///< says no more
    repeat,  ///< says the same without end
    drip,    ///< goes on byte by byte, 50 times a second
  };

  RawServer(std::string answer, Then then) : answer_(std::move(answer)), then_(then) {
    thread_ = std::thread([this] { run(); });
  }
  ~RawServer() {
    ended_ = true;
    listener_.end();
    thread_.join();
    for (const int peer : silent_peers_) ::close(peer);
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  /// Bytes that somebody took beyond the first answer.
  [[nodiscard]] std::size_t sent() const { return sent_; }
  [[nodiscard]] std::string url() const {
    return fmt::format("http://127.0.0.1:{}/x", listener_.port());
  }

 private:
  void run() {
    for (int peer = 0; (peer = listener_.accept()) >= 0;) {
      std::string request;
      char byte = 0;
      while (!request.ends_with("\r\n\r\n") && ::recv(peer, &byte, 1, 0) == 1) request += byte;
      static_cast<void>(::send(peer, answer_.data(), answer_.size(), MSG_NOSIGNAL));
      while (then_ == Then::repeat && !ended_ &&
             ::send(peer, answer_.data(), answer_.size(), MSG_NOSIGNAL) > 0) {
        sent_ += answer_.size();
      }
      while (then_ == Then::drip && !ended_ && ::send(peer, " ", 1, MSG_NOSIGNAL) > 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      if (then_ == Then::hang) {
        silent_peers_.push_back(peer);
      } else {
        ::close(peer);
      }
    }
  }

  std::string answer_;
  Then then_;
  Listener listener_;
  std::atomic<bool> ended_ = false;
  std::atomic<std::size_t> sent_ = 0;
  std::vector<int> silent_peers_;
  std::thread thread_;
};

}  // namespace croco
