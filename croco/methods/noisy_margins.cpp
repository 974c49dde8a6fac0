// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/noisy_margins.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <croco/models/joint_draws.hpp>
#include <croco/models/model.hpp>
#include <croco/noise/sample.hpp>
#include <croco/robustness/bound_samples.hpp>

namespace croco {
namespace {

/// Draws ranked within this share of the rank make up a gradient.
constexpr double kBand = 0.04;
/// Step of differences in columns without noise, in encoded units: wide, so that the next jump of
/// a piecewise constant model is seen.
constexpr double kExactStep = 0.05;
/// And in columns with bounded noise, in its half-widths.
constexpr double kBoundedStep = 0.25;

/// Draws of a difference: both sides meet the same ones, so that few are enough, and the rows that
/// are saved take the search farther than better slopes do.
std::size_t difference_draws(std::size_t draws) noexcept {
  return std::min(draws, std::max<std::size_t>(32, draws / 32));
}

/// Minus the derivative of the logarithm of the density at a draw.
double score(NoiseShape shape, double degrees, double scale, double draw) noexcept {
  switch (shape) {
    case NoiseShape::gaussian:
      return draw / (scale * scale);
    case NoiseShape::laplace:
      return draw == 0 ? 0.0 : std::copysign(1 / scale, draw);
    case NoiseShape::student_t:
      return (degrees + 1) * draw / (degrees * scale * scale + draw * draw);
    case NoiseShape::uniform:
    case NoiseShape::mixed:
    case NoiseShape::empirical:
    case NoiseShape::correlated:
      break;
  }
  return 0;
}

/// The shape of one column. Empirical noise has no density, and that of correlated noise ties
/// columns together: both count as bounded.
NoiseShape column_shape(const Noise& noise, std::size_t column) {
  if (noise.shape == NoiseShape::mixed) return noise.column_shapes[column];
  return noise.shape > NoiseShape::mixed ? NoiseShape::uniform : noise.shape;
}

/// A margin whose sign agrees with the answer, ties at the threshold included.
double signed_margin(const Goal& goal, double logit) noexcept {
  const double margin = goal.margin(logit);
  constexpr double kTiny = std::numeric_limits<double>::min();
  return goal.reached(logit) ? std::max(margin, kTiny) : std::min(margin, -kTiny);
}

}  // namespace

NoisyMargins::NoisyMargins(const Problem& problem, const Stream& stream, std::size_t count,
                           Slopes slopes)
    : problem_(problem),
      slopes_(slopes),
      draws_(count + count % 2, problem.space.width()),
      by_score_(problem.space.width(), false),
      steps_(problem.space.width(), kExactStep) {
  const Vector scales = scoped_scales(problem.noise, problem.space);
  flips_ = sample_flips(problem.noise, stream, 0, draws_.count());
  if (problem.noise.shape == NoiseShape::empirical) {
    sample(problem.noise, scales, stream, 0, draws_);
  } else {
    Matrix halves(draws_.count() / 2, draws_.width);
    sample(problem.noise, scales, stream, 0, halves);
    // Every other shape is symmetric; pairs cancel the odd part of the error.
    for (std::size_t k = 0; k < halves.count(); ++k) {
      std::ranges::copy(halves[k], draws_[2 * k].begin());
      std::ranges::transform(halves[k], draws_[2 * k + 1].begin(), std::negate<>{});
    }
  }
  if (slopes_ == Slopes::from_model) return;
  for (std::size_t j = 0; j < scales.size(); ++j) {
    if (scales[j] == 0) continue;
    by_score_[j] =
        column_shape(problem.noise, j) != NoiseShape::uniform && !depends_on_point(problem.noise);
    if (!by_score_[j]) steps_[j] = kBoundedStep * scales[j];
    if (by_score_[j] && problem.space.movable(j)) scored_.push_back(j);
  }
  scores_ = Matrix(draws_.count(), scored_.size());
  for (std::size_t k = 0; k < draws_.count(); ++k) {
    for (std::size_t i = 0; i < scored_.size(); ++i) {
      const std::size_t j = scored_[i];
      scores_[k][i] = score(column_shape(problem.noise, j), problem.noise.degrees_of_freedom,
                            scales[j], draws_[k][j]);
    }
  }
  if (!depends_on_point(problem.noise)) {
    const Model& model = problem.noisy_model();
    if (problem.kept) {
      bound_ = problem.kept->bound_pairs(stream, draws_.rows());
    } else {
      bound_ = flips_.empty() ? model.bind(draws_.rows()) : model.bind_flips(draws_.rows(), flips_);
    }
  }
  for (std::size_t j = 0; j < scales.size(); ++j) {
    sides_ += problem.space.movable(j) && !by_score_[j] ? 2U : 0U;
  }
}

std::size_t NoisyMargins::extra_rows(std::size_t draws) const noexcept {
  return sides_ * difference_draws(draws);
}

Vector NoisyMargins::noisy_row(View origin, View point, std::size_t draw) const {
  Vector row(draws_[draw].begin(), draws_[draw].end());
  if (depends_on_point(problem_.noise)) fit_to_point(problem_.noise, origin, point, row);
  add_flips(flips_.categories, flips_.of(draw), point, row);
  std::ranges::transform(row, point, row.begin(), std::plus<>{});
  return row;
}

void NoisyMargins::margins(View origin, View point, MutableView out) const {
  if (bound_) {
    std::vector<float> logits(out.size());
    bound_->logits(point, 0, logits);
    std::ranges::transform(logits, out.begin(), [&](float logit) {
      return signed_margin(problem_.goal, static_cast<double>(logit));
    });
    return;
  }
  constexpr std::size_t kBlock = 256;
  const std::size_t width = draws_.width;
  const bool fits = depends_on_point(problem_.noise);
  Matrix rows(std::min(kBlock, out.size()), width);
  for (std::size_t first = 0; first < out.size(); first += kBlock) {
    const std::size_t n = std::min(kBlock, out.size() - first);
    for (std::size_t k = 0; k < n; ++k) {
      const MutableView row = rows[k];
      std::ranges::copy(draws_[first + k], row.begin());
      if (fits) fit_to_point(problem_.noise, origin, point, row);
      add_flips(flips_.categories, flips_.of(first + k), point, row);
      for (std::size_t j = 0; j < width; ++j) row[j] += point[j];
    }
    if (!problem_.pool) {
      problem_.model.logits(rows.rows().slice(0, n), out.subspan(first, n));
      continue;
    }
    for (std::size_t k = 0; k < n; ++k) {
      problem_.model_of(first + k).logits(rows.rows().slice(k, 1), out.subspan(first + k, 1));
    }
  }
  for (double& value : out) value = signed_margin(problem_.goal, value);
}

std::optional<double> NoisyMargins::margins_and_own(View origin, View point,
                                                    MutableView out) const {
  const JointDraws* joint = bound_ ? bound_->joint() : nullptr;
  if (joint == nullptr) {
    margins(origin, point, out);
    return std::nullopt;
  }
  std::vector<float> logits(out.size());
  const double own = joint->logits_and_own(point, logits);
  std::ranges::transform(logits, out.begin(), [&](float logit) {
    return signed_margin(problem_.goal, static_cast<double>(logit));
  });
  return own;
}

Vector NoisyMargins::margins_around(View origin, Rows points, std::size_t draws) const {
  Vector out(points.count() * draws);
  if (const JointDraws* joint = bound_ ? bound_->joint() : nullptr; joint && !out.empty()) {
    std::vector<float> logits(out.size());
    joint->joint_logits(points, draws, logits);
    std::ranges::transform(logits, out.begin(), [&](float logit) {
      return signed_margin(problem_.goal, static_cast<double>(logit));
    });
    return out;
  }
  for (std::size_t p = 0; p < points.count(); ++p) {
    margins(origin, points[p], MutableView(out).subspan(p * draws, draws));
  }
  return out;
}

double NoisyMargins::own_margin(View point) const {
  return signed_margin(problem_.goal, problem_.model.logit(point));
}

std::size_t NoisyMargins::invalid(View margins) noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(margins, [](double margin) { return margin < 0; }));
}

ConstraintValue NoisyMargins::order_statistic(View origin, View point, View margins,
                                              std::size_t rank) const {
  const std::size_t count = margins.size();
  rank = std::min(rank, count - 1);
  auto half = std::max<std::size_t>(
      1, static_cast<std::size_t>(kBand * static_cast<double>(margins.size())));
  if (slopes_ == Slopes::from_answers) {
    // The band also measures the density, which in the tails changes within a few ranks.
    half = std::clamp<std::size_t>(std::min(rank, count - 1 - rank) / 2, 1, half);
  }
  const std::size_t low = rank - std::min(rank, half);
  const std::size_t high = std::min(rank + half, count - 1);
  // Three ranks of many: each is looked for on its side of the one before.
  Vector ranked(margins.begin(), margins.end());
  const auto place = [&](std::size_t one) {
    return ranked.begin() + static_cast<std::ptrdiff_t>(one);
  };
  std::nth_element(ranked.begin(), place(rank), ranked.end());
  if (low < rank) std::nth_element(ranked.begin(), place(low), place(rank));
  if (high > rank) std::nth_element(place(rank + 1), place(high), ranked.end());
  ConstraintValue out{ranked[rank], Vector(point.size())};
  if (slopes_ == Slopes::from_model) {
    add_model_gradient(origin, point, margins, ranked[low], ranked[high], out.gradient);
    return out;
  }
  // The quantile moves against the share below it, by the density there.
  const double width = ranked[high] - ranked[low];
  if (!(width > 0) || !std::isfinite(width)) return out;
  const double density = static_cast<double>(high - low) / static_cast<double>(count) / width;
  out.gradient = share_gradient(origin, point, margins, ranked[rank]);
  for (double& slope : out.gradient) slope = -slope / density;
  return out;
}

void NoisyMargins::add_model_gradient(View origin, View point, View margins, double from, double to,
                                      MutableView out) const {
  Vector slope(point.size());
  std::size_t members = 0;
  for (std::size_t k = 0; k < margins.size(); ++k) {
    if (margins[k] < from || margins[k] > to) continue;
    ++members;
    problem_.model_of(k).gradient()->logit_gradient(noisy_row(origin, point, k), slope);
    for (std::size_t j = 0; j < slope.size(); ++j) out[j] += slope[j];
  }
  const double weight = problem_.goal.sign() / static_cast<double>(members);
  for (std::size_t j = 0; j < out.size(); ++j) {
    out[j] = problem_.space.movable(j) ? out[j] * weight : 0.0;
  }
}

Vector NoisyMargins::share_gradient(View origin, View point, View margins, double level) const {
  Vector out(point.size());
  const auto below = [&](double margin) { return margin < level ? 1.0 : 0.0; };
  std::size_t failing = 0;
  for (const double margin : margins) failing += margin < level ? 1U : 0U;
  // Scores of pairs cancel, so that those of the failing draws are minus those of the others: the
  // fewer are summed. Taking the mean off would change nothing but for an odd one out.
  const bool few = 2 * failing <= margins.size() || margins.size() % 2 == 1;
  Vector sums(scored_.size());
  for (std::size_t k = 0; k < margins.size(); ++k) {
    if ((margins[k] < level) != few) continue;
    const View scores = scores_[k];
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += scores[i];
  }
  const double sign = (few ? 1.0 : -1.0) / static_cast<double>(margins.size());
  for (std::size_t i = 0; i < sums.size(); ++i) out[scored_[i]] = sign * sums[i];
  // Differences: both sides of every column, in one request where that is cheaper.
  Matrix sides(0, point.size());
  for (std::size_t j = 0; j < out.size(); ++j) {
    if (!problem_.space.movable(j)) out[j] = 0;
    if (!problem_.space.movable(j) || by_score_[j]) continue;
    for (const double step : {steps_[j], -steps_[j]}) {
      sides.append(point);
      sides[sides.count() - 1][j] += step;
    }
  }
  const std::size_t draws = difference_draws(margins.size());
  const Vector shifted = margins_around(origin, sides.rows(), draws);
  std::size_t side = 0;
  const auto next_share = [&] {
    double sum = 0;
    for (const double margin : View(shifted).subspan(draws * side++, draws)) sum += below(margin);
    return sum / static_cast<double>(draws);
  };
  for (std::size_t j = 0; j < out.size(); ++j) {
    if (!problem_.space.movable(j) || by_score_[j]) continue;
    const double above = next_share();
    out[j] = (above - next_share()) / (2 * steps_[j]);
  }
  return out;
}

}  // namespace croco
