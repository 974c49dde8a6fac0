// SPDX-License-Identifier: Apache-2.0
/// Margins of noisy copies of a point for any model at all, and how they move with the point: by
/// the model's gradient where it has one, else from the answers alone. Moving the point x is
/// shifting the density p of the noise, so by Stein's identity (the score-function estimator)
///
///     d/dx P(margin(x + e) < level) = E[1{margin(x + e) < level} s(e)],    s = -d log p(e) / de:
///
///     e / sd^2                              Gaussian
///     sign(e) / scale                       Laplace
///     (dof + 1) e / (dof scale^2 + e^2)     Student's t
///
/// The answers that measure a share give its gradient too, for models of any kind. Columns without
/// noise or with bounded noise have no such score: there, central differences on the same samples.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <croco/base/random.hpp>
#include <croco/base/types.hpp>
#include <croco/methods/change/trust_region.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// Which way the gradients come.
enum class Slopes : std::uint8_t {
  from_model,    ///< `Gradient::logit_gradient`
  from_answers,  ///< Stein's identity, and differences in columns that have no smooth noise
};

/// Fixed samples in antithetic pairs e, -e (empirical noise: independent ones), laid around points.
/// Pairs cancel the odd part of the error; as they are not independent, they are for searching
/// only. Slopes from answers come with margins in single precision, from samples that the model has
/// been bound to where noise does not depend on the point.
/// Immutable and thread-safe; keeps a reference to the problem.
class NoisyMargins {
 public:
  NoisyMargins(const Problem& problem, const Stream& stream, std::size_t count, Slopes slopes);

  [[nodiscard]] std::size_t count() const noexcept { return draws_.count(); }
  /// Rows that a gradient from `draws` draws asks the model for, besides those of the margins.
  [[nodiscard]] std::size_t extra_rows(std::size_t draws) const noexcept;
  /// `out[k]` = margin of `point + e_k`, for k < out.size() <= count(); below 0 when the answer is
  /// not the wanted one, ties with the threshold included.
  void margins(View origin, View point, MutableView out) const;
  /// The same, and the logit of the point itself where it comes along at no cost.
  [[nodiscard]] std::optional<double> margins_and_own(View origin, View point,
                                                      MutableView out) const;
  /// The margin of the point itself, by the same rule.
  [[nodiscard]] double own_margin(View point) const;
  /// How many of the margins are below 0.
  [[nodiscard]] static std::size_t invalid(View margins) noexcept;

  /// The margin of rank `rank` (from 0, the smallest) and its gradient with respect to the movable
  /// columns: the mean of the model's gradients over the samples ranked nearby, or from answers
  /// `-(d share below it / dx) / density of the margins there`. `margins` are those of the first
  /// samples, or all, at the point.
  [[nodiscard]] ConstraintValue order_statistic(View origin, View point, View margins,
                                                std::size_t rank) const;
  /// The gradient of the share of draws whose margin is below `level`, from the answers alone.
  [[nodiscard]] Vector share_gradient(View origin, View point, View margins, double level) const;

 private:
  void add_model_gradient(View origin, View point, View margins, double from, double to,
                          MutableView out) const;
  /// The margins of the first draws around each of several points, point by point.
  [[nodiscard]] Vector margins_around(View origin, Rows points, std::size_t draws) const;
  [[nodiscard]] Vector noisy_row(View origin, View point, std::size_t draw) const;

  const Problem& problem_;
  Slopes slopes_;
  Matrix draws_;
  DrawnFlips flips_;
  std::shared_ptr<const DrawEvaluator> bound_;  ///< the same draws, when they can be
  std::vector<std::size_t> scored_;             ///< movable columns in which Stein's identity holds
  Matrix scores_;  ///< of these, minus the logarithmic derivative of the noise's density
  std::vector<bool> by_score_;  ///< columns in which Stein's identity holds
  Vector steps_;                ///< of differences, in the others
  std::size_t sides_ = 0;       ///< two for each movable column of these
};

}  // namespace croco
