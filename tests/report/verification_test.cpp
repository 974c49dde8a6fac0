// SPDX-License-Identifier: Apache-2.0
// Certificates as files: what is written is read, and what was changed in between is found.
#include <algorithm>
#include <functional>
#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/sha256.hpp>
#include <croco/explain/verify.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/verification_report.hpp>
#include <croco/report/writer.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::StartsWith;

class VerificationTest : public testing::Test {
 protected:
  [[nodiscard]] static LoadedModel loaded(const std::shared_ptr<const Mlp>& model) {
    return {"people", "people.json", std::string(64, 'a'), model, people::codec(), {}};
  }
  [[nodiscard]] static ExplainOptions options(double target = 0.1) {
    ExplainOptions out;
    out.method = Certified{.target = target};
    out.noise = {.scale = 0.05, .scope = NoiseScope::continuous};
    out.certify = {.samples = 20'000};
    out.seed = 11;
    return out;
  }
  /// The certificate of person 0 in JSON.
  [[nodiscard]] static Json certificate(const std::shared_ptr<const Mlp>& model,
                                        const ExplainOptions& with = options(),
                                        const Person& person = people::everyone()[0]) {
    const Explainer explainer(model, people::codec(), with);
    const auto answers = explainer.explain(std::span(&person, 1));
    return Json::parse(certificate_json(context(explainer), answers.at(0)));
  }
  [[nodiscard]] static ReportContext context(const Explainer& explainer) {
    return {.codec = explainer.codec(),
            .method = "certified",
            .target = target_of(explainer.options().method),
            .noise = explainer.options().noise,
            .goal = explainer.options().goal,
            .model_name = "people",
            .model_fingerprint = std::string(64, 'a'),
            .schema_fingerprint = sha256(explainer.codec().json())};
  }
  [[nodiscard]] Verification check(const Json& json, const VerifyOptions& with = kQuick) const {
    const auto stated = read_certificate(json.dump(), "certificate.json");
    EXPECT_TRUE(stated);
    Verification verification = verify(*stated, loaded(model_), with);
    check_statement(*stated, loaded(model_), verification);
    return verification;
  }
  /// What is wrong, by the name of the check; "" when nothing is.
  [[nodiscard]] std::string failures(const Json& json) const {
    std::string out;
    try {
      for (const Finding& finding : check(json).findings) {
        if (!finding.holds) out += fmt::format("{}: {}\n", name_of(finding.check), finding.text);
      }
    } catch (const DataError& error) {
      return fmt::format("malformed: {}\n", error.what());
    }
    return out;
  }
  [[nodiscard]] std::string reading(const std::string& text) const {
    return fixtures::message_of<DataError>([&] { return read_certificate(text, "c.json"); });
  }

  static constexpr VerifyOptions kQuick{.seed = 5, .samples = 20'000};
  std::shared_ptr<const Mlp> model_ = people::hidden_model();
};

TEST_F(VerificationTest, WhatExplainWroteHolds) {
  ExplainOptions with = options();
  std::vector<ExplainOptions> all{with};
  with.shared_draws = false;
  with.certify.family = 40;
  all.push_back(with);
  with.certify.sequential = false;
  with.certify.bound = BoundKind::hoeffding;
  all.push_back(with);
  with.noise.falls_short = true;
  with.noise.scope = NoiseScope::changed;
  all.push_back(with);
  with.noise = {.shape = NoiseShape::student_t, .column_scales = {0.02, 0.03, 0.04, 0, 0}};
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
  Json told = json.at("told");
  told["income"] = "99";
  Json other_level = json.at("told");
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
      {"croco_certificate", 2, "malformed: certificate.json: 'croco_certificate' is 2; this "},
      {"statement", "It is safe.", "statement: the sentence of the certificate is not what its"},
      {"upper", upper * 0.9, "bound: 'upper' is "},
      {"upper", upper * 1.1, "bound: 'upper' is "},
      {"confidence", 0.9999, "plan: 'bound_confidence' is "},
      {"family", 100, "plan: 'bound_confidence' is "},
      {"family", 0, "plan: family is 0"},
      {"bound", "hoeffding", "bound: 'upper' is "},
      {"bound_confidence", 1 - (1 - bound_confidence) / 2, "plan: 'bound_confidence' is "},
      {"samples", json.at("samples").get<std::size_t>() + 1, "plan: 'samples' is "},
      {"invalid", json.at("invalid").get<std::size_t>() - 1, "draws: made again"},
      {"invalid", json.at("samples").get<std::size_t>() + 1, "bound: 'invalid' is "},
      {"rate", 0.001, "bound: 'rate' is "},
      {"target", 0.02, "target: 'target_met' is true; "},
      {"target", 0.2, "statement: "},
      {"target_met", false, "target: 'target_met' is false; "},
      {"seed", 12, "draws: made again"},
      {"purpose", "audit", "draws: made again"},
      {"first_draw", 1, "plan: 'first_draw' is 1; attempt 0 of 20000 draws begins at 0"},
      {"draws", 0, "draws: made again"},
      {"attempt", 1, "plan: 'first_draw' is 0; attempt 1 of 20000 draws begins at 20000"},
      {"attempt", 3, "plan: attempt is 3; it must be below the number of attempts, 3"},
      {"attempts", 1, "plan: 'bound_confidence' is "},
      {"looks", "one", "plan: "},
      {"maximum", 40'000, "plan: "},
      {"maximum", 200'000'000, "plan: 'maximum' is 200000000; more than 100000000 draws"},
      {"stopped", "futile", "draws: made again, the drawing ends at "},
      {"noise", scale, "draws: made again"},
      {"noise", shape, "draws: made again"},
      {"noise", scope, "draws: made again"},
      {"noise", short_fall, "draws: made again"},
      {"threshold", 0.55, "draws: made again"},
      {"wanted", 0, "target: "},
      {"model_sha256", std::string(64, 'b'), "model: another model file: SHA-256 aaaaaaaaaaaaaaaa"},
      {"schema_sha256", std::string(64, 'b'), "schema: another encoding"},
      {"before", before, "record: the record 'before' does not encode to the origin: in column "},
      {"told", told,
       "record: the told record does not encode to the certified point: in column "
       "'income'"},
      {"told", other_level, "record: the told record does not encode to the certified point: "},
      {"origin", origin, "record: the record 'before' does not encode to the origin"},
      {"point", point, "record: the told record does not encode to the certified point"},
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

TEST_F(VerificationTest, EveryKeyIsNeededAndNoOtherIsTaken) {
  const Json json = certificate(model_);
  for (const auto& [key, value] : json.items()) {
    Json without = json;
    without.erase(key);
    if (key == "target" || key == "target_met") {
      EXPECT_THAT(failures(without), HasSubstr(key == "target" ? "plan: planned looks need a target"
                                                               : "target: 'target' and"));
      continue;
    }
    EXPECT_THAT(failures(without),
                StartsWith("malformed: certificate.json: the key '" + key + "' is missing"));
    Json null = json;
    null[key] = nullptr;
    EXPECT_THAT(failures(null), StartsWith("malformed: certificate.json: '" + key + "' is "))
        << key;
  }
  Json more = json;
  more["comment"] = "this is safe";
  EXPECT_THAT(failures(more),
              HasSubstr("the key 'comment' is unknown; a certificate of version 1"));
  more = json;
  more["noise"]["correlation"] = 1;
  EXPECT_THAT(failures(more), HasSubstr("the key 'noise.correlation' is unknown"));
}

TEST_F(VerificationTest, RefusesTextThatIsNoCertificate) {
  EXPECT_THAT(reading(""), StartsWith("c.json: "));
  EXPECT_THAT(reading("{"), StartsWith("c.json: "));
  EXPECT_EQ(reading("[1, 2]"), "c.json: the certificate is [1,2]; it must be an object");
  EXPECT_THAT(reading("{}"), HasSubstr("the key 'croco_certificate' is missing"));
  EXPECT_THAT(reading(R"({"croco_certificate": "one"})"),
              HasSubstr("'croco_certificate' is no number; this program reads version 1"));
  EXPECT_THAT(reading(R"({"croco_certificate": 1, "croco_certificate": 1})"),
              HasSubstr("the key 'croco_certificate' occurs twice"));
  EXPECT_THAT(reading(std::string(100, '[')), HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(reading(std::string(kMaxCertificateBytes + 1, ' ')),
              HasSubstr("has 16777217 bytes; a certificate has at most 16777216"));
  const std::string text = certificate(model_).dump();
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return reading(changed.replace(at, from.size(), to));
  };
  EXPECT_THAT(with(R"("threshold":0.5)", R"("threshold":1e999)"), StartsWith("c.json: "));
  EXPECT_THAT(with(R"("threshold":0.5)", R"("threshold":NaN)"), StartsWith("c.json: "));
  EXPECT_EQ(with(R"("threshold":0.5)", R"("threshold":"0.5")"),
            "c.json: 'threshold' is \"0.5\"; it must be a number from 0 to 1");
  EXPECT_EQ(with(R"("threshold":0.5)", R"("threshold":1)"),
            "c.json: threshold is 1; it must be greater than 0 and less than 1");
  EXPECT_EQ(with(R"("seed":11)", R"("seed":-1)"),
            "c.json: 'seed' is -1; it must be a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(with(R"("scale":0.05)", R"("scale":-0.05)"),
            "c.json: 'noise.scale' is -0.05; it must be a finite number of at least 0");
}

TEST_F(VerificationTest, AnswersWithoutACertificateHaveNone) {
  EXPECT_FALSE(read_certificate(R"({"row": 1, "status": "already"})", "c.json"));
  const Explainer explainer(model_, people::codec(), options());
  const Person person = people::everyone()[0];
  const auto answer = explainer.explain(std::span(&person, 1)).at(0);
  const std::string line = json_line(context(explainer), answer);
  const auto stated = read_certificate(line, "a.jsonl, line 1");
  ASSERT_TRUE(stated);
  EXPECT_EQ(stated->row, 0U);
  // On its own, and indented, it is the same certificate.
  EXPECT_EQ(failures(Json::parse(indented_certificate(line))), "");
  EXPECT_EQ(Json::parse(indented_certificate(line)),
            Json::parse(certificate_json(context(explainer), answer)));
}

/// A forger who may choose every number consistently, and whose only lie is the seed that was found
/// by trying many: nothing but fresh draws can tell.
TEST_F(VerificationTest, FreshDrawsContradictALuckySeed) {
  ExplainOptions lucky = options(0.1);
  lucky.method = Wachter{};
  lucky.certify = {.samples = 5, .confidence = 0.01};  // 5 draws, and hardly any confidence
  lucky.noise.scale = 0.4;
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
            "seed is 11, the one of the certificate; fresh draws need another");
  const Verification other = check(certificate(model_), {.samples = 1000});
  const auto fresh = std::ranges::find(other.findings, Check::fresh, &Finding::check);
  ASSERT_NE(fresh, other.findings.end());
  EXPECT_THAT(fresh->text, HasSubstr("1000 other draws fail (seed 12)"));
}

TEST_F(VerificationTest, AMissedTargetIsNoCertificateOfIt) {
  // At best .75: accepted, but not by a margin that survives.
  const Json json = certificate(model_, options(0.001), people::everyone()[3]);
  EXPECT_EQ(json.at("target_met"), false);
  EXPECT_THAT(failures(json), testing::MatchesRegex(
                                  "target: the bound of [0-9.]+ % is above the target of 0.1 %, as "
                                  "the certificate says\n"));
}

TEST_F(VerificationTest, TextSaysWhatWasFound) {
  const Json json = certificate(model_);
  const auto stated = read_certificate(json.dump(), "c.json");
  const Verification good = check(json);
  EXPECT_THAT(verification_text(*stated, loaded(model_), good),
              testing::AllOf(StartsWith("c.json: the certificate holds\n  Carried out with "),
                             HasSubstr("  ok   draws      made again, ")));
  Json changed = json;
  changed["seed"] = 12;
  EXPECT_THAT(verification_text(*stated, loaded(model_), check(changed)),
              testing::AllOf(StartsWith("c.json: THE CERTIFICATE DOES NOT HOLD\n"),
                             HasSubstr("  FAIL draws      made again, ")));
  EXPECT_THAT(certificate_scope(), HasSubstr("a model that was trained again"));
}

/// Whatever bytes are changed: read and found out, or refused with a message; never anything else.
TEST_F(VerificationTest, MutatedTextNeverPassesAsSomethingElse) {
  const Json original = certificate(model_);
  const std::string text = original.dump();
  const std::string alphabet = "0123456789-+.eE{}[]\",:tfnul \\";
  std::size_t refused = 0;
  std::size_t found = 0;
  std::size_t same = 0;
  Sequence random({17, Purpose::train, 1});
  for (int round = 0; round < 3000; ++round) {
    std::string mutated = text;
    for (std::uint32_t edits = 1 + random.below(3); edits > 0; --edits) {
      const std::size_t at = random.below(static_cast<std::uint32_t>(mutated.size()));
      const char letter = alphabet[random.below(static_cast<std::uint32_t>(alphabet.size()))];
      switch (random.below(4)) {
        case 0:
          mutated.erase(at, 1 + random.below(8));
          break;
        case 1:
          mutated.insert(at, 1, letter);
          break;
        case 2:
          mutated.resize(std::max<std::size_t>(1, at));
          break;
        default:
          mutated[at] = letter;
      }
      if (mutated.empty()) mutated = " ";
    }
    std::optional<StatedCertificate> stated;
    try {
      stated = read_certificate(mutated, "c.json");
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), StartsWith("c.json: "));
      ++refused;
      continue;
    }
    ASSERT_TRUE(stated) << mutated;
    Verification verification = verify(*stated, loaded(model_), {.seed = 5, .samples = 1000});
    check_statement(*stated, loaded(model_), verification);
    if (!verification.holds()) {
      ++found;
      continue;
    }
    // What still holds says the same: but for the program's name, and digits beyond all meaning.
    ++same;
    const Json parsed = Json::parse(mutated);
    for (const auto& [key, value] : original.items()) {
      if (key == "program" || key == "statement") continue;
      if (value.is_number_float()) {
        const double was = value.get<double>();
        EXPECT_NEAR(parsed.at(key).get<double>(), was, 1e-3 * std::abs(was)) << key;
      } else if (key != "noise") {
        EXPECT_EQ(parsed.at(key), value) << key;
      }
    }
  }
  EXPECT_GT(refused, 1000U);
  EXPECT_GT(found, 100U);
  EXPECT_GT(same, 0U);
}

}  // namespace
}  // namespace croco
