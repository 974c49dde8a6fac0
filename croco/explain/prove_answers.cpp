// SPDX-License-Identifier: Apache-2.0
// What is proved about the answers of a run.
#include <limits>
#include <utility>

#include <croco/explain/explainer_impl.hpp>
#include <croco/proof/prove.hpp>
#include <croco/robustness/error_budget.hpp>

namespace croco {
namespace {

/// What the reasons have proved already.
Proof proof_of(const Obstacle& obstacle) {
  return {.basis = obstacle.out_of_reach < 1 ? ProofBasis::sampling : ProofBasis::exact,
          .lower = std::numeric_limits<double>::infinity(),
          .infeasible = true,
          .confidence = obstacle.out_of_reach,
          .solved = true};
}

}  // namespace

void Explainer::Impl::prove_all(std::vector<Explanation>& answers,
                                const std::stop_token& stop) const {
  std::vector<ProveRequest> requests;
  std::vector<Explanation*> asked;
  for (Explanation& answer : answers) {
    if (!answer.has_advice() && answer.status != Status::infeasible) continue;
    if (answer.obstacle && answer.obstacle->out_of_reach > 0) {
      answer.proof = proof_of(*answer.obstacle);
      continue;
    }
    const bool known = answer.has_advice() && answer.target_met.value_or(false);
    requests.push_back({answer.origin, known ? View(answer.point) : View(), answer.row});
    asked.push_back(&answer);
  }
  ProveOptions with = *derived_.prove;
  with.family = derived_.certify.family;
  with.share = sentence_share(Sentence::proof);
  std::vector<Proof> proofs = prove(problem_, target_of(derived_.method).value_or(0), requests,
                                    with, derived_.threads, stop);
  if (proofs.size() < requests.size()) {  // stopped: none of them is finished
    answers.clear();
    return;
  }
  for (std::size_t i = 0; i < proofs.size(); ++i) {
    std::optional<Obstacle>& obstacle = asked[i]->obstacle;
    if (obstacle && proofs[i].infeasible) {
      obstacle->out_of_reach = proofs[i].confidence;
      // That nothing meets the target is proved, not that nothing is accepted at all.
      if (obstacle->kind == ObstacleKind::target) obstacle->proved = true;
    }
    asked[i]->proof = std::move(proofs[i]);
  }
}

}  // namespace croco
