// SPDX-License-Identifier: Apache-2.0
/// Writes answers to a file as they come; the file appears whole, when it is finished.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include <croco/explain/explanation.hpp>
#include <croco/report/context.hpp>

namespace croco {

class ReportWriter {
 public:
  virtual ~ReportWriter() = default;
  /// Appends one answer. Throws IoError.
  virtual void write(const Explanation& explanation) = 0;
  /// Completes the file and puts it in its place. Without it nothing is left behind.
  virtual void finish() = 0;
};

/// A writer by the ending of the path: .csv, .jsonl (with a manifest in a file beside it,
/// croco/report/manifest.hpp) or .html. Throws InvalidArgument for another
/// ending, IoError when the folder cannot be written. The context must outlive the writer.
[[nodiscard]] std::unique_ptr<ReportWriter> make_writer(const std::filesystem::path& path,
                                                        const ReportContext& context);

/// The CSV header: row, what is kept (`kept:` before a name that is one of the others), status,
/// valid, score, distance_l1, features_changed, rate, rate_upper, confidence, samples, target_met,
/// what stands in the way (obstacle, lowest_rate, lowest_rate_upper, would_do), cost and
/// level_price (the part of it that is for categories), where costs are told cost_kind and
/// touch_price, with proofs cost_lower, cost_gap, proof_confidence and proof, with several options
/// option, of other tools' advice broken_rules, with noise by feature noise, then every feature by
/// its name
/// (`feature:` before a name that is one of these).
[[nodiscard]] std::string csv_header(const ReportContext& context);
/// One CSV record; the features are those of the advice, or the person's own without advice.
[[nodiscard]] std::string csv_line(const ReportContext& context, const Explanation& explanation);
/// One JSON object in one line, with the certificate.
[[nodiscard]] std::string json_line(const ReportContext& context, const Explanation& explanation);
/// For a terminal: headline, changes as a table, the plan in words, what it costs and rests on.
[[nodiscard]] std::string text_block(const ReportContext& context, const Explanation& explanation);
/// A page that stands alone: no scripts, no outside resources.
[[nodiscard]] std::string html_page(const ReportContext& context,
                                    std::span<const Explanation> explanations);

}  // namespace croco
