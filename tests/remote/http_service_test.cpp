// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/http_service.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/stopped.hpp>
#include <croco/remote/remote_model.hpp>
#include <tests/data/loopback.hpp>
#include <tests/fixtures.hpp>
#include <tests/remote/applicants.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;
using Json = nlohmann::json;

RemoteOptions server_at(const std::string& url, double seconds = 60) {
  return {.kind = RemoteOptions::Kind::url, .address = url, .seconds = seconds};
}

double answer_to(const Json& income, const Json& home, const Json& debt) {
  return applicants::probability(income.get<double>(), home.get<std::string>() == "own",
                                 debt.get<double>());
}

/// What a server makes of a request: by default, one probability per row.
Json answers(const Json& request) {
  Json out = Json::array();
  if (request.contains("instances")) {
    for (const Json& row : request["instances"]) {
      out.push_back(answer_to(row["income"], row["home"], row["debt"]));
    }
    return out;
  }
  EXPECT_EQ(request["dataframe_split"]["columns"], (Json{"income", "home", "debt"}));
  for (const Json& row : request["dataframe_split"]["data"]) {
    out.push_back(answer_to(row[0], row[1], row[2]));
  }
  return out;
}

/// A server whose answer is `body(answers)`.
class ModelServer : public Loopback {
 public:
  explicit ModelServer(std::function<std::string(const Json&)> body) {
    handle("/predict",
           [body = std::move(body), this](const TestRequest& request, TestResponse& response) {
             ++requests;
             EXPECT_EQ(request.header("Content-Type"), "application/json");
             {
               const std::lock_guard lock(mutex_);  // each connection has its thread
               last = request;
             }
             response.body = body(answers(Json::parse(request.body)));
           });
    handle("/broken", [](const TestRequest&, TestResponse& response) {
      response.status = 422;
      response.body = "income must be\nan integer";
    });
    handle("/denied", [](const TestRequest& request, TestResponse& response) {
      response.status = 401;
      response.body = std::string(230, '.') + "no entry for " + request.header("Authorization") +
                      " at " + request.path;
    });
    handle("/moved",
           [](const TestRequest&, TestResponse& response) { response.redirect("/predict", 307); });
    start();
  }
  std::atomic<int> requests = 0;
  TestRequest last;  ///< read once the model was asked by one worker

 private:
  std::mutex mutex_;
};

std::string refused(const RemoteOptions& options, bool io = false) {
  const auto make = [&] { return RemoteModel(options, applicants::codec()).width(); };
  return io ? message_of<IoError>(make) : message_of<ModelError>(make);
}

TEST(HttpService, AnswersAsTheSameModelHere) {
  const Codec codec = applicants::codec();
  const Matrix points = applicants::points(300);
  Vector expected(points.count());
  applicants::LocalModel(codec).logits(points.rows(), expected);
  // MLflow's shape, a bare array, probabilities of both classes, one-element rows.
  const std::vector<std::function<std::string(const Json&)>> shapes{
      [](const Json& list) { return Json{{"predictions", list}}.dump(); },
      [](const Json& list) { return list.dump(); },
      [](const Json& list) {
        Json pairs = Json::array();
        for (const Json& p : list) pairs.push_back({1 - p.get<double>(), p});
        return Json{{"probabilities", pairs}, {"model", "x"}}.dump(2);
      },
      [](const Json& list) {
        Json single = Json::array();
        for (const Json& p : list) single.push_back(Json::array({p}));
        return single.dump();
      }};
  for (const auto& shape : shapes) {
    ModelServer server(shape);
    for (const RemoteProtocol protocol : {RemoteProtocol::dataframe, RemoteProtocol::instances}) {
      RemoteOptions options = server_at(server.url("/predict"));
      options.protocol = protocol;
      options.batch = 128;
      options.workers = 2;
      const RemoteModel model(options, codec);
      Vector found(points.count());
      model.logits(points.rows(), found);
      EXPECT_EQ(found, expected);
    }
    // 256 made-up rows in batches of 128 and of 64, then 300 in three.
    EXPECT_EQ(server.requests, 2 * (2 + 4 + 3));
  }
}

TEST(HttpService, SaysWhatAServerAnsweredInstead) {
  const auto with = [](const std::string& body) {
    ModelServer server([&](const Json&) { return body; });
    return refused(server_at(server.url("/predict")));
  };
  EXPECT_THAT(with("[0.5, Nan]"), HasSubstr("': its answer is no JSON: [0.5, Nan]"));
  EXPECT_THAT(
      with("{\"error\": \"busy\"}"),
      HasSubstr("its answer must be an array, or an object with one as 'predictions'; it is "
                "{\"error\": \"busy\"}"));
  EXPECT_THAT(with("[0.5, 0.5]"), HasSubstr("it answered 2 numbers to 256 rows"));
  Json list(256, 0.5);
  list[4] = "yes";
  EXPECT_THAT(with(list.dump()),
              HasSubstr("it answered \"yes\" for row 5 of a batch of 256; it must be a number, or "
                        "two: of class 0 and of class 1"));
  list[4] = {0.1, 0.2, 0.7};
  EXPECT_THAT(with(list.dump()), HasSubstr("it answered [0.1,0.2,0.7] for row 5"));
  list[4] = 1.25;
  EXPECT_THAT(with(list.dump()), HasSubstr("it answered 1.25 for row 5 of a batch of 256; a "
                                           "probability of class 1 is a number from 0 to 1"));
}

TEST(HttpService, SaysWhyThereIsNoAnswer) {
  ModelServer server([](const Json& list) { return list.dump(); });
  EXPECT_EQ(
      refused(server_at(server.url("/broken")), true),
      fmt::format("model URL '{}': HTTP 422: income must be an integer", server.url("/broken")));
  EXPECT_THAT(refused(server_at(server.url("/nowhere")), true), HasSubstr("': HTTP 404"));
  EXPECT_THAT(refused(server_at(RawServer("", RawServer::Then::close).url()), true),
              HasSubstr("': the connection was closed before an answer"));
  EXPECT_THAT(refused(server_at(server.url("/moved")), true), HasSubstr("': HTTP 307"));
  std::string gone;
  {
    const RawServer server_that_goes("", RawServer::Then::close);
    gone = server_that_goes.url();
  }
  EXPECT_THAT(refused(server_at(gone), true), HasSubstr("': no connection to http://127.0.0.1:"));
}

TEST(HttpService, DoesNotWaitForever) {
  const RawServer silent("", RawServer::Then::hang);
  EXPECT_THAT(refused(server_at(silent.url(), 0.3), true),
              HasSubstr("': no answer to 256 rows within 0.3 s (model-timeout)"));
  // One that says a little now and then is late all the same.
  const RawServer trickling("HTTP/1.1 200 OK\r\n\r\n", RawServer::Then::drip);
  EXPECT_THAT(refused(server_at(trickling.url(), 0.5), true),
              HasSubstr("': no answer to 256 rows within 0.5 s (model-timeout)"));
}

TEST(HttpService, BoundsWhatAServerMaySay) {
  ModelServer server([](const Json&) { return std::string(200'000, ' '); });
  EXPECT_THAT(refused(server_at(server.url("/predict")), true),
              HasSubstr("': its answer to 256 rows is longer than 98304 bytes"));
}

TEST(HttpService, BoundsTheHeadersOfAServer) {
  const RawServer server("HTTP/1.1 200 OK\r\nX: " + std::string(50'000, 'x'),
                         RawServer::Then::repeat);
  EXPECT_THAT(refused(server_at(server.url()), true),
              HasSubstr("': its headers are longer than 65536 bytes"));
}

TEST(HttpService, ReadsNan) {
  Vector answers(4);
  read_predictions(R"({"note": "NaN \" NaN", "predictions": [0.5, NaN, null, [NaN, NaN]]})",
                   answers);
  EXPECT_EQ(answers[0], 0.5);
  for (std::size_t k = 1; k < answers.size(); ++k) EXPECT_TRUE(std::isnan(answers[k])) << k;
}

TEST(HttpService, KeepsItsConnection) {
  ModelServer server([](const Json& list) { return list.dump(); });
  RemoteOptions options = server_at(server.url("/predict"));
  options.batch = 16;
  EXPECT_EQ(RemoteModel(options, applicants::codec()).width(), 4U);
  EXPECT_GT(server.requests, 20);
  EXPECT_EQ(server.connected, 1);
}

TEST(HttpService, SendsHeadersAndRepeatsNoSecret) {
  ModelServer server([](const Json& list) { return list.dump(); });
  RemoteOptions options = server_at(server.url("/predict?key=s3cret-key"));
  options.headers = {"Authorization: Bearer t0p-token", "X-Team: credit"};
  const RemoteModel with(options, applicants::codec());
  EXPECT_EQ(server.last.path, "/predict?key=s3cret-key");
  EXPECT_EQ(server.last.header("Authorization"), "Bearer t0p-token");
  EXPECT_EQ(server.last.header("X-Team"), "credit");
  EXPECT_EQ(with.options().name(), fmt::format("model URL '{}'", server.url("/predict?key=***")));
  // The model is the same, whoever asks.
  const RemoteModel without(server_at(server.url("/predict")), applicants::codec());
  EXPECT_EQ(with.fingerprint(), without.fingerprint());

  // Neither when the server repeats them, cut or not.
  options.address = server.url("/denied?key=s3cret-key");
  const std::string message = refused(options, true);
  EXPECT_THAT(message, HasSubstr("/denied?key=***': HTTP 401: "));
  for (const char* part : {"s3cret", "t0p", "Bearer"}) {
    EXPECT_THAT(message, testing::Not(HasSubstr(part)));
  }
}

TEST(HttpService, StopsWhileTheServerIsSilent) {
  const RawServer silent("", RawServer::Then::hang);
  std::stop_source source;
  RemoteOptions options = server_at(silent.url());
  options.stop = source.get_token();
  const std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    source.request_stop();
  });
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(RemoteModel(options, applicants::codec()), Stopped);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace croco
