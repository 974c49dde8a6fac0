// SPDX-License-Identifier: Apache-2.0
/// A network that imitates a model whose queries are expensive, so that searches need none. It is
/// fitted once for everybody, on rows that the model is asked for together:
///
///     3/25   people as they are
///     7/25   people with moved features and noise
///     2/5    noisy samples where searches on earlier fits of the surrogate lead, in two rounds
///     1/5    the same at single points: how far the failure rate of the fit before them is from
///            the model's, and how much that varies over people (`ShiftPrior`)
///
/// The surrogate chooses points; what is said of them rests on the model's own answers alone.
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>

#include <croco/base/types.hpp>
#include <croco/methods/method.hpp>
#include <croco/methods/surrogate/rate_shift.hpp>
#include <croco/models/network/mlp.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

struct SurrogateOptions {
  std::size_t rows = 20'000;  ///< of the model, about
  Certified method = {};      ///< its target is where searches lead
  unsigned threads = 1;
};

struct Surrogate {
  std::shared_ptr<const Mlp> model;
  ShiftPrior prior;
  /// Of the samples where its searches lead, the share of which it says the same as the model.
  double agreement = 0.0;
};

/// Fits a surrogate of the problem's model. `examples` are people such as those to be answered, in
/// encoded columns. The same problem, examples and options give the same network. Throws DataError
/// when the model's answers are all on one side of the goal, and Stopped.
[[nodiscard]] Surrogate fit_surrogate(const Problem& problem, const Matrix& examples,
                                      const SurrogateOptions& options,
                                      const std::stop_token& stop = {});

}  // namespace croco
