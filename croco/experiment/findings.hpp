// SPDX-License-Identifier: Apache-2.0
/// What section 5 of the paper says of its methods, and what the certified method promises, each
/// held against an experiment's numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <croco/experiment/run.hpp>

namespace croco {

enum class Verdict : std::uint8_t { confirmed, partly, not_confirmed };

/// `confirmed`, `partly`, `not confirmed`.
[[nodiscard]] std::string_view name_of(Verdict verdict) noexcept;

struct ClaimFinding {
  std::string claim;
  std::string source;  ///< "section 5.2", "supplement A.3.3", "this program"
  Verdict verdict = Verdict::not_confirmed;
  std::string number;
  std::string detail = {};
};

/// One per claim about methods that the experiment has.
[[nodiscard]] std::vector<ClaimFinding> findings_of(const ExperimentResult& result);

[[nodiscard]] std::string findings_csv(std::span<const ClaimFinding> findings);

}  // namespace croco
