// SPDX-License-Identifier: Apache-2.0
#include <croco/data/http_client.hpp>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

#include <tests/data/loopback.hpp>

namespace croco {
namespace {

/// What a request for `url` gives; the body is added to `body`.
HttpResult get(const std::string& url, std::string* body = nullptr) {
  HttpRequest request{.url = url};
  request.total_seconds = 20;
  request.max_bytes = 1'000'000;
  request.max_redirects = 2;
  request.on_piece = [&](std::string_view piece) {
    if (body != nullptr) *body += piece;
    return true;
  };
  return HttpClient().send(request);
}

std::string reason(const std::string& url) {
  HttpRequest request{.url = url};
  request.max_bytes = 1'000'000;
  request.total_seconds = 20;
  return get(url).reason(request);
}

TEST(HttpClient, EndsAnAnswerThatNeverEnds) {
  const RawServer body("HTTP/1.1 200 OK\r\n\r\n" + std::string(100'000, 'x'),
                       RawServer::Then::repeat);
  EXPECT_EQ(get(body.url()).end, HttpEnd::body_too_long);
  EXPECT_EQ(reason(body.url()), "larger than the limit of 1000000 bytes");
  const RawServer line("HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x'),
                       RawServer::Then::repeat);
  EXPECT_EQ(reason(line.url()), "its headers are longer than 65536 bytes");
  // What the kernel buffers, and no more.
  EXPECT_LT(line.sent(), 20'000'000U);
}

TEST(HttpClient, AddsUpHeaders) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  while (head.size() < kMaxHeaderBytes) head += "X: y\r\n";
  const RawServer server(head + "\r\n", RawServer::Then::close);
  EXPECT_EQ(get(server.url()).end, HttpEnd::head_too_long);
}

TEST(HttpClient, RefusesWhatIsNotHttp) {
  const RawServer server("220 mail.example ESMTP\r\n", RawServer::Then::close);
  EXPECT_EQ(reason(server.url()), "its answer is not HTTP");
}

TEST(HttpClient, UnpacksNothing) {
  Loopback server;
  std::string wanted;
  server.handle("/x", [&](const TestRequest& request, TestResponse& response) {
    wanted = request.header("Accept-Encoding");
    response.headers = "Content-Encoding: gzip\r\n";
    response.body = "not what it says";
  });
  server.start();
  std::string body;
  EXPECT_EQ(get(server.url("/x"), &body).end, HttpEnd::complete);
  EXPECT_EQ(body, "not what it says");
  EXPECT_EQ(wanted, "identity");
}

TEST(HttpClient, KeepsNoCookies) {
  Loopback server;
  std::string cookie = "none yet";
  server.handle("/x", [&](const TestRequest& request, TestResponse& response) {
    cookie = request.header("Cookie");
    response.headers = "Set-Cookie: a=b\r\n";
  });
  server.start();
  HttpClient client;
  HttpRequest request{.url = server.url("/x")};
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.send(request).status, 200);
  EXPECT_EQ(cookie, "");
  EXPECT_EQ(server.connected, 1);
}

TEST(HttpClient, GoesThroughTheProxyOfTheEnvironment) {
  Loopback proxy;
  std::string asked;
  proxy.handle("http://data.invalid/x", [&](const TestRequest& request, TestResponse& response) {
    asked = request.header("Host");
    response.body = "by the way of a proxy";
  });
  proxy.start();
  ASSERT_EQ(::setenv("http_proxy", proxy.url("").c_str(), 1), 0);
  std::string body;
  EXPECT_EQ(get("http://data.invalid/x", &body).end, HttpEnd::complete);
  ::unsetenv("http_proxy");
  EXPECT_EQ(body, "by the way of a proxy");
  EXPECT_EQ(asked, "data.invalid");
}

TEST(HttpClient, PassesOnWhatACallbackThrows) {
  Loopback server;
  server.serve("/x", "text");
  server.start();
  HttpClient client;
  HttpRequest request{.url = server.url("/x")};
  request.max_bytes = 100;
  request.on_piece = [](std::string_view) -> bool { throw std::domain_error("enough"); };
  EXPECT_THROW(static_cast<void>(client.send(request)), std::domain_error);
  request.on_piece = {};
  EXPECT_EQ(client.send(request).end, HttpEnd::complete);
}

}  // namespace
}  // namespace croco
