// SPDX-License-Identifier: Apache-2.0
/// Tree ensembles on fixed samples as logic on bits: for a block of 512 samples every split is one
/// word of 512 bits, and no branch depends on data.
///
/// 1. Conditions: bit k says whether sample k satisfies a split, from ranks and cuts
///    (`RankedColumn`), from the cells of flips, or from the point alone where there is no noise.
///    Conditions that the point settles prune the trees beforehand (`TreeProgram`).
/// 2. Trees: from the root down, `left = reach & condition`, `right = reach & ~condition`; a leaf's
///    word holds the samples that end there.
/// 3. Sums: leaf values are rounded to whole multiples of `step` and added bit plane by bit plane,
///    512 sums at once; `offset + step * sum` is the ensemble's sum up to a known `error`.
/// 4. Answers: sums are compared with the limit in whole numbers. Samples within the error of it
///    are handed back as undecided and evaluated as the model itself does, so counts are exact.
#pragma once

#include <memory>

#include <croco/base/types.hpp>
#include <croco/models/model.hpp>
#include <croco/models/trees/tree_model.hpp>

namespace croco {

/// Draws that are bound to trees.
class TreeDrawEvaluator : public DrawEvaluator {
 public:
  /// `out[k] = logit f(point + e_{first + k})`, to the last bit what the model makes of the row.
  virtual void exact_logits(View point, std::size_t first, MutableView out) const = 0;
};

/// Null when the trees are too large for it.
[[nodiscard]] std::unique_ptr<TreeDrawEvaluator> bind_trees(const TreeModel& model, Rows draws,
                                                            DrawnFlips flips);

}  // namespace croco
