// SPDX-License-Identifier: Apache-2.0
/// What verifying a certificate found, in sentences.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <croco/loading/loaded_model.hpp>
#include <croco/report/manifest.hpp>
#include <croco/report/report_lines.hpp>
#include <croco/report/row_check.hpp>
#include <croco/verify/verify.hpp>

namespace croco {

/// Compares the certificate's sentence with what its numbers say, and adds the finding. The wording
/// belongs to a version of the program: a sentence of another one is noted and not compared. Does
/// nothing when the certificate could not be resolved.
void check_statement(const StatedCertificate& stated, const LoadedModel& loaded,
                     Verification& verification);

/// A block for a terminal: the verdict, the sentence that the numbers say, a line per finding.
[[nodiscard]] std::string verification_text(const StatedCertificate& stated,
                                            const LoadedModel& loaded,
                                            const Verification& verification);

/// The same for a line of a report: of its certificate and its row, each where there is one.
[[nodiscard]] std::string line_text(const ReportLine& line, const LoadedModel& loaded,
                                    const Verification* verification, const RowCheck* row);

/// What does not fit between a manifest, its report and the model.
[[nodiscard]] std::vector<Finding> manifest_findings(std::string_view json, std::string_view report,
                                                     const StatedRun& run,
                                                     const LoadedModel& loaded);

/// What no check has seen, and in which rows; empty when there is nothing.
[[nodiscard]] std::string unchecked_text(
    const std::map<std::string, std::vector<std::string>>& unchecked);

/// A line per finding.
[[nodiscard]] std::string findings_text(std::span<const Finding> findings);

/// What certificates that hold do and do not say: those of these lines.
[[nodiscard]] std::string certificate_scope(std::span<const ReportLine> lines);

}  // namespace croco
