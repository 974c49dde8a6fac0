// SPDX-License-Identifier: Apache-2.0
/// The files of an audit, which grow while answers come: people.csv is written in order, and the
/// findings are made of it in the end.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/audit/audit_text.hpp>
#include <croco/audit/people_lines.hpp>
#include <croco/report/growing_report.hpp>

namespace croco {

class AuditReport final : public GrowingReport {
 public:
  /// `folder` gets people.csv, audit.csv, audit.json and audit.html. Keeps references.
  AuditReport(const std::filesystem::path& folder, const ReportContext& context,
              const std::vector<AuditAttribute>& attributes, const GapOptions& options,
              AuditSources sources);

  [[nodiscard]] std::string head() const override { return lines_.header(); }
  /// What people add: an audit knows more of them than their answers say, so that this stands in
  /// for `render`.
  [[nodiscard]] Piece piece_of(std::span<const AuditedPerson> people) const;
  void add(const Piece& piece) override;
  void continue_with(std::size_t stream, ByteSource& bytes) override;
  void finish(std::size_t stream, ByteSource& bytes, const Write& write) override;

  /// Of all people so far.
  [[nodiscard]] const AuditTable& table();

  /// Its files, by name.
  [[nodiscard]] static const std::vector<std::string>& names();

 private:
  void render_one(const Explanation& answer, Piece& piece) const override;

  GapOptions options_;
  AuditSources sources_;
  const std::vector<AuditAttribute>& attributes_;
  PeopleLines lines_;
  std::vector<AuditedPerson> people_;
  std::optional<AuditTable> table_;
};

}  // namespace croco
