// SPDX-License-Identifier: Apache-2.0
/// Servers on the loopback interface, for the tests of what talks HTTP.
#pragma once

#include <arpa/inet.h>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace croco {

/// Serves on a free port of the loopback interface until it is destroyed.
template <class Server = httplib::Server>
class Loopback {
 public:
  template <class... Arguments>
  explicit Loopback(Arguments... arguments) : server_(arguments...) {}
  ~Loopback() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Loopback(const Loopback&) = delete;
  Loopback& operator=(const Loopback&) = delete;

  void get(const std::string& path, httplib::Server::Handler handler) {
    server_.Get(path, std::move(handler));
  }
  void post(const std::string& path, httplib::Server::Handler handler) {
    server_.Post(path, std::move(handler));
  }
  void serve(const std::string& path, std::string body) {
    get(path, [body = std::move(body)](const httplib::Request&, httplib::Response& response) {
      response.set_content(body, "text/csv");
    });
  }
  void redirect(const std::string& path, std::string location) {
    get(path, [location](const httplib::Request&, httplib::Response& response) {
      response.set_redirect(location);
    });
  }
  /// Call after the routes are set.
  void start() {
    port_ = server_.bind_to_any_port("127.0.0.1");
    ASSERT_GT(port_, 0);
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  [[nodiscard]] std::string url(const std::string& path, const std::string& scheme = "http") const {
    return fmt::format("{}://127.0.0.1:{}{}", scheme, port_, path);
  }

 private:
  Server server_;
  int port_ = 0;
  std::thread thread_;
};

/// A socket that answers every request with fixed bytes and then closes, or keeps silent.
class RawServer {
 public:
  enum class Then : std::uint8_t { close, hang };

  RawServer(std::string answer, Then then) : answer_(std::move(answer)), then_(then) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || ::bind(listener_, generic, size) != 0 || ::listen(listener_, 8) != 0 ||
        ::getsockname(listener_, generic, &size) != 0) {
      throw std::runtime_error("cannot listen on the loopback interface");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~RawServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    for (const int peer : silent_peers_) ::close(peer);
    ::close(listener_);
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  [[nodiscard]] std::string url() const { return fmt::format("http://127.0.0.1:{}/x", port_); }

 private:
  void run() {
    for (int peer = 0; (peer = ::accept(listener_, nullptr, nullptr)) >= 0;) {
      std::string request;
      char byte = 0;
      while (!request.ends_with("\r\n\r\n") && ::recv(peer, &byte, 1, 0) == 1) request += byte;
      static_cast<void>(::send(peer, answer_.data(), answer_.size(), MSG_NOSIGNAL));
      if (then_ == Then::hang) {
        silent_peers_.push_back(peer);
      } else {
        ::close(peer);
      }
    }
  }

  std::string answer_;
  Then then_;
  int listener_ = -1;
  int port_ = 0;
  std::vector<int> silent_peers_;
  std::thread thread_;
};

/// A key and a certificate for 127.0.0.1 that the key itself has signed.
class SelfSigned {
 public:
  SelfSigned() : key_(EVP_EC_gen("P-256")), certificate_(X509_new()) {
    X509_set_version(certificate_, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate_), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate_), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate_), 3600);
    X509_set_pubkey(certificate_, key_);
    X509_NAME* name = X509_get_subject_name(certificate_);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("croco test"), -1, -1, 0);
    X509_set_issuer_name(certificate_, name);
    X509_EXTENSION* address =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(certificate_, address, -1);
    X509_EXTENSION_free(address);
    X509_sign(certificate_, key_, EVP_sha256());
  }
  ~SelfSigned() {
    X509_free(certificate_);
    EVP_PKEY_free(key_);
  }
  SelfSigned(const SelfSigned&) = delete;
  SelfSigned& operator=(const SelfSigned&) = delete;

  [[nodiscard]] EVP_PKEY* key() const { return key_; }
  [[nodiscard]] X509* certificate() const { return certificate_; }
  void write(const std::filesystem::path& path) const {
    std::FILE* file = std::fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(PEM_write_X509(file, certificate_), 1);
    std::fclose(file);
  }

 private:
  EVP_PKEY* key_;
  X509* certificate_;
};

}  // namespace croco
