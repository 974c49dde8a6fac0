// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/kernel_sum.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

template <typename Number>
Number power(Number u, unsigned degree) {
  Number out = u;
  for (unsigned i = 1; i < degree; ++i) out *= u;
  return out;
}

/// The kernel of each item, and what it is a function of, vector by vector.
template <typename Number>
class Items {
 public:
  Items(const KernelSum::Parameters& parameters, std::span<const double* const> in,
        std::size_t items)
      : of_(parameters), in_(in), arguments_(items), values_(items) {}

  /// |x - s|^2, or gamma x.s + shift.
  const std::vector<Number>& arguments(std::size_t vector) {
    const std::size_t items = arguments_.size();
    const bool distance = of_.kernel == VectorKernel::gaussian;
    std::ranges::fill(arguments_, Number{0});
    for (std::size_t i = 0; i < in_.size(); ++i) {
      const auto entry = static_cast<Number>(of_.vectors[vector * in_.size() + i]);
      const double* x = in_[i];
      if (distance) {
        for (std::size_t k = 0; k < items; ++k) {
          const Number gap = static_cast<Number>(x[k]) - entry;
          arguments_[k] += gap * gap;
        }
      } else {
        for (std::size_t k = 0; k < items; ++k) {
          arguments_[k] += static_cast<Number>(x[k]) * entry;
        }
      }
    }
    if (distance) return arguments_;
    const auto gamma = static_cast<Number>(of_.gamma);
    const auto shift = static_cast<Number>(of_.shift);
    for (Number& u : arguments_) u = gamma * u + shift;
    return arguments_;
  }

  const std::vector<Number>& values(std::size_t vector) {
    arguments(vector);
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = value(arguments_[k]);
    return values_;
  }

 private:
  [[nodiscard]] Number value(Number u) const {
    switch (of_.kernel) {
      case VectorKernel::gaussian:
        return std::exp(-static_cast<Number>(of_.gamma) * u);
      case VectorKernel::power:
        return power(u, of_.degree);
      case VectorKernel::tanh:
        return std::tanh(u);
    }
    return u;
  }

  const KernelSum::Parameters& of_;
  std::span<const double* const> in_;
  std::vector<Number> arguments_;
  std::vector<Number> values_;
};

template <typename Number>
void sums_of(const KernelSum::Parameters& of, std::span<const double* const> in, std::size_t items,
             double* out) {
  Items<Number> kernels(of, in, items);
  std::vector<Number> sums(items, Number{0});
  for (std::size_t v = 0; v < of.coefficients.size(); ++v) {
    const auto coefficient = static_cast<Number>(of.coefficients[v]);
    const std::vector<Number>& values = kernels.values(v);
    for (std::size_t k = 0; k < items; ++k) sums[k] += coefficient * values[k];
  }
  for (std::size_t k = 0; k < items; ++k) {
    out[k] = static_cast<double>(sums[k] + static_cast<Number>(of.offset));
  }
}

/// The derivative of a kernel by x is this times x - s (of a distance) or s.
double slope(const KernelSum::Parameters& of, double u) {
  switch (of.kernel) {
    case VectorKernel::gaussian:
      return -2 * of.gamma * std::exp(-of.gamma * u);
    case VectorKernel::power:
      return of.gamma * of.degree * (of.degree > 1 ? power(u, of.degree - 1) : 1.0);
    case VectorKernel::tanh:
      return of.gamma * (1 - std::tanh(u) * std::tanh(u));
  }
  return 0;
}

}  // namespace

KernelSum::KernelSum(Parameters parameters)
    : parameters_(std::move(parameters)), reach_(parameters_.inputs) {
  if (count() == 0 || inputs() == 0 || parameters_.degree == 0 ||
      parameters_.vectors.size() != count() * inputs()) {
    throw ModelError(fmt::format("it has {} numbers for {} support vectors of {} columns",
                                 parameters_.vectors.size(), count(), inputs()));
  }
  for (const double coefficient : parameters_.coefficients) total_ += std::abs(coefficient);
  for (std::size_t i = 0; i < parameters_.vectors.size(); ++i) {
    double& most = reach_[i % inputs()];
    most = std::max(most, std::abs(parameters_.vectors[i]));
  }
}

void KernelSum::apply(std::span<const double* const> in, std::size_t items, bool single,
                      double* out) const {
  if (single) return sums_of<float>(parameters_, in, items, out);
  sums_of<double>(parameters_, in, items, out);
}

void KernelSum::add_slopes(std::span<const double* const> in, std::size_t items,
                           const double* slopes, std::span<double* const> into) const {
  Items<double> kernels(parameters_, in, items);
  const bool distance = parameters_.kernel == VectorKernel::gaussian;
  for (std::size_t v = 0; v < count(); ++v) {
    Vector steep = kernels.arguments(v);
    for (std::size_t k = 0; k < items; ++k) {
      steep[k] = slopes[k] * parameters_.coefficients[v] * slope(parameters_, steep[k]);
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double entry = parameters_.vectors[v * in.size() + i];
      for (std::size_t k = 0; k < items; ++k) {
        into[i][k] += steep[k] * (distance ? in[i][k] - entry : entry);
      }
    }
  }
}

}  // namespace croco
