// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/plane_error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

namespace croco {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Functions are a handful of operations, with roundings of arguments and results.
constexpr double kRoundings = 8;

/// A function's steepest slope and largest value for |x| <= m; infinite when it has none.
struct Steepness {
  double slope = kInfinity;
  double magnitude = 0;
};

/// Slopes that follow from the formulas; those of gelu, mish and hard_swish are rounded up.
Steepness steepness(const UnaryStep& step, double m) {
  const double a = std::abs(step.a);
  const double b = std::abs(step.b);
  // Below 0, |e^x - 1| <= |x|.
  const auto through_zero = [m](double slope) { return Steepness{slope, slope * m}; };
  switch (step.function) {
    case Unary::relu:
    case Unary::abs:
      return through_zero(1);
    case Unary::leaky_relu:
    case Unary::elu:
      return through_zero(std::max(1.0, a));
    case Unary::selu:
      return through_zero(b * std::max(1.0, a));
    case Unary::celu:
      return step.a > 0 ? through_zero(1) : Steepness{};
    case Unary::gelu:
    case Unary::mish:
      return through_zero(1.2);
    case Unary::gelu_tanh:
      return m * m * m < kSingle.largest ? through_zero(1.2) : Steepness{};
    case Unary::tanh:
    case Unary::softsign:
      return {1, 1};
    case Unary::sigmoid:
      return {0.25, 1};
    case Unary::softplus:
      return {1, m + 1};
    case Unary::erf:
      return {1.2, 1};
    case Unary::hard_sigmoid:
      return {a, std::max(1.0, b)};
    case Unary::hard_swish:
      return through_zero(1.5);
    case Unary::clip:
      return {1, std::max({m, step.a, -step.b})};
    case Unary::square:
      return {2 * m, m * m};
    case Unary::exp:
      return {std::exp(m), std::exp(m)};
    case Unary::logit:
      if (!(step.a > 0 && step.a < 0.5)) return {};
      return {1 / (step.a * (1 - step.a)), std::log((1 - step.a) / step.a)};
    case Unary::log:
    case Unary::sqrt:
    case Unary::reciprocal:
    case Unary::power:
    case Unary::thresholded_relu:
    case Unary::truncate:
    case Unary::floor:
    case Unary::ceil:
    case Unary::round:
    case Unary::sign:
    case Unary::negation:
    case Unary::is_nan:
    case Unary::libsvm_logit:
    case Unary::replace:
    case Unary::single:
    case Unary::to_double:  // behind a rounding
      break;
  }
  return {};
}

/// Carries bounds through the steps of a program.
class Analysis {
 public:
  Analysis(const PlaneProgram& program, std::span<const PlaneBound> inputs,
           const Arithmetic& arithmetic)
      : arithmetic_(arithmetic), bounds_(program.planes) {
    std::ranges::copy(inputs, bounds_.begin());
    for (const ConstantPlane& constant : program.constants) {
      const double size = std::abs(constant.value);
      bounds_[constant.plane] = {size, arithmetic.unit * size + arithmetic.least};
    }
    for (const Step& step : program.steps) {
      std::visit([this](const auto& one) { add(one); }, step);
    }
    // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer): the steps above fill bounds_
    result_ = bounds_[program.result];
    // What is not finite on the way may not be seen in the end; NaN is not safe either.
    const bool safe = std::ranges::all_of(bounds_, [&](const PlaneBound& bound) {
      return bound.magnitude + bound.error <= arithmetic.largest;
    });
    if (!safe) result_.error = kInfinity;
  }

  [[nodiscard]] PlaneBound result() const noexcept { return result_; }

 private:
  /// A result: errors that were carried, and roundings of numbers up to `largest` on the way.
  void set(std::size_t plane, double magnitude, double carried, double roundings, double largest) {
    bounds_[plane] = {magnitude,
                      carried + roundings * (arithmetic_.unit * largest + arithmetic_.least)};
  }

  /// The size of a product. A weight that is not safe itself is not safe with 0 either.
  [[nodiscard]] double weighted(double weight, const PlaneBound& in) const {
    return weight <= arithmetic_.largest ? weight * (in.magnitude + in.error) : kInfinity;
  }

  void add(const AffineStep& step) {
    for (std::size_t o = 0; o < step.layer.outputs; ++o) {
      double sum = std::abs(step.layer.bias[o]);
      double carried = 0;
      for (std::size_t i = 0; i < step.in.size(); ++i) {
        const double weight = std::abs(step.layer.weight[o * step.layer.inputs + i]);
        if (weight == 0) continue;
        const PlaneBound& in = bounds_[step.in[i]];
        sum += weighted(weight, in);
        carried += weight * in.error + arithmetic_.lost;
      }
      set(step.out + o, sum, carried, static_cast<double>(step.in.size()) + kRoundings, sum);
    }
  }

  void add(const ScaleStep& step) {
    for (std::size_t i = 0; i < step.in.size(); ++i) {
      const PlaneBound& in = bounds_[step.in[i]];
      const double factor = std::abs(step.factor[i]);
      const double size = weighted(factor, in) + std::abs(step.offset[i]);
      set(step.out + i, size, factor * in.error + arithmetic_.lost, kRoundings, size);
    }
  }

  void add(const UnaryStep& step) {
    for (std::size_t i = 0; i < step.in.size(); ++i) {
      const PlaneBound& in = bounds_[step.in[i]];
      const double reach = in.magnitude + in.error;
      const Steepness steep = steepness(step, reach);
      set(step.out + i, steep.magnitude, steep.slope * in.error, kRoundings,
          steep.slope * reach + steep.magnitude);
    }
  }

  void add(const BinaryStep& step) {
    for (std::size_t i = 0; i < step.left.size(); ++i) {
      const PlaneBound& x = bounds_[step.left[i]];
      const PlaneBound& y = bounds_[step.right[i]];
      const double reach_x = x.magnitude + x.error;
      const double reach_y = y.magnitude + y.error;
      switch (step.function) {
        case Binary::add:
        case Binary::subtract:
          set(step.out + i, reach_x + reach_y, x.error + y.error, kRoundings, reach_x + reach_y);
          break;
        case Binary::multiply:
          set(step.out + i, reach_x * reach_y,
              reach_x * y.error + reach_y * x.error + arithmetic_.lost, kRoundings,
              reach_x * reach_y);
          break;
        case Binary::minimum:
        case Binary::maximum:
          set(step.out + i, std::max(reach_x, reach_y), std::max(x.error, y.error), 0, 0);
          break;
        default:
          bounds_[step.out + i] = {0, kInfinity};
          break;
      }
    }
  }

  void add(const GroupStep& step) {
    const std::size_t width = step.width;
    const auto entries = static_cast<double>(width);
    for (std::size_t g = 0; g * width < step.in.size(); ++g) {
      PlaneBound largest;
      PlaneBound sum;
      for (std::size_t i = 0; i < width; ++i) {
        const PlaneBound& in = bounds_[step.in[g * width + i]];
        largest.magnitude = std::max(largest.magnitude, in.magnitude + in.error);
        largest.error = std::max(largest.error, in.error);
        sum.magnitude += in.magnitude + in.error;
        sum.error += in.error;
      }
      switch (step.kind) {
        case GroupKind::sum:
          set(step.out + g, sum.magnitude, sum.error, entries + kRoundings, sum.magnitude);
          break;
        case GroupKind::mean:
          set(step.out + g, largest.magnitude, largest.error, entries + kRoundings, sum.magnitude);
          break;
        case GroupKind::largest:
        case GroupKind::smallest:
          set(step.out + g, largest.magnitude, largest.error, 0, 0);
          break;
        case GroupKind::softmax:
          // Differences to the largest are rounded, and errors in them are relative ones after exp.
          for (std::size_t i = 0; i < width; ++i) {
            set(step.out + g * width + i, 1, 2 * largest.error, entries + kRoundings,
                2 * largest.magnitude + 2);
          }
          break;
        case GroupKind::log_softmax:
          for (std::size_t i = 0; i < width; ++i) {
            set(step.out + g * width + i, 2 * largest.magnitude + std::log(entries),
                2 * largest.error, entries + kRoundings, 2 * largest.magnitude + entries + 2);
          }
          break;
        case GroupKind::log_sum_exp:
          // As steep as 1 in the largest norm; the sum is between 1 and the number of entries.
          set(step.out + g, largest.magnitude + std::log(entries), largest.error,
              entries + kRoundings, 2 * largest.magnitude + entries + 2);
          break;
        case GroupKind::arg_largest:
        case GroupKind::arg_smallest:
          bounds_[step.out + g] = {0, kInfinity};
          break;
      }
    }
  }

  /// Of the sum over vectors: every kernel is off by at most `error` and no larger than `size`.
  void add(const KernelStep& step) {
    const KernelSum& sum = *step.sum;
    const KernelSum::Parameters& of = sum.parameters();
    const bool gaussian = of.kernel == VectorKernel::gaussian;
    const auto inputs = static_cast<double>(sum.inputs());
    const double unit = arithmetic_.unit;
    double distance = 0;  // at most, squared
    double moved = 0;     // what errors of x and s move x - s by, squared
    double size = std::abs(of.shift);
    double error = 0;
    for (std::size_t i = 0; i < step.in.size(); ++i) {
      const PlaneBound& in = bounds_[step.in[i]];
      const double most = in.magnitude + in.error;
      const double entry = sum.reach()[i];
      distance += (most + entry) * (most + entry);
      moved += (in.error + unit * entry) * (in.error + unit * entry);
      size += std::abs(of.gamma) * most * entry;
      error += std::abs(of.gamma) * (in.error + unit * most) * entry + arithmetic_.lost;
    }
    if (gaussian) {
      if (!(of.gamma >= 0) || !(distance <= arithmetic_.largest)) return unbounded(step.out, 1);
      // With t = gamma |x - s|^2, t exp(-t) <= 1/e and sqrt(t) exp(-t) < 1/2.
      const double root = std::sqrt(of.gamma * moved);
      size = 1 + root;
      error = (inputs + 4) * unit + root + root * root;
    } else {
      error += (inputs + kRoundings) * unit * size;
      const double reach = size + error;
      if (of.kernel == VectorKernel::power) {
        const double degree = of.degree;
        error *= degree * std::pow(reach, degree - 1);
        size = std::pow(reach, degree);
        error += degree * unit * size;
      } else {
        size = 1;
      }
    }
    const auto count = static_cast<double>(sum.count());
    const auto run = static_cast<double>(kVectorRun);
    const double terms = arithmetic_.runs ? std::min(count, run) + std::ceil(count / run) : count;
    const double total = sum.total();
    if (!(total <= arithmetic_.largest)) return unbounded(step.out, 1);
    set(step.out, std::abs(of.offset) + total * (size + error),
        total * (error + kRoundings * (unit * size + arithmetic_.least)) + count * arithmetic_.lost,
        terms + kRoundings, std::abs(of.offset) + total * (size + error));
  }

  void add(const SelectStep& step) { unbounded(step.out, step.condition.size()); }
  void add(const OpaqueStep& step) { unbounded(step.out, step.function->outputs()); }

  void unbounded(Plane out, std::size_t count) {
    std::fill_n(bounds_.begin() + static_cast<std::ptrdiff_t>(out), count,
                PlaneBound{0, kInfinity});
  }

  Arithmetic arithmetic_;
  std::vector<PlaneBound> bounds_;
  PlaneBound result_;
};

}  // namespace

PlaneBound result_bound(const PlaneProgram& program, std::span<const PlaneBound> inputs,
                        const Arithmetic& arithmetic) {
  return Analysis(program, inputs, arithmetic).result();
}

bool has_error_bound(const PlaneProgram& program) {
  const std::vector<PlaneBound> nothing(program.inputs);
  return std::isfinite(result_bound(program, nothing, {kDouble.unit, kInfinity, 0, 0}).error);
}

}  // namespace croco
