// SPDX-License-Identifier: Apache-2.0
/// Checks one line of a .jsonl report: everything that a person reads there is made again from the
/// records, the certificate, the model and the run, by the code that writes reports, and compared.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <croco/report/row_maker.hpp>
#include <croco/verify/verify.hpp>

namespace croco {

struct RowCheck {
  std::vector<Finding> findings;
  /// What the line says and was not checked, in phrases that begin with the keys.
  std::vector<std::string> unchecked;

  [[nodiscard]] bool holds() const noexcept {
    return std::ranges::all_of(findings, &Finding::holds);
  }
};

/// Never throws for what the line says: that is a finding. `line` must be a JSON object.
[[nodiscard]] RowCheck check_row(std::string_view line, const RowSources& sources);

}  // namespace croco
