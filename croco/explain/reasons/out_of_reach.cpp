// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/reasons/out_of_reach.hpp>

#include <vector>

#include <croco/proof/infeasibility.hpp>
#include <croco/robustness/error_budget.hpp>

namespace croco {

void prove_out_of_reach(const Problem& problem, const ExplainOptions& options,
                        std::span<const Hindered> people, const std::stop_token& stop) {
  std::vector<InfeasibilityRequest> requests;
  std::vector<Obstacle*> obstacles;
  for (const Hindered& one : people) {
    const ObstacleKind kind = one.obstacle->kind;
    if (kind != ObstacleKind::no_valid_point && kind != ObstacleKind::target) continue;
    requests.push_back({one.answer->origin, one.obstacle->point, one.answer->row});
    obstacles.push_back(one.obstacle);
  }
  if (requests.empty()) return;
  InfeasibilityOptions with{.confidence = options.certify.confidence,
                            .family = options.certify.family,
                            .share = existence_share()};
  // The very samples of the proof that may follow: what both say is wrong in the same event.
  if (options.prove) with.samples = options.prove->samples;
  const std::vector<Infeasibility> proofs = prove_infeasibility(
      problem, target_of(options.method).value_or(0), requests, with, options.threads, stop);
  for (std::size_t i = 0; i < proofs.size(); ++i) {
    Obstacle& obstacle = *obstacles[i];
    obstacle.out_of_reach = proofs[i].confidence;
    obstacle.proved =
        obstacle.kind == ObstacleKind::no_valid_point ? proofs[i].without_noise : proofs[i].target;
  }
}

}  // namespace croco
