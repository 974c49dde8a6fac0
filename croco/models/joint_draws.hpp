// SPDX-License-Identifier: Apache-2.0
/// Draws around several points at once, or with the point itself: a capability that not every way
/// of binding draws has.
#pragma once

#include <cstddef>
#include <span>

#include <croco/base/types.hpp>

namespace croco {

/// For bound draws of models whose calls are expensive, however few rows they ask for.
class JointDraws {
 public:
  virtual ~JointDraws() = default;
  /// `out[p * count + k]` is about `logit f(points[p] + e_k)`; `out.size() == points.count() *
  /// count`.
  virtual void joint_logits(Rows points, std::size_t count, std::span<float> out) const = 0;
  /// `out[k]` is about `logit f(point + e_k)`, and what is returned `logit f(point)`.
  virtual double logits_and_own(View point, std::span<float> out) const = 0;
};

}  // namespace croco
