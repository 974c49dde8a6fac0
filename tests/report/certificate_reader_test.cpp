// SPDX-License-Identifier: Apache-2.0
// Certificates that anybody may have written: refused with a message, or found out.
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include <croco/base/numbers.hpp>
#include <croco/base/random.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/writer.hpp>
#include <tests/report/certificate_files.hpp>

namespace croco {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CertificateReader : public CertificateFiles {
 protected:
  /// Whether two records have the same levels, and the same numbers however they are written.
  static bool same_values(const Json& a, const Json& b) {
    if (a.size() != b.size()) return false;
    for (const auto& [name, value] : b.items()) {
      if (!a.contains(name)) return false;
      const auto number = parse_number(value.get<std::string>());
      const bool same =
          number ? parse_number(a.at(name).get<std::string>()) == number : a.at(name) == value;
      if (!same) return false;
    }
    return true;
  }
};

TEST_F(CertificateReader, EveryKeyIsNeededAndNoOtherIsTaken) {
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
              HasSubstr("the key 'comment' is unknown; a certificate of version 2"));
  more = json;
  more["noise"]["correlation"] = 1;
  EXPECT_THAT(failures(more), HasSubstr("the key 'noise.correlation' is unknown"));
}

TEST_F(CertificateReader, RefusesTextThatIsNoCertificate) {
  EXPECT_THAT(reading(""), StartsWith("c.json: "));
  EXPECT_THAT(reading("{"), StartsWith("c.json: "));
  EXPECT_EQ(reading("[1, 2]"), "c.json: the certificate is [1,2]; it must be an object");
  EXPECT_THAT(reading("{}"), HasSubstr("the key 'croco_certificate' is missing"));
  EXPECT_THAT(reading(R"({"croco_certificate": "one"})"),
              HasSubstr("'croco_certificate' is no number; this program reads versions 1 to 3"));
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
  EXPECT_EQ(with(R"("scale":0.05)", R"("column_scales":{})"),
            "c.json: 'noise.column_scales' is {}; it must be a scale for every column");
}

TEST_F(CertificateReader, AnswersWithoutACertificateHaveNone) {
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

/// Whatever bytes are changed: read and found out, or refused with a message; never anything else.
TEST_F(CertificateReader, MutatedTextNeverPassesAsSomethingElse) {
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
      } else if (key == "before" || key == "recommended") {
        EXPECT_TRUE(same_values(parsed.at(key), value)) << key << ": " << parsed.at(key);
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
