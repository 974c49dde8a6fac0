// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/findings.hpp>

#include <array>

#include <croco/data/csv.hpp>
#include <croco/experiment/claims.hpp>

namespace croco {

Verdict verdict_of(std::size_t holds, std::size_t total) noexcept {
  if (total > 0 && holds == total) return Verdict::confirmed;
  return 2 * holds >= total && holds > 0 ? Verdict::partly : Verdict::not_confirmed;
}

std::string_view name_of(Verdict verdict) noexcept {
  constexpr std::array<std::string_view, 3> kNames{"confirmed", "partly", "not confirmed"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::vector<ClaimFinding> findings_of(const ExperimentResult& result) {
  const ClaimNumbers numbers(result);
  std::vector<ClaimFinding> out;
  add_paper_claims(numbers, out);
  add_certified_claims(numbers, out);
  return out;
}

std::string findings_csv(std::span<const ClaimFinding> findings) {
  std::string out = csv_record({"claim", "source", "verdict", "number", "detail"});
  for (const ClaimFinding& finding : findings) {
    out += csv_record({finding.claim, finding.source, std::string(name_of(finding.verdict)),
                       finding.number, finding.detail});
  }
  return out;
}

}  // namespace croco
