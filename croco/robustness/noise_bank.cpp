// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/noise_bank.hpp>

#include <algorithm>

namespace croco {

NoiseBank::NoiseBank(const Problem& problem, const Stream& stream, std::uint64_t first,
                     std::size_t count)
    : problem_(problem), count_(count), draws_(count, problem.space.width()) {
  sample(problem.noise, scoped_scales(problem.noise, problem.space), stream, first, draws_);
  if (!depends_on_point(problem.noise)) {
    bound_ = problem.model.bind(draws_.rows());
    draws_ = Matrix();
  }
}

Matrix NoiseBank::fitted(View origin, View point, std::size_t first, std::size_t count) const {
  Matrix draws(0, draws_.width);
  draws.append(draws_.rows().slice(first, count).data);
  for (std::size_t k = 0; k < count; ++k) fit_to_point(problem_.noise, origin, point, draws[k]);
  return draws;
}

void NoiseBank::logits(View origin, View point, std::size_t first, MutableView out) const {
  if (bound_) {
    bound_->logits(point, first, out);
    return;
  }
  Matrix rows = fitted(origin, point, first, out.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    std::ranges::transform(rows[k], point, rows[k].begin(), std::plus<>{});
  }
  problem_.model.logits(rows.rows(), out);
}

void NoiseBank::add_gradient(View origin, View point, std::size_t first, View weights,
                             MutableView gradient) const {
  if (bound_) {
    bound_->add_gradient(point, first, weights, gradient);
    return;
  }
  const Matrix draws = fitted(origin, point, first, weights.size());
  problem_.model.bind(draws.rows())->add_gradient(point, 0, weights, gradient);
}

}  // namespace croco
