// SPDX-License-Identifier: Apache-2.0
/// HTTPS of the server: the one place that knows TLS. A part of http_server.cpp, which alone
/// includes it. Without CROCO_TLS the server speaks HTTP only, and needs no TLS library.
#pragma once

#include <memory>
#include <string>
#include <utility>  // Boost 1.74 forgets it

#include <apps/server/connection.hpp>
#include <apps/server/http_server.hpp>
#include <croco/base/error.hpp>

#ifdef CROCO_TLS
#include <boost/asio/ssl.hpp>
#include <fmt/format.h>
#endif

namespace croco::server {

#ifdef CROCO_TLS

using Encryption = asio::ssl::context;
using EncryptedStream = asio::ssl::stream<tcp::socket>;

/// Nothing when the options name no certificate. Throws InvalidArgument for files that are none.
[[nodiscard]] inline std::unique_ptr<Encryption> encryption(const ServerOptions& options) {
  if (options.certificate.empty() && options.key.empty()) return nullptr;
  if (options.certificate.empty() || options.key.empty()) {
    throw InvalidArgument("tls-cert and tls-key belong together; one of them is not given");
  }
  auto out = std::make_unique<Encryption>(Encryption::tls_server);
  out->set_options(Encryption::default_workarounds | Encryption::no_sslv2 | Encryption::no_sslv3 |
                   Encryption::no_tlsv1 | Encryption::no_tlsv1_1);
  ErrorCode error;
  out->use_certificate_chain_file(options.certificate, error);
  if (error) {
    throw InvalidArgument(fmt::format("tls-cert is '{}', which is no certificate in PEM: {}",
                                      options.certificate, error.message()));
  }
  out->use_private_key_file(options.key, Encryption::pem, error);
  if (error) {
    throw InvalidArgument(fmt::format("tls-key is '{}', which is no key of the certificate: {}",
                                      options.key, error.message()));
  }
  return out;
}

#else

/// Stands in for TLS, and is never made.
struct Encryption {};
struct EncryptedStream : tcp::socket {
  EncryptedStream(tcp::socket socket, Encryption& /*none*/) : tcp::socket(std::move(socket)) {}
  enum Side { server };
  template <typename Handler>
  void async_handshake(Side /*side*/, Handler /*handler*/) {}
  tcp::socket& next_layer() { return *this; }
};

[[nodiscard]] inline std::unique_ptr<Encryption> encryption(const ServerOptions& options) {
  if (options.certificate.empty() && options.key.empty()) return nullptr;
  throw InvalidArgument(
      "tls-cert: this croco was built without TLS, as that of the Python package is; the Debian "
      "package has it, and a proxy in front of the server can speak HTTPS");
}

#endif

}  // namespace croco::server
