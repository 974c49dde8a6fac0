// SPDX-License-Identifier: Apache-2.0
/// Certificates of the small world of people, as files.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/sha256.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/verification_report.hpp>
#include <croco/verify/verify.hpp>
#include <tests/people.hpp>

namespace croco {

class CertificateFiles : public testing::Test {
 protected:
  using Json = nlohmann::ordered_json;

  [[nodiscard]] static LoadedModel loaded(const std::shared_ptr<const Mlp>& model) {
    return {"people", "people.json", std::string(64, 'a'), model, people::codec(), {}};
  }
  [[nodiscard]] static ExplainOptions options(double target = 0.1) {
    ExplainOptions out;
    out.method = Certified{.target = target};
    out.noise = Noise{.scale = 0.05, .scope = NoiseScope::continuous};
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
            .noise = explainer.noise(),
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

  inline static const VerifyOptions kQuick{.seed = 5, .samples = 20'000};
  std::shared_ptr<const Mlp> model_ = people::hidden_model();
};

}  // namespace croco
