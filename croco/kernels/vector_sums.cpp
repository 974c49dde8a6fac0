// SPDX-License-Identifier: Apache-2.0
#include <croco/kernels/vector_sums.hpp>

#include <algorithm>

#include <croco/kernels/dispatch.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "croco/kernels/vector_sums.cpp"
// In this order: what is compiled for each instruction set comes last.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace croco {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// As many draws as two registers have go through all vectors together.
template <typename Number>
using Lanes = hn::CappedTag<Number, 64 / sizeof(Number)>;
constexpr std::size_t kTogether = 2;

template <VectorKernel Kernel, typename D, typename V, typename Number>
HWY_INLINE V Step(D d, V u, V x, Number entry) {
  const V vector = hn::Set(d, entry);
  if constexpr (Kernel == VectorKernel::gaussian) {
    const V gap = hn::Sub(x, vector);
    return hn::MulAdd(gap, gap, u);
  } else {
    return hn::MulAdd(x, vector, u);
  }
}

template <typename V>
HWY_INLINE V Power(V u, unsigned degree) {
  V out = u;
  for (unsigned i = 1; i < degree; ++i) out = hn::Mul(out, u);
  return out;
}

template <VectorKernel Kernel, typename D, typename V, typename Number>
HWY_INLINE V Value(D d, V u, const VectorSum<Number>& sum) {
  if constexpr (Kernel == VectorKernel::gaussian) {
    return hn::Exp(d, hn::Mul(u, hn::Set(d, -sum.gamma)));
  } else if constexpr (Kernel == VectorKernel::power) {
    return Power(u, sum.degree);
  } else {
    return hn::Tanh(d, u);
  }
}

/// The derivative by u; for `gaussian` twice that, as the derivative by x has it.
template <VectorKernel Kernel, typename D, typename V, typename Number>
HWY_INLINE V Slope(D d, V u, const VectorSum<Number>& sum) {
  if constexpr (Kernel == VectorKernel::gaussian) {
    return hn::Mul(Value<Kernel>(d, u, sum), hn::Set(d, -2 * sum.gamma));
  } else if constexpr (Kernel == VectorKernel::power) {
    const V factor = hn::Set(d, static_cast<Number>(sum.degree));
    return sum.degree < 2 ? factor : hn::Mul(factor, Power(u, sum.degree - 1));
  } else {
    const V value = hn::Tanh(d, u);
    return hn::Sub(hn::Set(d, Number{1}), hn::Mul(value, value));
  }
}

template <VectorKernel Kernel, typename D, typename V, typename Number>
HWY_INLINE void Arguments(D d, const VectorSum<Number>& sum, std::size_t v, const Number* in,
                          V (&u)[kTogether]) {
  for (V& one : u) one = hn::Set(d, sum.base[v]);
  const Number* vector = sum.vectors + v * sum.columns;
  for (std::size_t j = 0; j < sum.columns; ++j) {
    for (std::size_t t = 0; t < kTogether; ++t) {
      const V x = hn::Load(d, in + j * kVectorBlock + t * hn::Lanes(d));
      u[t] = Step<Kernel>(d, u[t], x, vector[j]);
    }
  }
}

template <VectorKernel Kernel, typename Number>
HWY_INLINE void SumsOf(const VectorSum<Number>& sum, const Number* in, Number* out) {
  const Lanes<Number> d;
  using V = hn::Vec<Lanes<Number>>;
  for (std::size_t k = 0; k < kVectorBlock; k += kTogether * hn::Lanes(d)) {
    V total[kTogether];
    for (V& one : total) one = hn::Zero(d);
    for (std::size_t begin = 0; begin < sum.count; begin += kVectorRun) {
      V run[kTogether];
      for (V& one : run) one = hn::Zero(d);
      for (std::size_t v = begin; v < std::min(begin + kVectorRun, sum.count); ++v) {
        V u[kTogether];
        Arguments<Kernel>(d, sum, v, in + k, u);
        const V coefficient = hn::Set(d, sum.coefficients[v]);
        for (std::size_t t = 0; t < kTogether; ++t) {
          run[t] = hn::MulAdd(coefficient, Value<Kernel>(d, u[t], sum), run[t]);
        }
      }
      for (std::size_t t = 0; t < kTogether; ++t) total[t] = hn::Add(total[t], run[t]);
    }
    for (std::size_t t = 0; t < kTogether; ++t) {
      hn::Store(total[t], d, out + k + t * hn::Lanes(d));
    }
  }
}

template <VectorKernel Kernel, typename Number>
HWY_INLINE void SlopesOf(const VectorSum<Number>& sum, const Number* in, const Number* slopes,
                         Number* into, double* totals) {
  const Lanes<Number> d;
  using V = hn::Vec<Lanes<Number>>;
  for (std::size_t k = 0; k < kVectorBlock; k += kTogether * hn::Lanes(d)) {
    V weight[kTogether];
    for (std::size_t t = 0; t < kTogether; ++t) {
      weight[t] = hn::Load(d, slopes + k + t * hn::Lanes(d));
    }
    for (std::size_t v = 0; v < sum.count; ++v) {
      V u[kTogether];
      Arguments<Kernel>(d, sum, v, in + k, u);
      const V coefficient = hn::Set(d, sum.coefficients[v]);
      V all = hn::Zero(d);
      for (std::size_t t = 0; t < kTogether; ++t) {
        u[t] = hn::Mul(hn::Mul(coefficient, weight[t]), Slope<Kernel>(d, u[t], sum));
        all = hn::Add(all, u[t]);
      }
      totals[v] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, all)));
      const Number* vector = sum.vectors + v * sum.columns;
      for (std::size_t j = 0; j < sum.columns; ++j) {
        const V entry = hn::Set(d, vector[j]);
        for (std::size_t t = 0; t < kTogether; ++t) {
          const std::size_t at = j * kVectorBlock + k + t * hn::Lanes(d);
          const V added = hn::Load(d, into + at);
          if constexpr (Kernel == VectorKernel::gaussian) {
            hn::Store(hn::MulAdd(u[t], hn::Sub(hn::Load(d, in + at), entry), added), d, into + at);
          } else {
            hn::Store(hn::MulAdd(u[t], entry, added), d, into + at);
          }
        }
      }
    }
  }
}

template <typename Number>
void Sums(const VectorSum<Number>& sum, const Number* in, Number* out) {
  switch (sum.kernel) {
    case VectorKernel::gaussian:
      return SumsOf<VectorKernel::gaussian>(sum, in, out);
    case VectorKernel::power:
      return SumsOf<VectorKernel::power>(sum, in, out);
    case VectorKernel::tanh:
      return SumsOf<VectorKernel::tanh>(sum, in, out);
  }
}

template <typename Number>
void Slopes(const VectorSum<Number>& sum, const Number* in, const Number* slopes, Number* into,
            double* totals) {
  switch (sum.kernel) {
    case VectorKernel::gaussian:
      return SlopesOf<VectorKernel::gaussian>(sum, in, slopes, into, totals);
    case VectorKernel::power:
      return SlopesOf<VectorKernel::power>(sum, in, slopes, into, totals);
    case VectorKernel::tanh:
      return SlopesOf<VectorKernel::tanh>(sum, in, slopes, into, totals);
  }
}

void SingleSums(const VectorSum<float>& sum, const float* in, float* out) { Sums(sum, in, out); }
void DoubleSums(const VectorSum<double>& sum, const double* in, double* out) { Sums(sum, in, out); }
void SingleSlopes(const VectorSum<float>& sum, const float* in, const float* slopes, float* into,
                  double* totals) {
  Slopes(sum, in, slopes, into, totals);
}
void DoubleSlopes(const VectorSum<double>& sum, const double* in, const double* slopes,
                  double* into, double* totals) {
  Slopes(sum, in, slopes, into, totals);
}

}  // namespace HWY_NAMESPACE
}  // namespace croco
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croco {
namespace {

HWY_EXPORT(SingleSums);
HWY_EXPORT(DoubleSums);
HWY_EXPORT(SingleSlopes);
HWY_EXPORT(DoubleSlopes);

}  // namespace

void vector_sums(const VectorSum<float>& sum, const float* in, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(SingleSums)(sum, in, out);
}
void vector_sums(const VectorSum<double>& sum, const double* in, double* out) noexcept {
  HWY_DYNAMIC_DISPATCH(DoubleSums)(sum, in, out);
}
void vector_slopes(const VectorSum<float>& sum, const float* in, const float* slopes, float* into,
                   double* totals) noexcept {
  HWY_DYNAMIC_DISPATCH(SingleSlopes)(sum, in, slopes, into, totals);
}
void vector_slopes(const VectorSum<double>& sum, const double* in, const double* slopes,
                   double* into, double* totals) noexcept {
  HWY_DYNAMIC_DISPATCH(DoubleSlopes)(sum, in, slopes, into, totals);
}

}  // namespace croco
#endif
