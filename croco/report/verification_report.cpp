// SPDX-License-Identifier: Apache-2.0
#include <croco/report/verification_report.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/sha256.hpp>
#include <croco/base/version.hpp>
#include <croco/report/first_version.hpp>
#include <croco/report/model_change_text.hpp>
#include <croco/report/narrate.hpp>
#include <croco/verify/stated_noise.hpp>

namespace croco {
namespace {

ReportContext context_of(const StatedCertificate& stated, const LoadedModel& loaded,
                         const Noise& noise) {
  ReportContext out{.codec = loaded.codec,
                    .method = {},
                    .target = stated.target,
                    .noise = noise,
                    .goal = stated.goal,
                    .model_name = loaded.name,
                    .model_fingerprint = loaded.fingerprint,
                    .schema_fingerprint = stated.schema_fingerprint};
  if (stated.models) {
    ModelPopulation named;
    for (const StatedModels::File& file : stated.models->certify) {
      named.certify.push_back({file.name, file.fingerprint, nullptr});
    }
    out.models = std::make_shared<const ModelPopulation>(std::move(named));
  }
  return out;
}

std::string sentence_of(const StatedCertificate& stated, const LoadedModel& loaded,
                        const Noise& noise, const Explanation& answer) {
  return certificate_sentence(context_of(stated, loaded, noise), answer);
}

/// Whether what is said about retrained models is what the numbers say.
bool same_statements(const StatedCertificate& stated, const LoadedModel& loaded, const Noise& noise,
                     const Explanation& answer) {
  if (!stated.models) return true;
  return stated.models->statements ==
         model_change_sentences(context_of(stated, loaded, noise), answer);
}

}  // namespace

void check_statement(const StatedCertificate& stated, const LoadedModel& loaded,
                     Verification& verification) {
  if (!verification.answer) return;
  const bool comparable = stated.program == "croco " + std::string(version());
  const std::string sentence =
      sentence_of(stated, loaded, verification.noise, *verification.answer);
  const bool same =
      stated.version == kFirstVersion
          ? in_current_words(stated.statement) == in_current_words(sentence)
          : stated.statement == sentence &&
                same_statements(stated, loaded, verification.noise, *verification.answer);
  std::string text = "the sentence says what the numbers say";
  if (!same) {
    text = comparable ? "the sentence of the certificate is not what its numbers say"
                      : fmt::format(
                            "NOT CHECKED: the sentence was worded by '{}'; what counts is the one "
                            "here",
                            stated.program.substr(0, 40));
  }
  verification.findings.push_back(
      {Check::statement, same || !comparable, std::move(text), !same && !comparable});
}

namespace {

/// " (row 12, alternative 2)".
std::string place_of(const StatedCertificate& stated) {
  if (!stated.row) return {};
  if (!stated.alternative) return fmt::format(" (row {})", *stated.row);
  return fmt::format(" (row {}, alternative {})", *stated.row, *stated.alternative);
}

}  // namespace

std::string verification_text(const StatedCertificate& stated, const LoadedModel& loaded,
                              const Verification& verification) {
  const bool holds = verification.holds();
  std::string out = fmt::format("{}{}: {}\n", stated.source, place_of(stated),
                                holds ? "the certificate holds" : "THE CERTIFICATE DOES NOT HOLD");
  // A statement of its own: a certificate that says so rightly holds.
  if (holds && verification.misses_target()) {
    out += "  The target is not met, and the certificate says so.\n";
  }
  if (holds && verification.answer) {
    out += wrapped(sentence_of(stated, loaded, verification.noise, *verification.answer));
    if (stated.models) {
      for (const std::string& text : stated.models->statements) out += wrapped(text);
    }
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

std::string line_text(const ReportLine& line, const LoadedModel& loaded,
                      const Verification* verification, const RowCheck* row) {
  const std::string rest = row == nullptr ? std::string() : findings_text(row->findings);
  if (verification != nullptr) {
    const bool around = row != nullptr && !row->holds();
    std::string out = verification_text(*line.stated, loaded, *verification) + rest;
    if (around && verification->holds()) {
      out = fmt::format("{}: THE ROW DOES NOT HOLD, although a certificate in it does\n{}",
                        line.source, out);
    }
    return out;
  }
  return fmt::format("{} (row {}): {}\n{}", line.source, line.row.value_or(0),
                     row != nullptr && row->holds() ? "the row holds; it has no certificate"
                                                    : "THE ROW DOES NOT HOLD",
                     rest);
}

std::vector<Finding> manifest_findings(std::string_view json, std::string_view report,
                                       const StatedRun& run, const LoadedModel& loaded) {
  std::vector<Finding> out;
  for (std::string& fault : manifest_faults(json, report)) {
    out.push_back({Check::manifest, false, std::move(fault)});
  }
  if (out.empty()) {
    out.push_back({Check::manifest, true,
                   "all lines of the run are here, in their order and as they were written"});
  }
  if (run.model_fingerprint != loaded.fingerprint) {
    out.push_back({Check::model, false, "'model_sha256' of the manifest is that of another model"});
  }
  if (run.schema_fingerprint != sha256(loaded.codec.json())) {
    out.push_back(
        {Check::schema, false, "'schema_sha256' of the manifest is that of another encoding"});
  }
  try {
    require_drawn(stated_noise(run.noise, loaded.codec), loaded.codec);
  } catch (const Error& error) {
    out.push_back({Check::manifest, false, error.what()});
  }
  if (run.rows < run.run.asked) {
    out.push_back({Check::manifest, true,
                   fmt::format("{} of the {} people that were asked for have no answer here: they "
                               "were dropped, or the run was interrupted",
                               run.run.asked - run.rows, run.run.asked),
                   true});
  }
  if (run.program != "croco " + std::string(version())) {
    out.push_back({Check::manifest, true,
                   fmt::format("the report was written by '{}'; what it words otherwise fails here",
                               run.program.substr(0, 40)),
                   true});
  }
  return out;
}

std::string unchecked_text(const std::map<std::string, std::vector<std::string>>& unchecked) {
  if (unchecked.empty()) return {};
  constexpr std::size_t kShown = 8;
  std::string out = "NOT CHECKED (--again makes it again, from the manifest):\n";
  for (const auto& [what, rows] : unchecked) {
    const bool some = rows.size() > kShown;
    out += fmt::format("  {} (row{} {}{})\n", what, rows.size() == 1 ? "" : "s",
                       fmt::join(std::span(rows).first(std::min(kShown, rows.size())), ", "),
                       some ? fmt::format(" and {} more", rows.size() - kShown) : "");
  }
  return out + "\n";
}

std::string certificate_scope(std::span<const ReportLine> lines) {
  const bool retrained = std::ranges::any_of(
      lines, [](const ReportLine& line) { return line.stated && line.stated->models; });
  constexpr std::string_view kOneModel =
      "A certificate is about this model file, this noise, this threshold and the recommended\n"
      "record. It says nothing about a retrained model, other noise or larger errors, other\n"
      "changes in the person's data, or decisions that are not the model's. ";
  constexpr std::string_view kRetrained =
      "A certificate is about this model file, this noise, this threshold and the recommended\n"
      "record; where it names retrained models, also about further models of the same recipe.\n"
      "It says nothing about models that are trained in another way or on data that have\n"
      "drifted, other noise or larger errors, other changes in the person's data, or decisions\n"
      "that are not the model's. ";
  constexpr std::string_view kIssuer =
      "Its issuer may have\n"
      "tried several seeds; fresh samples from a --seed of your own choice are evidence that\n"
      "the issuer could not select.\n";
  return fmt::format("{}{}", retrained ? kRetrained : kOneModel, kIssuer);
}

}  // namespace croco
