// SPDX-License-Identifier: Apache-2.0
/// The functions of one and of two numbers that programs on planes are made of, with their slopes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace croco {

/// Functions of x with parameters a and b.
enum class Unary : std::uint8_t {
  relu,
  leaky_relu,  ///< a x below 0
  elu,         ///< a (e^x - 1) below 0
  selu,        ///< b times elu with a
  celu,        ///< a (e^(x/a) - 1) below 0
  gelu,        ///< x Phi(x)
  gelu_tanh,   ///< its approximation by tanh
  tanh,
  sigmoid,
  softplus,
  softsign,
  mish,              ///< x tanh(softplus(x))
  hard_sigmoid,      ///< a x + b within 0 .. 1
  hard_swish,        ///< x times hard_sigmoid with 1/6 and 1/2
  thresholded_relu,  ///< x above a, else 0
  clip,              ///< within a .. b
  exp,
  log,
  sqrt,
  square,
  abs,
  reciprocal,
  erf,
  power,  ///< x^a
  logit,  ///< log(p / (1 - p)) of p within a .. 1 - a
  truncate,
  floor,
  ceil,
  round,  ///< to even
  sign,
  negation,  ///< of a truth value
  is_nan,
  libsvm_logit,  ///< logit of the probability that LIBSVM makes of the one whose logit is x
  replace,       ///< b where x is a (NaN is NaN)
  single,        ///< rounded to single precision
  to_double      ///< x itself; the runtime holds it in double precision from here on
};

/// Whether it changes the precision of a number and nothing else.
[[nodiscard]] constexpr bool is_conversion(Unary function) noexcept {
  return function == Unary::single || function == Unary::to_double;
}

/// A threshold between minus and plus the reach is passed at once by x and by what the coupling of
/// `libsvm_logit` makes of it, unless x is within the gap of the threshold.
///
/// Let r be the probability that the iteration is given and p the one that it ends with. Then
/// Qp = ((1 - r)(p - r), r (r - p)) and p'Qp = (p - r)^2, so its stopping rule max |Qp - p'Qp| <
/// .0025 says that |p - r| max(p, 1 - p) < .0025. The farther x is from 0, the farther p may be in
/// logits. At x = reach + gap it may come as near to 0 as 4.004, and at x = reach - gap go as far
/// as 3.972: neither passes a threshold at the reach.
inline constexpr double kCouplingReach = 4.0;
inline constexpr double kCouplingGap = 0.16;

enum class Binary : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  power,
  minimum,
  maximum,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  both,    ///< of truth values
  either,  ///< of truth values
  unclear  ///< NaN where x and y are so near that another order of roundings may swap them, else 0
};

/// Numbers nearer to each other than this share of their size, plus `kUnclearGap`, are `unclear`:
/// room for some hundred roundings in single precision.
inline constexpr double kUnclearShare = 0x1p-16;
inline constexpr double kUnclearGap = 1e-6;
[[nodiscard]] bool is_unclear(double x, double y) noexcept;

/// True for functions whose slope is 0 wherever they have one, so that a gradient says nothing.
[[nodiscard]] bool is_step(Unary function) noexcept;
[[nodiscard]] bool is_step(Binary function) noexcept;
/// True for functions that are not continuous.
[[nodiscard]] bool has_jumps(Unary function) noexcept;

[[nodiscard]] double apply(Unary function, double x, double a, double b) noexcept;
/// The derivative at x; at kinks the one that PyTorch takes.
[[nodiscard]] double slope(Unary function, double x, double a, double b) noexcept;

[[nodiscard]] double apply(Binary function, double x, double y) noexcept;

/// `out[k] = function of in[k]`, computed in double; quicker than one by one for common functions.
template <typename Number>
void apply_all(Unary function, double a, double b, const Number* in, std::size_t count,
               Number* out) noexcept;
/// `out[k] = function of left[k] and right[k]`. What arithmetic rounds is rounded once.
template <typename Number>
void apply_all(Binary function, const Number* left, const Number* right, std::size_t count,
               Number* out) noexcept;

struct BinarySlopes {
  double x = 0;
  double y = 0;
};
[[nodiscard]] BinarySlopes slopes(Binary function, double x, double y) noexcept;

}  // namespace croco
