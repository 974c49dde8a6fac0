// SPDX-License-Identifier: Apache-2.0
#include <croco/report/first_version.hpp>

#include <map>

#include <tests/report/certificate_files.hpp>

namespace croco {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Certificates of version 1, from those that are written now.
class FirstVersion : public CertificateFiles {
 protected:
  [[nodiscard]] static Json first(const Json& certificate) {
    const std::map<std::string, std::string> names{
        {"recommended", "told"}, {"first_sample", "first_draw"}, {"samples_of", "draws"}};
    Json out = Json::object();
    for (const auto& [key, value] : certificate.items()) {
      const auto found = names.find(key);
      out[found == names.end() ? key : found->second] = value;
    }
    out["croco_certificate"] = 1;
    std::string text = out.at("statement");
    replace(text, " % confidence;", " % sure;");
    replace(text, "fresh samples", "fresh draws");
    out["statement"] = text;
    return out;
  }
  static void replace(std::string& text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, from.size(), to);
  }
};

TEST_F(FirstVersion, CertificatesHold) {
  const Json old = first(certificate(model_));
  EXPECT_EQ(failures(old), "");
  EXPECT_EQ(check(old).findings.back().text, "the sentence says what the numbers say");
  Json other = old;  // worded by a program whose words are not known
  other["program"] = "croco 0.0.1";
  other["statement"] = "It holds.";
  EXPECT_TRUE(check(other).findings.back().note);
}

TEST_F(FirstVersion, CertificatesAreCheckedAsStrictly) {
  const Json old = first(certificate(model_));
  const auto with = [&](const char* key, const Json& value) {
    Json changed = old;
    changed[key] = value;
    return failures(changed);
  };
  EXPECT_THAT(with("statement", "It is safe."), HasSubstr("statement: the sentence of the"));
  EXPECT_THAT(with("first_draw", 1), HasSubstr("plan: 'first_draw' is 1; attempt 0 of 20000"));
  EXPECT_THAT(with("draws", 0), HasSubstr("samples: generated again"));
  EXPECT_THAT(with("draws", "mine"), HasSubstr("'draws' is \"mine\"; it must be one of shared"));
  EXPECT_THAT(with("told", Json::object()),
              HasSubstr("record: 'told' does not name exactly the features of the model"));
  for (const char* key : {"recommended", "first_sample", "samples_of"}) {
    EXPECT_THAT(with(key, 0), HasSubstr("is unknown; a certificate of version 1 does not have"));
  }
  for (const char* key : {"told", "first_draw", "draws"}) {
    Json changed = old;
    changed.erase(key);
    EXPECT_THAT(failures(changed), HasSubstr("is missing; a certificate of version 1 has it"));
    changed = certificate(model_);
    changed[key] = old.at(key);
    EXPECT_THAT(failures(changed), HasSubstr("is unknown; a certificate of version 2 does not"));
  }
}

TEST(FirstVersionRows, HaveOtherKeys) {
  EXPECT_EQ(alternative_key(1), "option");
  EXPECT_EQ(alternative_key(2), "alternative");
  const auto renamed = nlohmann::json::parse(with_current_keys(
      R"({"option":2,"obstacle":{"kind":"draws","would_do":[1]},"certificate":{"told":{"a":"1"}}})"));
  EXPECT_EQ(renamed, nlohmann::json::parse(R"({"alternative":2,
      "obstacle":{"kind":"samples","relaxations":[1]},
      "certificate":{"recommended":{"a":"1"},"croco_certificate":2}})"));
  for (const char* row : {R"({"alternative":1})", R"({"obstacle":{"relaxations":[]}})",
                          R"({"certificate":{"samples_of":1}})"}) {
    EXPECT_THAT(fixtures::message_of<DataError>([&] { return with_current_keys(row); }),
                HasSubstr("is there; version 1 of the format does not have it"));
  }
}

TEST(FirstVersionRows, HaveOtherWords) {
  EXPECT_EQ(in_current_words("at least 98 (99.9 % sure of all 2 answers together; 3 of 10 fresh "
                             "draws failed, no more were made as the target is out of reach)"),
            "at least 98 (99.9 % confidence for all 2 answers together; 3 of 10 fresh samples "
            "failed; sampling stopped, as the target is out of reach)");
  EXPECT_EQ(in_current_words("99 % sure, 98 % sure"), "99 % confidence, 98 % confidence");
  // Sentences alone: what people have stays as it is.
  EXPECT_EQ(row_in_current_words(R"({"before":{"a":"1 % sure"},"reason":"1 % sure"})"),
            R"({"before":{"a":"1 % sure"},"reason":"1 % confidence"})");
}

}  // namespace
}  // namespace croco
