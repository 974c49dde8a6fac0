// SPDX-License-Identifier: Apache-2.0
#include <croco/verify/verify.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <croco/base/stopped.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/report/manifest.hpp>
#include <croco/report/report_lines.hpp>
#include <croco/report/row_check.hpp>
#include <croco/report/verification_report.hpp>

#include "call.hpp"
#include "verify.hpp"

namespace nb = nanobind;

namespace croco::python {
namespace {

/// What was found of one line, or of a report as a whole.
struct Found {
  std::optional<std::size_t> row;
  std::optional<std::size_t> alternative;
  std::vector<Finding> findings;
};

Found check(const ReportLine& line, const LoadedModel& model, const std::optional<StatedRun>& run,
            const VerifyOptions& options, const std::stop_token& stop) {
  Found out{line.row, line.alternative, {}};
  std::optional<Verification> verification;
  if (line.stated) {
    verification = verify(*line.stated, model, options, stop);
    if (stop.stop_requested()) throw Stopped("the call was interrupted");
    check_statement(*line.stated, model, *verification);
    out.findings = verification->findings;
  }
  if (line.answer) {
    const RowCheck row =
        check_row(line.text, {.loaded = model,
                              .run = run ? &*run : nullptr,
                              .certificate = verification ? &*verification : nullptr,
                              .stated = line.stated ? &*line.stated : nullptr,
                              .person = nullptr,
                              .again = std::nullopt});
    out.findings.insert(out.findings.end(), row.findings.begin(), row.findings.end());
  }
  return out;
}

std::vector<Found> check_all(std::string_view report, const std::string& source,
                             const std::optional<std::string>& manifest, const LoadedModel& model,
                             const VerifyOptions& options, const std::stop_token& stop) {
  std::vector<Found> out;
  std::optional<StatedRun> run;
  if (manifest) {
    run = read_manifest(*manifest, source + ".manifest.json");
    out.push_back({{}, {}, manifest_findings(*manifest, report, *run, model)});
  }
  const std::vector<ReportLine> lines = read_report(report, source);
  Found whole;
  for (std::string& fault : alternative_faults(lines, false)) {
    whole.findings.push_back({Check::row, false, std::move(fault)});
  }
  if (!whole.findings.empty()) out.push_back(std::move(whole));
  for (const ReportLine& line : lines) out.push_back(check(line, model, run, options, stop));
  return out;
}

nb::list verify_report(const nb::bytes& report, const std::string& source,
                       const std::optional<std::string>& manifest, const LoadedModel& model,
                       std::optional<std::uint64_t> seed, std::size_t samples, unsigned threads) {
  const VerifyOptions options{.seed = seed, .samples = samples, .threads = threads};
  std::vector<Found> found;
  const std::string_view bytes(report.c_str(), report.size());
  Call::run([&](const std::stop_token& stop) {
    found = check_all(bytes, source, manifest, model, options, stop);
  });
  nb::list out;
  for (const Found& one : found) {
    nb::list findings;
    for (const Finding& finding : one.findings) {
      findings.append(nb::make_tuple(std::string(name_of(finding.check)), finding.holds,
                                     finding.text, finding.note));
    }
    out.append(nb::make_tuple(one.row, one.alternative, findings));
  }
  return out;
}

}  // namespace

void bind_verify(nb::module_& module) {
  module.def("verify_report", &verify_report, nb::arg("report"), nb::arg("source"),
             nb::arg("manifest").none(), nb::arg("model"), nb::arg("seed").none(),
             nb::arg("samples"), nb::arg("threads"));
}

}  // namespace croco::python
