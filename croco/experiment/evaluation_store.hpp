// SPDX-License-Identifier: Apache-2.0
/// What is known of the answers of several methods, so that a comparison can be continued: the
/// table is made of it in the end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <croco/experiment/summary.hpp>
#include <croco/report/growing_report.hpp>

namespace croco {

/// One summary for each method, of answers that come method by method.
class EvaluationStore final : public GrowingReport {
 public:
  /// `table` makes the text of the file when all answers are there.
  EvaluationStore(const std::filesystem::path& path, const ReportContext& context,
                  std::size_t methods, std::optional<double> target,
                  std::function<std::string()> table);

  /// What answers of a method add to the store.
  [[nodiscard]] static Piece piece_of(std::size_t method, std::span<const Explanation> answers);
  void add(const Piece& piece) override;
  void continue_with(std::size_t stream, ByteSource& bytes) override;
  void finish(std::size_t stream, ByteSource& bytes, const Write& write) override;

  [[nodiscard]] const SummaryBuilder& of(std::size_t method) const { return summaries_[method]; }

 private:
  void render_one(const Explanation& answer, Piece& piece) const override;
  void take_line(const std::string& line);

  std::vector<SummaryBuilder> summaries_;
  std::function<std::string()> table_;
  std::string half_line_;
};

}  // namespace croco
