// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/base/version.hpp>
#include <croco/report/advice_plan.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/writer.hpp>
#include <tests/report/answers.hpp>

namespace croco {
namespace {

using Json = nlohmann::json;
using testing::IsSupersetOf;

class JsonReport : public testing::Test {
 protected:
  [[nodiscard]] Json parsed(const Explanation& answer) const {
    const std::string line = json_line(context_, answer);
    EXPECT_TRUE(line.ends_with('\n'));
    EXPECT_EQ(std::ranges::count(line, '\n'), 1) << "one answer, one line";
    return Json::parse(line);
  }

  Codec codec_ = people::codec();
  ReportContext context_ = answers::context(codec_);
};

TEST_F(JsonReport, SaysWhatTheAnswerIs) {
  const Json json = parsed(answers::found());
  EXPECT_EQ(json.at("row"), 12);
  EXPECT_EQ(json.at("status"), "found");
  EXPECT_FALSE(json.contains("reason"));
  EXPECT_EQ(json.at("method"), "croco");
  EXPECT_EQ(json.at("score_before"), 0.25);
  EXPECT_EQ(json.at("score"), 0.875);
  EXPECT_EQ(json.at("valid"), true);
  EXPECT_EQ(json.at("features_changed"), 2);
  EXPECT_EQ(json.at("distance"), Json({{"l0", 2},
                                       {"l1", 0.5},
                                       {"l2", 0.25},
                                       {"linf", 0.375},
                                       {"cost", 1.0},
                                       {"level_price", 0.0}}));
  EXPECT_EQ(json.at("before"),
            Json({{"income", "40"}, {"debt", "10"}, {"age", "30"}, {"home", "rent"}}));
  EXPECT_EQ(json.at("after").at("income"), "75");
  EXPECT_EQ(
      json.at("changes"),
      Json::array(
          {{{"feature", "income"},
            {"label", "Income"},
            {"unit", "k"},
            {"from", "40"},
            {"to", "75"}},
           {{"feature", "debt"}, {"label", "debt"}, {"unit", ""}, {"from", "10"}, {"to", "2.5"}}}));
  EXPECT_EQ(json.at("search"), Json({{"steps", 200}, {"rate", 0.0421}, {"bound", 0.05}}));
}

TEST_F(JsonReport, ThePlanIsTheOneThatIsPrinted) {
  const Json plan = parsed(answers::found()).at("plan");
  ASSERT_EQ(plan.at("steps").size(), 2);
  EXPECT_EQ(plan.at("steps")[1], Json({{"feature", "debt"},
                                       {"label", "debt"},
                                       {"type", "numeric"},
                                       {"unit", ""},
                                       {"from", "10"},
                                       {"to", "2.5"},
                                       {"phrase", "lower debt from 10 to 2.5"},
                                       {"price", std::abs(0.05 - 0.2)},
                                       {"noise", {{"sd", 0.1 * 50}, {"text", "about 5"}}}}));
  EXPECT_EQ(plan.at("cost"), 1);
  EXPECT_EQ(plan.at("level_price"), 0);
  EXPECT_EQ(plan.at("other_noise"), Json::array({"age"}));
  EXPECT_EQ(plan.at("promise"), Json({{"cases_of_hundred", 95.4},
                                      {"confidence", 0.999},
                                      {"exact", false},
                                      {"target_met", true}}));
  const AdvicePlan printed = *advice_plan(context_, answers::found());
  EXPECT_EQ(plan.at("sentences"), Json::array({printed.action, printed.outlook}));
}

TEST_F(JsonReport, TheCertificateStandsAlone) {
  const Json certificate = parsed(answers::found()).at("certificate");
  std::vector<std::string> keys;
  for (const auto& [key, value] : certificate.items()) keys.push_back(key);
  EXPECT_THAT(keys, IsSupersetOf({"point",
                                  "origin",
                                  "model_sha256",
                                  "schema_sha256",
                                  "noise",
                                  "threshold",
                                  "wanted",
                                  "target",
                                  "seed",
                                  "purpose",
                                  "samples",
                                  "invalid",
                                  "upper",
                                  "confidence",
                                  "program",
                                  "family",
                                  "bound_confidence",
                                  "first_sample",
                                  "samples_of",
                                  "attempt",
                                  "attempts",
                                  "looks",
                                  "maximum",
                                  "stopped",
                                  "before",
                                  "recommended"}));
  EXPECT_EQ(certificate.at("point"), Json({{"income", 0.75},
                                           {"debt", 0.05},
                                           {"age", 0.125},
                                           {"home_rent", 1.0},
                                           {"home_own", 0.0}}));
  EXPECT_EQ(certificate.at("origin").at("income"), 0.4);
  EXPECT_EQ(certificate.at("model_sha256"), std::string(64, 'a'));
  EXPECT_EQ(certificate.at("schema_sha256"), std::string(64, 'b'));
  EXPECT_EQ(
      certificate.at("noise"),
      Json({{"shape", "gaussian"}, {"scale", 0.1}, {"on", "continuous"}, {"falls_short", false}}));
  EXPECT_EQ(certificate.at("threshold"), 0.5);
  EXPECT_EQ(certificate.at("wanted"), 1);
  EXPECT_EQ(certificate.at("target"), 0.05);
  EXPECT_EQ(certificate.at("target_met"), true);
  EXPECT_EQ(certificate.at("seed"), 7);
  EXPECT_EQ(certificate.at("purpose"), "certify");
  EXPECT_EQ(certificate.at("samples_of"), "shared");
  EXPECT_EQ(certificate.at("bound"), "clopper-pearson");
  EXPECT_EQ(certificate.at("samples"), 100'000);
  EXPECT_EQ(certificate.at("invalid"), 4321);
  EXPECT_EQ(certificate.at("upper"), 0.0452);
  EXPECT_EQ(certificate.at("confidence"), 0.999);
  EXPECT_EQ(certificate.at("program"), "croco " + std::string(version()));
  EXPECT_EQ(certificate.at("statement"), certificate_sentence(context_, answers::found()));
}

TEST_F(JsonReport, NoiseIsSpeltOut) {
  context_.noise = Noise{.shape = NoiseShape::student_t,
                         .degrees_of_freedom = 4,
                         .column_scales = {0.5, 0, 0.25, 0, 0},
                         .scope = NoiseScope::changed,
                         .falls_short = true};
  const Json noise = parsed(answers::found()).at("certificate").at("noise");
  EXPECT_EQ(noise.at("shape"), "student-t");
  EXPECT_EQ(noise.at("dof"), 4);
  EXPECT_EQ(noise.at("on"), "changed");
  EXPECT_EQ(noise.at("falls_short"), true);
  EXPECT_EQ(noise.at("column_scales").at("income"), 0.5);
  EXPECT_EQ(noise.at("column_scales").at("age"), 0) << "it cannot change, so no sample touches it";
  EXPECT_FALSE(noise.contains("scale"));
}

TEST_F(JsonReport, OwnDrawsNameThePerson) {
  Explanation answer = answers::found();
  answer.certificate->shared_draws = false;
  EXPECT_EQ(parsed(answer).at("certificate").at("samples_of"), 12);
}

TEST_F(JsonReport, WithoutATargetNoneIsWritten) {
  context_.target.reset();
  Explanation answer = answers::found();
  answer.target_met.reset();
  const Json certificate = parsed(answer).at("certificate");
  EXPECT_FALSE(certificate.contains("target"));
  EXPECT_FALSE(certificate.contains("target_met"));
}

TEST_F(JsonReport, WithoutAdviceThereIsNoCertificate) {
  const Json infeasible = parsed(answers::infeasible());
  EXPECT_EQ(infeasible.at("reason"), answers::infeasible().reason);
  EXPECT_EQ(infeasible.at("score_before"), 0.125);
  for (const char* key : {"certificate", "after", "changes", "plan", "valid", "score"}) {
    EXPECT_FALSE(infeasible.contains(key)) << key;
  }
  EXPECT_EQ(parsed(answers::already()).at("status"), "already");
  const Json error = parsed(answers::error());
  EXPECT_EQ(error.at("status"), "error");
  EXPECT_EQ(error.at("reason"), "people.csv, line 8: has 3 fields, but the header has 4");
  EXPECT_FALSE(error.contains("score_before"));
}

TEST_F(JsonReport, AnyBytesStillParse) {
  Explanation answer = answers::found();
  answer.before[3] = "caf\xe9\n\"\x01";
  EXPECT_EQ(parsed(answer).at("before").at("home"), "caf\xef\xbf\xbd\n\"\x01");
}

TEST_F(JsonReport, NumbersReadBackAsTheSameDoubles) {
  Explanation answer = answers::found();
  answer.point[0] = 0.1 + 0.2;
  answer.certificate->upper = 1.0 / 3;
  const Json certificate = parsed(answer).at("certificate");
  EXPECT_EQ(certificate.at("point").at("income").get<double>(), 0.1 + 0.2);
  EXPECT_EQ(certificate.at("upper").get<double>(), 1.0 / 3);
}

}  // namespace
}  // namespace croco
