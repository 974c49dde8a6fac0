// SPDX-License-Identifier: Apache-2.0
/// What croco asks of a classifier. Models are immutable and thread-safe, and work on batches.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/cut.hpp>
#include <croco/space/level_flips.hpp>

namespace croco {

/// A draw around a point, by their places in a bank and in a batch.
struct PointDraw {
  std::size_t point = 0;
  std::size_t draw = 0;

  auto operator<=>(const PointDraw&) const = default;
};

/// A model bound to fixed draws e_0 .. e_{count-1}: it answers for `point + e_k`, having done once
/// whatever does not depend on the point (for a network, projecting the draws through the first
/// layer). It works in single precision, and knows how far it may be off. Immutable and thread-safe
/// like the model, which must outlive it. Draws may come with flips of categories: e_k then holds
/// what its cells make of the levels that the point has.
class BoundDraws {
 public:
  virtual ~BoundDraws() = default;
  [[nodiscard]] virtual std::size_t count() const noexcept = 0;
  /// `out[k]` is about `logit f(point + e_{first + k})` for k < out.size().
  virtual void logits(View point, std::size_t first, std::span<float> out) const = 0;
  /// `gradient += sum_k weights[k] * d logit f(point + e_{first + k}) / d point`.
  /// Only for models with a gradient; throws ModelError otherwise.
  virtual void add_gradient(View point, std::size_t first, std::span<const float> weights,
                            MutableView gradient) const = 0;
  /// Adds to `failures[p]` how many of all draws have a `logit f(points[p] + e_k)` that does not
  /// clear the cut; NaN never does. When `undecided` is given, the draws that single precision
  /// cannot decide are appended to it instead, sorted: what is counted then holds exactly.
  virtual void count_failures(Rows points, const Cut& cut, std::span<std::size_t> failures,
                              std::vector<PointDraw>* undecided) const = 0;
  /// Draws that came with flips, as they are around points with the levels of this one: plain
  /// draws in the same order, and cheaper by far when many points follow. Null for draws without.
  [[nodiscard]] virtual std::unique_ptr<BoundDraws> fixed_at(View point) const;
};

/// The gradient of the logit, a capability that not every model has.
class Gradient {
 public:
  virtual ~Gradient() = default;
  /// Returns `z = logit f(point)` and sets `gradient[j] = d z / d point[j]`.
  virtual double logit_gradient(View point, MutableView gradient) const = 0;
};

/// A binary classifier `f: R^width -> [0, 1]`, the predicted probability of class 1.
class Model {
 public:
  virtual ~Model() = default;
  [[nodiscard]] virtual std::size_t width() const noexcept = 0;
  /// `out[k] = logit f(row k)`; decisions are taken here, where a threshold t is `z > logit t`.
  /// A probability of exactly 0 or 1 is -infinity or +infinity. NaN is no clear answer: neither of
  /// the classes. `out.size() == rows.count()`.
  virtual void logits(Rows rows, MutableView out) const = 0;
  /// `nullptr` when the model has no gradient.
  [[nodiscard]] virtual const Gradient* gradient() const noexcept { return nullptr; }
  /// Binds the model to draws, which must be finite; the default keeps a copy of them and adds them
  /// row by row.
  [[nodiscard]] virtual std::unique_ptr<BoundDraws> bind(Rows draws) const;
  /// The same for draws with flips, one row of cells for each. The flips' categories must outlive
  /// what is bound. The default adds both row by row.
  [[nodiscard]] virtual std::unique_ptr<BoundDraws> bind_flips(Rows draws, DrawnFlips flips) const;
  /// Bytes that a draw takes once bound; sizes the banks of draws.
  [[nodiscard]] virtual std::size_t bound_bytes_per_draw() const noexcept {
    return width() * sizeof(double);
  }

  /// How far, at this threshold, a logit may be from what the user's own library answers: roundings
  /// that are the library's to choose, and the precision of its probabilities. An answer that is
  /// nearer to the threshold is not clear. 0 for models whose library croco is.
  [[nodiscard]] virtual double tolerance(double /*threshold*/) const noexcept { return 0.0; }

  /// `logit f(point)`.
  [[nodiscard]] double logit(View point) const;
};

/// `1 / (1 + exp(-z))`, without overflow.
[[nodiscard]] double sigmoid(double logit) noexcept;
/// `log(p / (1 - p))` for 0 < p < 1.
[[nodiscard]] double logit_of(double probability) noexcept;

}  // namespace croco
