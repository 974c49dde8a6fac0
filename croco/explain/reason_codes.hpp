// SPDX-License-Identifier: Apache-2.0
/// Reason codes: which features of a refused person cost the most score, compared with people whom
/// the model accepts. Not what to change: a feature that nobody can change may be a reason too.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/goal.hpp>

namespace croco {

/// Ranks reasons by the score gained,
///
///     gain_f = mean over accepted people a of  s(x with feature f as a has it) - s(x),
///
/// with s the probability of the wanted class: a feature's part in a refusal, all else as it is.
class ReasonRanking {
 public:
  /// Takes at most 512 accepted people, from all over the rows that the model brings or --training
  /// names. Throws InvalidArgument when the schema has no reason code, or nobody who is accepted is
  /// known.
  ReasonRanking(const LoadedModel& loaded, const Goal& goal, std::size_t most);

  /// At most `most` reasons that gain something, the largest gain first; of features with one code
  /// the first. `codec` may leave features missing, which are no reasons.
  [[nodiscard]] std::vector<ReasonCode> rank(const Model& model, const Codec& codec,
                                             View origin) const;

 private:
  Goal goal_;
  std::size_t most_;
  Matrix accepted_;
};

}  // namespace croco
