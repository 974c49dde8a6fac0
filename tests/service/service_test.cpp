// SPDX-License-Identifier: Apache-2.0
#include <croco/service/service.hpp>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/base/stopped.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/report/writer.hpp>
#include <croco/service/request_error.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

LoadedModel loaded() {
  return {.name = "hidden",
          .source = "hidden.json",
          .fingerprint = std::string(64, 'a'),
          .model = people::hidden_model(),
          .codec = people::codec(),
          .unfrozen = {}};
}

std::vector<Person> applicants() {
  return {people::person(0, {"20", "20", "50", "rent"}),
          people::person(1, {"90", "5", "50", "own"}),
          people::person(2, {"30", "30", "30", "own"})};
}

Service service() { return Service(loaded(), applicants()); }

/// The text of the first row of an answer, as it was sent.
std::string first_row(const std::string& answer) {
  const std::size_t begin = answer.find("\"rows\":[") + 8;
  std::size_t depth = 0;
  for (std::size_t i = begin; i < answer.size(); ++i) {
    depth += answer[i] == '{' ? 1U : 0U;
    if (answer[i] == '}' && --depth == 0) return answer.substr(begin, i + 1 - begin);
  }
  return {};
}

std::string detail_of(const std::function<void()>& ask, int status) {
  try {
    ask();
  } catch (...) {
    const Refusal refusal = refusal_of(std::current_exception());
    EXPECT_EQ(refusal.status, status) << refusal.detail;
    return refusal.detail;
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

TEST(Service, GivesTheRowOfTheExplainerByteForByte) {
  const Service asked = service();
  const Explainer explainer(loaded(), {.method = Certified{.target = 0.05}});
  const ReportContext context = report_context(explainer);
  const std::vector<Person> all = applicants();
  for (std::size_t row = 0; row < all.size(); ++row) {
    const std::string question = R"({"person": {"row": )" + std::to_string(row) + "}}";
    const std::string line = json_line(context, explainer.explain({&all[row], 1}).at(0));
    EXPECT_EQ(first_row(asked.explain(question, "").text) + "\n", line);
    EXPECT_EQ(asked.explain(question, "application/x-ndjson").text, line);
  }
}

TEST(Service, CachesChangeNoAnswer) {
  const Service warm = service();
  const std::string ask = R"({"person": {"row": 0}, "target": 0.1, "alternatives": 2})";
  const std::string first = first_row(warm.explain(ask, "").text);
  static_cast<void>(warm.explain(R"({"person": {"row": 2}, "target": 0.2})", ""));
  EXPECT_EQ(first_row(warm.explain(ask, "").text), first);
  const Service::CacheCounts counts = warm.cache_counts();
  EXPECT_EQ(counts.explainer_hits, 1U);
  EXPECT_GT(counts.sample_hits, 0U);
  EXPECT_GT(counts.sample_bytes, 0U);
  Service tiny(loaded(), applicants(), {.cache_bytes = 1});
  EXPECT_EQ(first_row(tiny.explain(ask, "").text), first);
  EXPECT_EQ(tiny.cache_counts().sample_bytes, 0U);
}

TEST(Service, ExplainersHoldNoMoreSamplesThanTheCacheMayKeep) {
  const auto noisy = [](int noise) {
    return R"({"person": {"row": 0}, "noise": {"scales": {"income": )" + std::to_string(noise) +
           "}}}";
  };
  const Service roomy = service();
  static_cast<void>(roomy.explain(noisy(1), ""));
  const std::size_t one = roomy.cache_counts().sample_bytes_alive;
  ASSERT_GT(one, 0U);
  ServiceOptions options;
  options.cache_bytes = one + one / 2;
  const Service asked(loaded(), applicants(), options);
  for (int noise = 1; noise <= 6; ++noise) {
    static_cast<void>(asked.explain(noisy(noise), ""));
    EXPECT_LE(asked.cache_counts().sample_bytes_alive, options.cache_bytes + one);
  }
  EXPECT_GE(asked.cache_counts().explainers, 1U);
  EXPECT_LT(asked.cache_counts().explainers, 6U);
}

TEST(Service, ATypedRecordIsAnsweredLikeARow) {
  const Service asked = service();
  const std::string typed = R"({"person": {"record":
      {"income": 20, "debt": "20", "age": 50, "home": "rent"}}})";
  EXPECT_EQ(first_row(asked.explain(typed, "").text),
            first_row(asked.explain(R"({"person": {"row": 0}})", "").text));
}

TEST(Service, LimitsNarrowTheSearchAndNotTheCertificate) {
  const Service asked = service();
  const auto ask = [&](const std::string& limits) {
    const std::string question = R"({"person": {"row": 0}, "features": )" + limits + "}";
    return Json::parse(asked.explain(question, "").text).at("rows").at(0);
  };
  const Json free = ask("{}");
  const Json locked = ask(R"({"debt": {"fixed": true}})");
  const Json ranged = ask(R"({"income": {"maximum": 80}})");
  EXPECT_EQ(locked["status"], "found");
  EXPECT_EQ(locked["after"]["debt"], "20");
  EXPECT_EQ(ranged["status"], "found");
  EXPECT_LE(std::stod(ranged["after"]["income"].get<std::string>()), 80);
  EXPECT_GT(ranged["distance"]["cost"], free["distance"]["cost"]);
  EXPECT_EQ(locked["certificate"]["schema_sha256"], free["certificate"]["schema_sha256"]);
  for (const Json& row : {locked, ranged}) {
    const Json verified =
        Json::parse(asked.verify(Json{{"text", row.dump()}, {"seed", 77}}.dump()));
    EXPECT_TRUE(verified.at("holds").get<bool>()) << verified.dump(2);
  }
}

TEST(Service, ErrorsNeverRepeatAValueOfAPerson) {
  const Service asked = service();
  const auto refused = [&](const std::string& question, int status) {
    const std::string detail =
        detail_of([&] { static_cast<void>(asked.explain(question, "")); }, status);
    EXPECT_THAT(detail, Not(HasSubstr("PLANTED")));
    return detail;
  };
  EXPECT_THAT(refused(R"({"person": {"record": {"income": "PLANTED", "debt": 1, "age": 2,
                          "home": "rent"}}})",
                      422),
              HasSubstr("feature 'income'"));
  EXPECT_THAT(refused(R"({"person": {"record": {"income": 1, "debt": 1, "age": 2,
                          "home": "PLANTED"}}})",
                      422),
              HasSubstr("none of its levels"));
  EXPECT_THAT(refused(R"({"person": {"record": {"PLANTED": 1, "debt": 1, "age": 2, "income": 1,
                          "home": "rent"}}})",
                      400),
              HasSubstr("no feature"));
  EXPECT_THAT(refused(R"({"person": {"record": {"income": PLANTED}}})", 400), HasSubstr("no JSON"));
  EXPECT_THAT(refused(R"({"person": {"row": 0}, "target": 2})", 422), HasSubstr("target is 2"));
  EXPECT_THAT(refused(R"({"person": {"row": 3}})", 404), HasSubstr("rows 0 to 2"));
  EXPECT_THAT(refused(R"({"person": {"row": 0}, "tagret": 0.1})", 400), HasSubstr("'target'"));
}

TEST(Service, EventsComeInTheirOrder) {
  const Service asked = service();
  std::vector<std::string> names;
  std::string row;
  asked.explain_events(R"({"person": {"row": 0}})",
                       [&](std::string_view name, const std::string& json) {
                         names.emplace_back(name);
                         EXPECT_TRUE(Json::accept(json)) << json;
                         if (name == "answer") row = first_row(json);
                       });
  EXPECT_THAT(names, ::testing::ElementsAre("preview", "answer", "certificate", "done"));
  EXPECT_EQ(row, first_row(asked.explain(R"({"person": {"row": 0}})", "").text));
}

TEST(Service, AStopEndsTheWork) {
  const Service asked = service();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(
      detail_of(
          [&] {
            static_cast<void>(asked.explain(R"({"person": {"row": 0}})", "", stop.get_token()));
          },
          503)
          .empty(),
      false);
}

TEST(Service, CloudSaysWhatFails) {
  const Service asked = service();
  const Json cloud = Json::parse(asked.cloud(
      R"({"person": {"row": 0}, "target": 0.2, "count": 500,
          "after": {"income": "55", "debt": "20", "age": "50", "home": "rent"}})"));
  EXPECT_EQ(cloud["count"], 500);
  EXPECT_EQ(cloud["passed"].get<int>() + cloud["failed"].get<int>(), 500);
  EXPECT_EQ(cloud["outcomes"].size(), 500U);
  EXPECT_GT(cloud["failed"], 0);
  for (const Json& one : cloud["outcomes"]) {
    EXPECT_EQ(one["values"].size(), cloud["features"].size());
    EXPECT_TRUE(!one["ok"] || one["culprits"].empty());
  }
}

TEST(Service, ComparesMethodsAndTargets) {
  const Service asked = service();
  const Json compared = Json::parse(asked.compare(R"({"person": {"row": 0}, "target": 0.3})"));
  ASSERT_EQ(compared["methods"].size(), 4U);
  for (const Json& one : compared["methods"]) {
    EXPECT_TRUE(one["problem"].is_null()) << one.dump();
    EXPECT_EQ(one["row"]["method"], one["method"]);
  }
  const Json curve =
      Json::parse(asked.tradeoff(R"({"person": {"row": 0}, "targets": [0.3, 0.1, 0.02]})"));
  ASSERT_EQ(curve["points"].size(), 3U);
  EXPECT_LT(curve["points"][0]["cost"], curve["points"][2]["cost"]);
}

TEST(Service, JudgesAGivenRecord) {
  const Service asked = service();
  const Json answer = Json::parse(asked.certify(
      R"({"person": {"row": 0}, "target": 0.2,
          "after": {"income": "95", "debt": "5", "age": "50", "home": "own"}})"));
  EXPECT_EQ(answer["rows"][0]["method"], "given");
  EXPECT_THAT(answer["rows"][0]["certificate"].dump(), HasSubstr("audit"));
  EXPECT_FALSE(answer["rows"][0]["broken_rules"].empty());
}

TEST(Service, ListsPeople) {
  const Service asked = service();
  const Json all = Json::parse(asked.people({.sort = "-score", .limit = 2}));
  EXPECT_EQ(all["total"], 3);
  EXPECT_EQ(all["people"][0]["row"], 1);
  EXPECT_EQ(all["people"][0]["decision"], "accepted");
  const Json rest = Json::parse(
      asked.people({.sort = "-score", .cursor = all["next"].get<std::string>(), .limit = 2}));
  EXPECT_EQ(rest["people"].size(), 1U);
  EXPECT_TRUE(rest["next"].is_null());
  EXPECT_EQ(Json::parse(asked.people({.text = "OWN"}))["matching"], 2);
  EXPECT_EQ(Json::parse(asked.people({.decision = "rejected"}))["matching"], 2);
  EXPECT_EQ(Json::parse(asked.person(2))["record"]["income"], "30");
  EXPECT_THROW(static_cast<void>(asked.person(3)), NotFound);
}

TEST(Service, ServesManyThreadsWithTheSameAnswers) {
  const Service asked = service();
  const std::string question = R"({"person": {"row": 0}, "target": 0.1})";
  const std::string expected = first_row(service().explain(question, "").text);
  std::atomic<int> same = 0;
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < 4; ++k) {
      threads.emplace_back([&] {
        for (int i = 0; i < 5; ++i) {
          same += first_row(asked.explain(question, "").text) == expected ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(same, 20);
}

}  // namespace
}  // namespace croco
