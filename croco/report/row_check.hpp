// SPDX-License-Identifier: Apache-2.0
/// Checks one line of a .jsonl report: everything that a person reads there is made again from the
/// records, the certificate, the model and the run, by the code that writes reports, and compared.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/explain/explanation.hpp>
#include <croco/explain/loaded_model.hpp>
#include <croco/explain/verify.hpp>
#include <croco/report/manifest.hpp>

namespace croco {

/// What a line is compared with. Pointers may be null, where there is no such thing.
struct RowSources {
  const LoadedModel& loaded;
  const StatedRun* run = nullptr;              ///< of the manifest
  const Verification* certificate = nullptr;   ///< of the line's own certificate
  const StatedCertificate* stated = nullptr;   ///< that certificate
  const Person* person = nullptr;              ///< the same row of the people's data
  std::optional<std::string> again = {};       ///< the line that the same run writes
};

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
