// SPDX-License-Identifier: Apache-2.0
#include <croco/report/verification_report.hpp>

#include <fmt/format.h>

#include <croco/base/version.hpp>
#include <croco/report/narrate.hpp>

namespace croco {
namespace {

std::string sentence_of(const StatedCertificate& stated, const LoadedModel& loaded,
                        const Noise& noise, const Explanation& answer) {
  const ReportContext context{.codec = loaded.codec,
                              .method = {},
                              .target = stated.target,
                              .noise = noise,
                              .goal = stated.goal,
                              .model_name = loaded.name,
                              .model_fingerprint = loaded.fingerprint,
                              .schema_fingerprint = stated.schema_fingerprint};
  return certificate_sentence(context, answer);
}

}  // namespace

void check_statement(const StatedCertificate& stated, const LoadedModel& loaded,
                     Verification& verification) {
  if (!verification.answer) return;
  const bool comparable = stated.program == "croco " + std::string(version());
  const bool same =
      stated.statement == sentence_of(stated, loaded, verification.noise, *verification.answer);
  std::string text = "the sentence says what the numbers say";
  if (!same) {
    text = comparable
               ? "the sentence of the certificate is not what its numbers say"
               : fmt::format("NOT CHECKED: the sentence was worded by '{}'; what counts is the one "
                             "here",
                             stated.program.substr(0, 40));
  }
  verification.findings.push_back(
      {Check::statement, same || !comparable, std::move(text), !same && !comparable});
}

namespace {

/// " (row 12, option 2)".
std::string place_of(const StatedCertificate& stated) {
  if (!stated.row) return {};
  if (!stated.option) return fmt::format(" (row {})", *stated.row);
  return fmt::format(" (row {}, option {})", *stated.row, *stated.option);
}

}  // namespace

std::string verification_text(const StatedCertificate& stated, const LoadedModel& loaded,
                              const Verification& verification) {
  const bool holds = verification.holds();
  const bool missed = verification.misses_target();
  std::string out =
      fmt::format("{}{}: {}{}\n", stated.source, place_of(stated),
                  holds ? "the certificate holds" : "THE CERTIFICATE DOES NOT HOLD",
                  holds && missed ? "; its target is NOT met, as it says" : "");
  if (holds && verification.answer) {
    out += wrapped(sentence_of(stated, loaded, verification.noise, *verification.answer));
  }
  return out + findings_text(verification.findings);
}

std::string findings_text(std::span<const Finding> findings) {
  std::string out;
  for (const Finding& finding : findings) {
    const std::string_view verdict = !finding.holds ? "FAIL" : finding.note ? "note" : "ok";
    out += fmt::format("  {:<4} {:<10} {}\n", verdict, name_of(finding.check), finding.text);
  }
  return out;
}

std::string certificate_scope() {
  return "A certificate is about this model file, this noise, this threshold and the told record.\n"
         "It says nothing of a model that was trained again, of other noise or larger errors, of\n"
         "other changes in the person's data, or of decisions that are not the model's. Whoever\n"
         "issued it may have tried several seeds; the fresh draws of a --seed of your own choice\n"
         "are evidence that they could not choose.\n";
}

}  // namespace croco
