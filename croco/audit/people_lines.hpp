// SPDX-License-Identifier: Apache-2.0
/// people.csv of an audit: a line for each person, from which the rest of the audit is made. What
/// an audit says therefore does not depend on whether its run was interrupted.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <croco/audit/auditor.hpp>
#include <croco/data/schema.hpp>

namespace croco {

/// Writes and reads the lines. Keeps references.
class PeopleLines {
 public:
  PeopleLines(const std::vector<AuditAttribute>& attributes, const Schema& schema)
      : attributes_(attributes), schema_(schema) {}

  /// row, outcome, score, cost, plain_cost, changed, limits, then `group:` and, where people were
  /// swapped, `swapped:` of each attribute. Lists are JSON.
  [[nodiscard]] std::string header() const;
  /// One line for each.
  [[nodiscard]] std::string lines(std::span<const AuditedPerson> people) const;
  /// Text that `lines` made, any number of whole lines. Throws DataError for another text.
  [[nodiscard]] std::vector<AuditedPerson> read(std::string_view text) const;

 private:
  [[nodiscard]] std::string limit_name(const Limit& limit) const;
  [[nodiscard]] AuditedPerson read_line(const std::vector<std::string>& fields) const;

  const std::vector<AuditAttribute>& attributes_;
  const Schema& schema_;
};

[[nodiscard]] std::string_view name_of(Recourse recourse) noexcept;

}  // namespace croco
