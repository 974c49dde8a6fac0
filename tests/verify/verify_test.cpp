// SPDX-License-Identifier: Apache-2.0
// Certificates as files: what is written is read, and what was changed in between is found.
#include <croco/verify/verify.hpp>

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/verification_report.hpp>
#include <tests/report/certificate_files.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::StartsWith;

class VerificationTest : public CertificateFiles {};

TEST_F(VerificationTest, WhatExplainWroteHolds) {
  ExplainOptions with = options();
  std::vector<ExplainOptions> all{with};
  with.shared_draws = false;
  with.certify.family = 40;
  all.push_back(with);
  with.certify.sequential = false;
  with.certify.bound = BoundKind::hoeffding;
  all.push_back(with);
  with.noise->falls_short = true;
  with.noise->scope = NoiseScope::changed;
  all.push_back(with);
  with.noise = Noise{.shape = NoiseShape::student_t, .column_scales = {0.02, 0.03, 0.04, 0, 0}};
  all.push_back(with);
  with.method = Wachter{};
  all.push_back(with);
  for (const ExplainOptions& each : all) {
    const Json json = certificate(model_, each);
    EXPECT_EQ(failures(json), "") << json.dump(2);
    const bool fixed = json.at("looks") == "one";
    EXPECT_EQ(fixed, !each.certify.sequential || std::holds_alternative<Wachter>(each.method));
  }
}

TEST_F(VerificationTest, ExactCertificatesHoldForALinearModelOnly) {
  const auto linear = people::model();
  const Json json = certificate(linear);
  EXPECT_EQ(json.at("bound"), "exact");
  EXPECT_FALSE(json.contains("seed"));
  EXPECT_THAT(failures(json), HasSubstr("plan: an exact rate needs a linear model"));
  model_ = linear;
  EXPECT_EQ(failures(json), "");
  Json wrong = json;
  wrong["upper"] = json.at("upper").get<double>() * 0.99;
  EXPECT_THAT(failures(wrong), HasSubstr("from the closed form it is"));
  wrong = json;
  wrong["samples"] = 100;
  EXPECT_THAT(failures(wrong), StartsWith("plan: an exact certificate has 0 samples"));
  wrong = json;
  wrong["seed"] = 1;
  EXPECT_THAT(failures(wrong), HasSubstr("the key 'seed' is unknown"));
}

/// Each field changed by itself: the name, the change, and how it is found.
struct Tampering {
  std::string key;
  Json value;
  std::string found;
};

TEST_F(VerificationTest, EveryFieldThatWasChangedIsFound) {
  const Json json = certificate(model_);
  ASSERT_EQ(failures(json), "");
  ASSERT_EQ(json.at("bound"), "clopper-pearson");
  const double upper = json.at("upper");
  const double bound_confidence = json.at("bound_confidence");
  Json before = json.at("before");
  before["income"] = "41";
  Json recommended = json.at("recommended");
  recommended["income"] = "99";
  Json other_level = json.at("recommended");
  other_level["home"] = "castle";
  Json origin = json.at("origin");
  origin["income"] = 0.41;
  Json point = json.at("point");
  point["debt"] = 0.0;
  Json other_column = json.at("point");
  other_column.erase("debt");
  other_column["debts"] = 0.2;
  Json scale = json.at("noise");
  scale["scale"] = 0.04;
  Json shape = json.at("noise");
  shape["shape"] = "uniform";
  Json scope = json.at("noise");
  scope["on"] = "all";
  Json short_fall = json.at("noise");
  short_fall["falls_short"] = true;
  const std::vector<Tampering> tamperings{
      {"croco_certificate", 4, "malformed: certificate.json: 'croco_certificate' is 4; this "},
      {"statement", "It is safe.", "statement: the sentence of the certificate is not what its"},
      {"upper", upper * 0.9, "bound: 'upper' is "},
      {"upper", upper * 1.1, "bound: 'upper' is "},
      {"confidence", 0.9999, "plan: 'bound_confidence' is "},
      {"family", 100, "plan: 'bound_confidence' is "},
      {"family", 0, "plan: family is 0"},
      {"bound", "hoeffding", "bound: 'upper' is "},
      {"bound_confidence", 1 - (1 - bound_confidence) / 2, "plan: 'bound_confidence' is "},
      {"samples", json.at("samples").get<std::size_t>() + 1, "plan: 'samples' is "},
      {"invalid", json.at("invalid").get<std::size_t>() - 1, "samples: generated again"},
      {"invalid", json.at("samples").get<std::size_t>() + 1, "bound: 'invalid' is "},
      {"rate", 0.001, "bound: 'rate' is "},
      {"target", 0.02, "target: 'target_met' is true; "},
      {"target", 0.2, "statement: "},
      {"target_met", false, "target: 'target_met' is false; "},
      {"seed", 12, "samples: generated again"},
      {"purpose", "audit", "samples: generated again"},
      {"first_sample", 1, "plan: 'first_sample' is 1; attempt 0 of 20000 samples begins at 0"},
      {"samples_of", 0, "samples: generated again"},
      {"attempt", 1, "plan: 'first_sample' is 0; attempt 1 of 20000 samples begins at 20000"},
      {"attempt", 3, "plan: attempt is 3; it must be below the number of attempts, 3"},
      {"attempts", 1, "plan: 'bound_confidence' is "},
      {"looks", "one", "plan: "},
      {"maximum", 40'000, "plan: "},
      {"maximum", 200'000'000, "plan: 'maximum' is 200000000; more than 100000000 samples"},
      {"stopped", "futile", "samples: generated again, the sampling ends at "},
      {"noise", scale, "samples: generated again"},
      {"noise", shape, "samples: generated again"},
      {"noise", scope, "statement: the sentence of the certificate is not what its"},
      {"noise", short_fall, "samples: generated again"},
      {"threshold", 0.55, "samples: generated again"},
      {"wanted", 0, "target: "},
      {"model_sha256", std::string(64, 'b'), "model: another model file: SHA-256 aaaaaaaaaaaaaaaa"},
      {"schema_sha256", std::string(64, 'b'), "schema: another encoding"},
      {"before", before, "record: the record 'before' does not encode to the origin: in column "},
      {"recommended", recommended,
       "record: the recommended record does not encode to the certified point: in column "
       "'income'"},
      {"recommended", other_level,
       "record: the recommended record does not encode to the certified point: "},
      {"origin", origin, "record: the record 'before' does not encode to the origin"},
      {"point", point, "record: the recommended record does not encode to the certified point"},
      {"point", other_column, "record: 'point' does not name exactly the columns of the model"},
  };
  std::map<std::string, int> covered;
  for (const Tampering& tampering : tamperings) {
    Json changed = json;
    ASSERT_TRUE(changed.contains(tampering.key)) << tampering.key;
    ASSERT_NE(changed[tampering.key], tampering.value) << tampering.key;
    changed[tampering.key] = tampering.value;
    EXPECT_THAT(failures(changed), HasSubstr(tampering.found))
        << tampering.key << " " << tampering.value;
    ++covered[tampering.key];
  }
  // Who wrote it proves nothing, so nothing rests on it: the sentence that verify prints is made
  // from the numbers.
  Json program = json;
  program["program"] = "croco 99.0.0";
  EXPECT_EQ(failures(program), "");
  ++covered["program"];
  for (const auto& [key, value] : json.items()) EXPECT_EQ(covered.count(key), 1U) << key;
}

/// A forger who may choose every number consistently, and whose only lie is the seed that was found
/// by trying many: nothing but fresh samples can tell.
TEST_F(VerificationTest, FreshDrawsContradictALuckySeed) {
  ExplainOptions lucky = options(0.1);
  lucky.method = Wachter{};
  lucky.certify = {.samples = 5, .confidence = 0.01};  // 5 draws, and hardly any confidence
  lucky.noise->scale = 0.4;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    lucky.seed = seed;
    const Json json = certificate(model_, lucky);
    if (json.at("invalid") != 0) continue;
    EXPECT_THAT(failures(json), StartsWith("fresh: "));
    EXPECT_THAT(failures(json), HasSubstr("that contradicts the bound"));
    return;
  }
  FAIL() << "no seed was lucky";
}

TEST_F(VerificationTest, FreshDrawsAreNotTheCertificatesOwn) {
  Json json = certificate(model_);
  json["purpose"] = "audit";
  EXPECT_EQ(fixtures::message_of<InvalidArgument>(
                [&] { return check(json, {.seed = 11, .samples = 1000}); }),
            "seed is 11, the one of the certificate; fresh samples need another");
  const Verification other = check(certificate(model_), {.samples = 1000});
  const auto fresh = std::ranges::find(other.findings, Check::fresh, &Finding::check);
  ASSERT_NE(fresh, other.findings.end());
  EXPECT_THAT(fresh->text, HasSubstr("1000 other samples fail (seed 12)"));
}

TEST_F(VerificationTest, AMissedTargetThatIsStatedHoldsAndIsSaid) {
  // At best .75: accepted, but not by a margin that survives.
  const Json json = certificate(model_, options(0.001), people::everyone()[3]);
  EXPECT_EQ(json.at("target_met"), false);
  EXPECT_EQ(failures(json), "");
  const Verification missed = check(json);
  EXPECT_TRUE(missed.misses_target());
  const std::string text =
      verification_text(*read_certificate(json.dump(), "c.json"), loaded(model_), missed);
  EXPECT_THAT(text, StartsWith("c.json: the certificate holds\n"
                               "  The target is not met, and the certificate says so.\n"));
  EXPECT_THAT(text, HasSubstr("  note target     not met, as the certificate says: the bound of "));
  EXPECT_THAT(text, HasSubstr(" is above the target of 0.1 %\n"));
  Json forged = json;
  forged["target_met"] = true;
  EXPECT_THAT(failures(forged), HasSubstr("target: 'target_met' is true; "));
}

TEST_F(VerificationTest, TextSaysWhatWasFound) {
  const Json json = certificate(model_);
  const auto stated = read_certificate(json.dump(), "c.json");
  const Verification good = check(json);
  EXPECT_THAT(verification_text(*stated, loaded(model_), good),
              testing::AllOf(StartsWith("c.json: the certificate holds\n  Carried out with "),
                             HasSubstr("  ok   samples    generated again, ")));
  Json changed = json;
  changed["seed"] = 12;
  EXPECT_THAT(verification_text(*stated, loaded(model_), check(changed)),
              testing::AllOf(StartsWith("c.json: THE CERTIFICATE DOES NOT HOLD\n"),
                             HasSubstr("  FAIL samples    generated again, ")));
  EXPECT_THAT(certificate_scope({}), HasSubstr("nothing about a retrained model"));
}

}  // namespace
}  // namespace croco
