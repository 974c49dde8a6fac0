// SPDX-License-Identifier: Apache-2.0
/// The findings of an audit, one number a row: what the CSV, the JSON and the page say.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <croco/audit/auditor.hpp>
#include <croco/audit/statistics/gap_intervals.hpp>
#include <croco/report/context.hpp>

namespace croco {

enum class AuditSection : std::uint8_t {
  run,    ///< the run as a whole
  group,  ///< a group by itself
  gap,    ///< a group against the reference
  lever,  ///< share of certified advice that changes the feature `item`
  limit,  ///< share of people without certified advice whom the limit `item` holds back
  curve,  ///< share of the refused with certified advice for at most the cost `item`
};
[[nodiscard]] std::string_view name_of(AuditSection section) noexcept;

struct AuditRow {
  AuditSection section = AuditSection::run;
  std::string attribute = {};
  std::string group = {};
  std::string reference = {};  ///< the group that it is compared with
  std::string_view view = {};  ///< of a gap: raw, standardised, paired
  std::string measure = {};
  std::string item = {};
  std::size_t people = 0;  ///< that the number is about
  std::size_t reference_people = 0;
  double value = 0.0;  ///< may be infinite: no recourse
  std::optional<double> group_value = {};
  std::optional<double> reference_value = {};
  std::optional<ConfidenceInterval> interval = {};  ///< of this number alone
  std::optional<ConfidenceInterval> joint = {};     ///< holds together with all others
  bool small = false;                               ///< about too few people to compare
};

/// Everything that an audit found, and what it rests on.
struct AuditTable {
  std::vector<AuditAttribute> attributes;
  std::vector<AuditRow> rows;
  GapOptions options;
  std::size_t people = 0;  ///< without rows that could not be answered
  std::size_t refused = 0;
  std::size_t failed = 0;  ///< rows that could not be answered

  /// The rows of a section and an attribute, in their order.
  [[nodiscard]] std::vector<const AuditRow*> of(AuditSection section,
                                                std::string_view attribute) const;
};

/// A pure function of the people. Throws InvalidArgument for the options.
[[nodiscard]] AuditTable audit_table(std::span<const AuditedPerson> people,
                                     const std::vector<AuditAttribute>& attributes,
                                     const ReportContext& context, const GapOptions& options);

}  // namespace croco
