// SPDX-License-Identifier: Apache-2.0
// How answers compare with people whom the model accepts: reason codes and plausibility.
#include <croco/base/parallel.hpp>
#include <croco/explain/explainer_impl.hpp>

namespace croco {

void Explainer::Impl::compare_with_accepted(const Model& model, const Codec& codec,
                                            std::vector<Explanation>& answers) const {
  if (!reasons_ && !plausibility_) return;
  const bool whole = codec.missing().empty();
  parallel_for(answers.size(), derived_.threads, [&](std::size_t i) {
    Explanation& answer = answers[i];
    if (answer.status == Status::already || answer.status == Status::error) return;
    if (whole && !answer.missing_features.empty()) return;  // done where their own model is known
    if (reasons_) answer.reason_codes = reasons_->rank(model, codec, answer.origin);
    if (!plausibility_ || !whole) return;  // what is missing has no distance
    if (answer.has_advice()) answer.plausibility = plausibility_->of(answer.point);
    for (Explanation& other : answer.alternatives) {
      if (other.has_advice()) other.plausibility = plausibility_->of(other.point);
    }
  });
}

}  // namespace croco
