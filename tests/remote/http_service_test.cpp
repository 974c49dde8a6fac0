// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/http_service.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
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
class ModelServer : public Loopback<> {
 public:
  explicit ModelServer(std::function<std::string(const Json&)> body) {
    post("/predict", [body = std::move(body), this](const httplib::Request& request,
                                                    httplib::Response& response) {
      ++requests;
      EXPECT_EQ(request.get_header_value("Content-Type"), "application/json");
      response.set_content(body(answers(Json::parse(request.body))), "application/json");
    });
    post("/broken", [](const httplib::Request&, httplib::Response& response) {
      response.status = 422;
      response.set_content("income must be\nan integer", "text/plain");
    });
    post("/moved", [](const httplib::Request&, httplib::Response& response) {
      response.set_redirect("/predict", 307);
    });
    start();
  }
  std::atomic<int> requests = 0;
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
  EXPECT_THAT(with("[0.5, NaN]"),
              HasSubstr("': its answer is no JSON (which knows no NaN): [0.5, NaN]"));
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
  Loopback<> trickling;
  trickling.post("/predict", [](const httplib::Request&, httplib::Response& response) {
    response.set_chunked_content_provider(
        "application/json", [](std::size_t, httplib::DataSink& sink) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          return sink.write(" ", 1);
        });
  });
  trickling.start();
  EXPECT_THAT(refused(server_at(trickling.url("/predict"), 0.5), true),
              HasSubstr("': no answer to 256 rows within 0.5 s (model-timeout)"));
}

TEST(HttpService, BoundsWhatAServerMaySay) {
  ModelServer server([](const Json&) { return std::string(200'000, ' '); });
  EXPECT_THAT(refused(server_at(server.url("/predict")), true),
              HasSubstr("': its answer to 256 rows is longer than 98304 bytes"));
}

TEST(HttpService, TrustsOnlyCertificatesOfThisSystem) {
  const SelfSigned identity;
  Loopback<httplib::SSLServer> server(identity.certificate(), identity.key());
  server.post("/predict", [](const httplib::Request& request, httplib::Response& response) {
    response.set_content(answers(Json::parse(request.body)).dump(), "application/json");
  });
  server.start();
  EXPECT_THAT(refused(server_at(server.url("/predict", "https")), true),
              HasSubstr("': no secure connection: the server's certificate is not trusted"));
}

}  // namespace
}  // namespace croco
