// SPDX-License-Identifier: Apache-2.0
/// What croco asks of a classifier. Models are immutable and thread-safe, and work on batches.
///
///     class Rule final : public croco::Model {
///       std::size_t width() const noexcept override { return 2; }
///       void logits(croco::Rows rows, croco::MutableView out) const override {
///         for (std::size_t k = 0; k < rows.count(); ++k) out[k] = rows[k][0] - rows[k][1];
///       }
///     };
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/base/types.hpp>
#include <croco/space/level_flips.hpp>

namespace croco {

class JointDraws;
class Mlp;

/// Which logits are the wanted answer. A model that gives no clear answer, NaN, has given neither:
/// it never clears.
struct Cut {
  double threshold = 0;
  bool above = true;  ///< whether a wanted logit is above the threshold, or at most the threshold

  [[nodiscard]] constexpr bool clears(double logit) const noexcept {
    return above ? logit > threshold : logit <= threshold;
  }
};

/// A sample around a point, by their places in a bank and in a batch.
struct PointDraw {
  std::size_t point = 0;
  std::size_t draw = 0;

  auto operator<=>(const PointDraw&) const = default;
};

/// A model bound to fixed samples e_0 .. e_{count-1}: it answers for `point + e_k`, having done
/// once whatever does not depend on the point (for a network, projecting the samples through the
/// first layer). It works in single precision, and knows how far it may be off. Immutable and
/// thread-safe like the model, which must outlive it. Samples may come with flips of categories:
/// e_k then holds what its cells make of the levels that the point has.
class CROCO_EXPORT DrawEvaluator {
 public:
  virtual ~DrawEvaluator() = default;
  [[nodiscard]] virtual std::size_t count() const noexcept = 0;
  /// `out[k]` is about `logit f(point + e_{first + k})` for k < out.size().
  virtual void logits(View point, std::size_t first, std::span<float> out) const = 0;
  /// `gradient += sum_k weights[k] * d logit f(point + e_{first + k}) / d point`.
  /// Only for models with a gradient; throws ModelError otherwise.
  virtual void add_gradient(View point, std::size_t first, std::span<const float> weights,
                            MutableView gradient) const = 0;
  /// Adds to `failures[p]` how many of all samples have a `logit f(points[p] + e_k)` that does not
  /// clear the cut; NaN never does. When `undecided` is given, the samples that single precision
  /// cannot decide are appended to it instead, sorted: what is counted then holds exactly.
  virtual void count_failures(Rows points, const Cut& cut, std::span<std::size_t> failures,
                              std::vector<PointDraw>* undecided) const = 0;
  /// Samples that came with flips, as they are around points with the levels of this one: plain
  /// samples in the same order, and far cheaper when many points follow. Null when there are none.
  [[nodiscard]] virtual std::unique_ptr<DrawEvaluator> fixed_at(View point) const;
  /// For models whose calls are expensive, however few rows they ask for; else `nullptr`.
  [[nodiscard]] virtual const JointDraws* joint() const noexcept { return nullptr; }
};

/// The gradient of the logit, a capability that not every model has.
class CROCO_EXPORT Gradient {
 public:
  virtual ~Gradient() = default;
  /// Returns `z = logit f(point)` and sets `gradient[j] = d z / d point[j]`.
  virtual double logit_gradient(View point, MutableView gradient) const = 0;
};

/// `logit f(x) = weights . x + bias`
struct LinearForm {
  Vector weights;
  double bias = 0.0;
};

/// What a model is made of, in a phrase for people and in numbers.
struct ModelDescription {
  std::string structure = {};     ///< "6 - 50 - 1, relu"; empty when nothing is known
  std::size_t parameters = 0;     ///< weights, or nodes of trees; 0 when not known
  bool projects_samples = false;  ///< noise goes through its affine beginning once for all points
};

/// A binary classifier `f: R^width -> [0, 1]`, the predicted probability of class 1.
class CROCO_EXPORT Model {
 public:
  virtual ~Model() = default;
  [[nodiscard]] virtual std::size_t width() const noexcept = 0;
  /// `out[k] = logit f(row k)`; decisions are taken here, where a threshold t is `z > logit t`.
  /// A probability of exactly 0 or 1 is -infinity or +infinity. NaN is no clear answer: neither of
  /// the classes. `out.size() == rows.count()`.
  virtual void logits(Rows rows, MutableView out) const = 0;
  /// `nullptr` when the model has no gradient.
  [[nodiscard]] virtual const Gradient* gradient() const noexcept { return nullptr; }
  /// Binds the model to samples, which must be finite; the default keeps a copy of them and adds
  /// them row by row.
  [[nodiscard]] virtual std::unique_ptr<DrawEvaluator> bind(Rows draws) const;
  /// The same for samples with flips, one row of cells for each. The flips' categories must outlive
  /// what is bound. The default adds both row by row.
  [[nodiscard]] virtual std::unique_ptr<DrawEvaluator> bind_flips(Rows draws,
                                                                  DrawnFlips flips) const;
  /// Bytes that a sample takes once bound; sizes the banks of samples.
  [[nodiscard]] virtual std::size_t evaluator_bytes_per_draw() const noexcept {
    return width() * sizeof(double);
  }

  /// How far, at this threshold, a logit may be from what the user's own library answers: roundings
  /// that are the library's to choose, and the precision of its probabilities. An answer that is
  /// nearer to the threshold is not clear. 0 for models whose library croco is.
  [[nodiscard]] virtual double tolerance(double /*threshold*/) const noexcept { return 0.0; }

  // Capabilities: what a model can say of itself beyond its answers. Each makes some certificate,
  // proof or search better; none is needed.

  /// The model as a linear function, when it is one: rates under Gaussian noise then have a closed
  /// form, and certificates need no samples. It must agree with `logits`.
  [[nodiscard]] virtual const LinearForm* linear_form() const noexcept { return nullptr; }
  /// The fully connected network that this model is: proofs of lower bounds need its layers.
  [[nodiscard]] virtual const Mlp* network() const noexcept { return nullptr; }
  /// Whether a query costs far more than arithmetic (a process, a server, an interpreter): searches
  /// are then content with fewer.
  [[nodiscard]] virtual bool queries_are_expensive() const noexcept { return false; }
  [[nodiscard]] virtual ModelDescription describe() const { return {}; }

  /// `logit f(point)`.
  [[nodiscard]] double logit(View point) const;
};

/// `1 / (1 + exp(-z))`, without overflow.
[[nodiscard]] CROCO_EXPORT double sigmoid(double logit) noexcept;
/// `log(p / (1 - p))` for 0 < p < 1.
[[nodiscard]] CROCO_EXPORT double logit_of(double probability) noexcept;

}  // namespace croco
