// SPDX-License-Identifier: Apache-2.0
/// The findings of an audit as CSV and JSON, and as a page that stands alone.
#pragma once

#include <string>

#include <croco/audit/audit_table.hpp>
#include <croco/report/context.hpp>

namespace croco {

/// What an audit was made of.
struct AuditSources {
  std::string data_name;
  std::string data_fingerprint;  ///< SHA-256 of the text
};

/// A header, and a line for each row. Infinite numbers are `inf`.
[[nodiscard]] std::string audit_csv(const AuditTable& table);
/// The same rows with the names and fingerprints of what they rest on.
[[nodiscard]] std::string audit_json(const AuditTable& table, const ReportContext& context,
                                     const AuditSources& sources);
/// No scripts, no outside resources; each number is in the CSV.
[[nodiscard]] std::string audit_page(const AuditTable& table, const ReportContext& context,
                                     const AuditSources& sources);

}  // namespace croco
