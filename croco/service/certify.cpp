// SPDX-License-Identifier: Apache-2.0
// A record that somebody chose, and certificates that somebody hands over.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/stopped.hpp>
#include <croco/explain/assess.hpp>
#include <croco/explain/feature_noise.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/report_lines.hpp>
#include <croco/report/row_check.hpp>
#include <croco/report/verification_report.hpp>
#include <croco/service/elapsed.hpp>
#include <croco/service/service_impl.hpp>
#include <croco/service/words.hpp>
#include <croco/verify/verify.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

/// Lines that one request may have verified.
constexpr std::size_t kMostLines = 64;

/// What is no certificate. The reader's own message would repeat values of a person.
std::vector<ReportLine> read_lines(const std::string& text) {
  std::vector<ReportLine> lines;
  try {
    lines = read_report(text, "the text");
  } catch (const DataError&) {
    throw DataError(
        "the text is neither a certificate nor lines of a report; croco verify names the line and "
        "the key");
  }
  if (lines.empty()) throw DataError("the text has no certificate");
  if (lines.size() > kMostLines) {
    throw InvalidArgument(fmt::format("the text has {} lines; at most {} are verified at once",
                                      lines.size(), kMostLines));
  }
  return lines;
}

Json findings_json(std::span<const Finding> findings) {
  Json out = Json::array();
  for (const Finding& one : findings) {
    out.push_back({{"check", name_of(one.check)},
                   {"verdict", !one.holds ? "fail"
                               : one.note ? "note"
                                          : "ok"},
                   {"text", one.text}});
  }
  return out;
}

/// One certificate or row, checked as `croco verify` does.
struct CheckedLine {
  std::vector<Finding> findings = {};
  std::vector<std::string> unchecked = {};
  std::string sentence = {};
  bool target_missed = false;

  [[nodiscard]] bool holds() const { return std::ranges::all_of(findings, &Finding::holds); }
};

CheckedLine check_line(const ReportLine& line, const LoadedModel& loaded,
                       const VerifyOptions& options, const std::stop_token& stop) {
  CheckedLine out;
  std::optional<Verification> verification;
  if (line.stated) {
    verification = verify(*line.stated, loaded, options, stop);
    require_going(stop);
    check_statement(*line.stated, loaded, *verification);
    out.findings = verification->findings;
    out.target_missed = verification->misses_target();
    if (verification->holds()) out.sentence = line.stated->statement;
  }
  if (line.answer) {
    const RowCheck row =
        check_row(line.text, {.loaded = loaded,
                              .run = nullptr,
                              .certificate = verification ? &*verification : nullptr,
                              .stated = line.stated ? &*line.stated : nullptr});
    out.findings.insert(out.findings.end(), row.findings.begin(), row.findings.end());
    out.unchecked = row.unchecked;
  }
  return out;
}

}  // namespace

std::string Service::Impl::certify(std::string_view json, const std::stop_token& stop) const {
  const Elapsed elapsed;
  const Question question = read(json, QuestionKind::certify);
  AdvisedPerson pair{.before = question.person, .after = question.person};
  pair.after.record = *question.after;
  const AssessOptions asked{.target = question.target,
                            .noise = question.noise.resolve(loaded_.codec),
                            .goal = question.goal(loaded_),
                            .certify = question.certify(),
                            .missing = question.missing,
                            .seed = question.seed,
                            .threads = options_.threads};
  const std::vector<Explanation> answers = assess(loaded_, {&pair, 1}, asked, stop);
  require_going(stop);
  ReportContext context =
      report_context(loaded_, *asked.noise, asked.goal, "given", question.target);
  context.judged = true;
  context.noise_assumed = !question.noise.is_stated() && !states_noise(loaded_.codec.schema());
  context.kept = options_.kept;
  context.identified = options_.identified;
  std::vector<std::string> said;
  if (context.noise_assumed) {
    said.emplace_back("The noise is assumed: neither the schema nor the request states any.");
  }
  said.emplace_back(
      "If you certify several records and keep the best, certify that one again with a seed that "
      "you choose afterwards.");
  Question named = question;
  named.typed = true;  // no command line of croco explain gives this
  return answer_json({.context = context,
                      .question = named,
                      .answer = answers.at(0),
                      .warnings = std::move(said),
                      .milliseconds = elapsed.milliseconds()});
}

std::string Service::Impl::verify(std::string_view json, const std::stop_token& stop) const {
  const Elapsed elapsed;
  const VerifyQuestion question = read_verify_question(json);
  const std::vector<ReportLine> lines = read_lines(question.text);
  constexpr std::size_t kMostSamples = 10'000'000;  // of one that is sampled again
  const VerifyOptions options{.seed = question.seed,
                              .samples = question.samples,
                              .max_samples = kMostSamples,
                              .threads = options_.threads};
  Json certificates = Json::array();
  bool all_hold = true;
  for (const ReportLine& line : lines) {
    const CheckedLine checked = check_line(line, loaded_, options, stop);
    require_going(stop);
    all_hold = all_hold && checked.holds();
    Json one{{"row", nullptr},
             {"alternative", nullptr},
             {"holds", checked.holds()},
             {"target_missed", checked.target_missed},
             {"sentence", checked.sentence},
             {"findings", findings_json(checked.findings)},
             {"unchecked", checked.unchecked}};
    const auto row = line.row ? line.row : line.stated ? line.stated->row : std::nullopt;
    if (row) one["row"] = *row;
    if (line.alternative) one["alternative"] = *line.alternative;
    certificates.push_back(std::move(one));
  }
  return dumped(Json{{"holds", all_hold},
                     {"certificates", std::move(certificates)},
                     {"scope", certificate_scope(lines)},
                     {"milliseconds", elapsed.milliseconds()}});
}

}  // namespace croco
