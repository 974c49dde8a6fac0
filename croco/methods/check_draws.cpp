// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/check_draws.hpp>

#include <algorithm>

namespace croco {
namespace {

Problem with_shared_draws(Problem problem) {
  problem.shared_draws = true;
  return problem;
}

}  // namespace

CheckDraws::CheckDraws(const Problem& problem, std::size_t samples)
    : problem_(with_shared_draws(problem)), samples_(samples) {
  if (samples <= kBankBytes / std::max<std::size_t>(1, problem.model.evaluator_bytes_per_draw())) {
    bank_.emplace(problem_, problem_.stream(Purpose::check, 0), 0, samples);
  }
}

std::vector<Tally> CheckDraws::tally(std::span<const Advice> advice, bool soft) const {
  if (bank_) return croco::tally(problem_, *bank_, advice, soft);
  return croco::tally(problem_, advice,
                      {.purpose = Purpose::check, .samples = samples_, .soft = soft, .threads = 1});
}

Tally CheckDraws::tally(View origin, View point, bool soft) const {
  const Advice advice{origin, point, 0};
  return tally({&advice, 1}, soft)[0];
}

}  // namespace croco
