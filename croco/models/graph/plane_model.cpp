// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/plane_model.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <croco/models/graph/plane_error.hpp>
#include <croco/models/graph/plane_pass.hpp>
#include <croco/models/graph/plane_rewrite.hpp>

namespace croco {

namespace {

/// Draws need not be coupled where all else is smooth: the coupling's own jumps are the only ones.
std::optional<SplitProgram> uncoupled_parts(const PlaneProgram& program, double sign) {
  if (sign == 0) return std::nullopt;
  SplitProgram out = split(without_coupling(program));
  const bool smooth = !has_jumps(out.tail) && has_error_bound(out.tail);
  return smooth ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

PlaneModel::PlaneModel(const PlaneProgram& program, const RuntimeError& error)
    : width_(program.inputs),
      parts_(split(program)),
      coupling_sign_(coupling_sign(program)),
      uncoupled_(uncoupled_parts(program, coupling_sign_)),
      layers_(croco::float_layers(drawn().tail)),
      smooth_(has_gradient(parts_.tail)),
      projected_(!has_jumps(drawn().tail)),
      by_rows_(!has_error_bound(drawn().tail)),
      error_(error) {}

bool PlaneModel::projects() const noexcept {
  return projected_ && std::ranges::any_of(drawn().head, [](const AffineForm& form) {
           return form.terms.size() > 1;
         });
}

double PlaneModel::coupling_gap(double threshold) const noexcept {
  if (!uncoupled()) return 0;
  return std::abs(threshold) < kCouplingReach ? kCouplingGap
                                              : std::numeric_limits<double>::infinity();
}

double PlaneModel::coupled(double drawn) const noexcept {
  if (!uncoupled()) return drawn;
  return coupling_sign_ * apply(Unary::libsvm_logit, coupling_sign_ * drawn, 0, 0);
}

ModelDescription PlaneModel::describe() const {
  return {.structure =
              fmt::format("{} numbers from {} columns, then {} steps on {} numbers",
                          parts_.head.size(), width_, parts_.tail.steps.size(), parts_.tail.planes),
          .parameters = 0,
          .projects_samples = projects()};
}

void PlaneModel::logits(Rows rows, MutableView out) const {
  PlanePass<double> pass(parts_.tail, {}, out.size());
  for (std::size_t begin = 0; begin < out.size(); begin += pass.items()) {
    const std::size_t n = std::min(pass.items(), out.size() - begin);
    for (std::size_t f = 0; f < parts_.head.size(); ++f) {
      const AffineForm& form = parts_.head[f];
      double* plane = pass.input(f);
      for (std::size_t k = 0; k < n; ++k) {
        plane[k] = value_at(form, rows[begin + k]);
      }
    }
    std::copy_n(pass.forward(n), n, out.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

double PlaneModel::logit_gradient(View point, MutableView gradient) const {
  PlanePass<double> pass(parts_.tail, {}, 1);
  for (std::size_t f = 0; f < parts_.head.size(); ++f) {
    *pass.input(f) = value_at(parts_.head[f], point);
  }
  const double logit = *pass.forward(1);
  const double one = 1;
  pass.backward({&one, 1});
  std::ranges::fill(gradient, 0.0);
  for (std::size_t f = 0; f < parts_.head.size(); ++f) {
    const double slope = *pass.input_slope(f);
    if (slope == 0) continue;
    for (const AffineForm::Term& term : parts_.head[f].terms) {
      gradient[term.index] += slope * term.factor;
    }
  }
  return logit;
}

std::unique_ptr<DrawEvaluator> PlaneModel::bind(Rows draws) const {
  return bind_planes(*this, draws, {});
}

std::unique_ptr<DrawEvaluator> PlaneModel::bind_flips(Rows draws, DrawnFlips flips) const {
  return bind_planes(*this, draws, std::move(flips));
}

}  // namespace croco
