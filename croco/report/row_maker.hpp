// SPDX-License-Identifier: Apache-2.0
/// Makes a line of a .jsonl report again: from the records in it, its certificate, the model and
/// the run, by the code that writes reports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/explain/explanation.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/report/manifest.hpp>
#include <croco/verify/verify.hpp>

namespace croco {

/// What a line is compared with. Pointers may be null, where there is no such thing.
struct RowSources {
  const LoadedModel& loaded;
  const StatedRun* run = nullptr;             ///< of the manifest
  const Verification* certificate = nullptr;  ///< of the line's own certificate
  const StatedCertificate* stated = nullptr;  ///< that certificate
  const Person* person = nullptr;             ///< the same row of the people's data
  std::optional<std::string> again = {};      ///< the line that the same run writes
  /// Retrained models that the line speaks of.
  std::shared_ptr<const ModelPopulation> models = {};
};

/// The line as it has to be. What only a search could say is taken from `given` and added to
/// `unchecked`. Either the run or the certificate must be there. Throws Error naming the key when
/// there can be no such line; `given` must be a JSON object.
[[nodiscard]] std::string make_row(std::string_view given, const RowSources& sources,
                                   std::vector<std::string>& unchecked);

}  // namespace croco
