// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/accepted_examples.hpp>

#include <utility>

namespace croco {

std::shared_ptr<const Matrix> accepted_examples(const LoadedModel& loaded, const Goal& goal,
                                                std::size_t most) {
  if (!loaded.examples) return nullptr;
  const Matrix& examples = *loaded.examples;
  Vector logits(examples.count());
  loaded.model->logits(examples.rows(), logits);
  const Goal clear = goal.clear_of(loaded.model->tolerance(goal.threshold()));
  Matrix accepted(0, examples.width);
  for (std::size_t i = 0; i < examples.count() && accepted.count() < most; ++i) {
    if (clear.reached(logits[i])) accepted.append(examples[i]);
  }
  if (accepted.count() == 0) return nullptr;
  return std::make_shared<const Matrix>(std::move(accepted));
}

}  // namespace croco
