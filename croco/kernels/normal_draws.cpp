// SPDX-License-Identifier: Apache-2.0
#include <croco/kernels/normal_draws.hpp>

#include <cstring>
#include <numbers>

#include <croco/base/normal_coefficients.hpp>
#include <croco/kernels/dispatch.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "croco/kernels/normal_draws.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace croco {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace nc = normal_coefficients;

using D = hn::CappedTag<double, 8>;
using U = hn::RebindToUnsigned<D>;
using V = hn::Vec<D>;
using W = hn::Vec<U>;
constexpr D kD;
constexpr U kU;

/// A whole number below 2^52 in every lane.
HWY_INLINE V ToDouble(W whole) {
  const W magic = hn::Set(kU, 0x4330000000000000ULL);  // 2^52
  return hn::Sub(hn::BitCast(kD, hn::Or(whole, magic)), hn::BitCast(kD, magic));
}

/// Products of the low halves of the lanes.
HWY_INLINE W MulLow32(W a, W b) {
#if HWY_TARGET == HWY_SCALAR
  const W low = hn::Set(kU, 0xffffffffULL);
  return hn::Set(kU, hn::GetLane(hn::And(a, low)) * hn::GetLane(hn::And(b, low)));
#else
  const hn::Repartition<std::uint32_t, U> halves;
  return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
#endif
}

HWY_INLINE V Polynomial(const double (&coefficients)[8], V x) {
  V value = hn::Set(kD, coefficients[7]);
  for (int i = 6; i >= 0; --i) value = hn::Add(hn::Mul(value, x), hn::Set(kD, coefficients[i]));
  return value;
}

/// For |p - .5| <= .425; meaningless but finite for other p.
HWY_INLINE V CentralQuantile(V q) {
  const V r = hn::Sub(hn::Set(kD, 0.180625), hn::Mul(q, q));
  return hn::Div(hn::Mul(q, Polynomial(nc::kA, r)), Polynomial(nc::kB, r));
}

HWY_INLINE V Log(V x) {
  const W bits = hn::BitCast(kU, x);
  V exponent = hn::Sub(ToDouble(hn::ShiftRight<52>(bits)), hn::Set(kD, 1022.0));
  V mantissa = hn::BitCast(kD, hn::Or(hn::And(bits, hn::Set(kU, 0x000fffffffffffffULL)),
                                      hn::Set(kU, 0x3fe0000000000000ULL)));
  const V one = hn::Set(kD, 1.0);
  const auto small = hn::Lt(mantissa, hn::Set(kD, std::numbers::sqrt2 / 2));
  mantissa = hn::IfThenElse(small, hn::Add(mantissa, mantissa), mantissa);
  exponent = hn::IfThenElse(small, hn::Sub(exponent, one), exponent);
  const V s = hn::Div(hn::Sub(mantissa, one), hn::Add(mantissa, one));
  const V square = hn::Mul(s, s);
  V sum = hn::Zero(kD);
  for (int odd = 21; odd >= 3; odd -= 2) {
    sum = hn::Mul(hn::Add(sum, hn::Set(kD, 1.0 / odd)), square);
  }
  const V twice = hn::Add(s, s);
  const V low = hn::Add(hn::Mul(twice, sum), hn::Mul(exponent, hn::Set(kD, nc::kLn2Low)));
  return hn::Add(hn::Mul(exponent, hn::Set(kD, nc::kLn2High)), hn::Add(twice, low));
}

/// For |p - .5| > .425. Uniform numbers made of 32 bits have sqrt(-log tail) < 5.
HWY_INLINE V TailQuantile(V p) {
  const V q = hn::Sub(p, hn::Set(kD, 0.5));
  const auto negative = hn::Lt(q, hn::Zero(kD));
  const V tail = hn::IfThenElse(negative, p, hn::Sub(hn::Set(kD, 1.0), p));
  const V r = hn::Sub(hn::Sqrt(hn::Neg(Log(tail))), hn::Set(kD, 1.6));
  const V x = hn::Div(Polynomial(nc::kC, r), Polynomial(nc::kD, r));
  return hn::IfThenElse(negative, hn::Neg(x), x);
}

/// Words i of Philox4x32-10 at draws first .. first + lanes - 1, in the low halves of the lanes.
HWY_INLINE void Philox(const Stream& stream, W index, std::uint32_t block, W (&words)[4]) {
  const W low = hn::Set(kU, 0xffffffffULL);
  const std::uint64_t middle =
      (static_cast<std::uint64_t>(stream.purpose) << 16U) | (block & 0xffffU);
  W c0 = index;
  W c1 = hn::Or(hn::ShiftLeft<24>(hn::And(hn::ShiftRight<32>(index), hn::Set(kU, 0xffULL))),
                hn::Set(kU, middle));
  W c2 = hn::Set(kU, stream.item & 0xffffffffU);
  W c3 = hn::Set(kU, stream.item >> 32U);
  const W m0 = hn::Set(kU, 0xD2511F53ULL);
  const W m1 = hn::Set(kU, 0xCD9E8D57ULL);
  auto k0 = static_cast<std::uint32_t>(stream.seed);
  auto k1 = static_cast<std::uint32_t>(stream.seed >> 32U);
  for (int round = 0; round < 10; ++round) {
    const W p0 = MulLow32(c0, m0);
    const W p1 = MulLow32(c2, m1);
    c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c1), hn::Set(kU, k0));
    c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c3), hn::Set(kU, k1));
    c1 = p1;
    c3 = p0;
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  words[0] = hn::And(c0, low);
  words[1] = hn::And(c1, low);
  words[2] = hn::And(c2, low);
  words[3] = hn::And(c3, low);
}

void Words(const Stream& stream, std::uint64_t first, std::uint32_t block, std::size_t count,
           std::uint32_t* out) {
  const std::size_t lanes = hn::Lanes(kD);
  HWY_ALIGN std::uint64_t some[8];
  for (std::size_t k = 0; k < count; k += lanes) {
    W words[4];
    Philox(stream, hn::Add(hn::Iota(kU, k), hn::Set(kU, first)), block, words);
    const std::size_t n = count - k < lanes ? count - k : lanes;
    for (std::size_t i = 0; i < 4; ++i) {
      hn::Store(words[i], kU, some);
      for (std::size_t l = 0; l < n; ++l) {
        out[i * count + k + l] = static_cast<std::uint32_t>(some[l]);
      }
    }
  }
}

void NormalDraws(const Stream& stream, std::uint64_t first, std::uint32_t block, std::size_t count,
                 double* out) {
  constexpr std::size_t kRun = 64;
  const std::size_t lanes = hn::Lanes(kD);
  HWY_ALIGN double values[kRun];
  HWY_ALIGN double tails[kRun + 8];
  HWY_ALIGN std::uint64_t places[kRun + 8];
  for (std::size_t begin = 0; begin < count; begin += kRun) {
    const std::size_t n = count - begin < kRun ? count - begin : kRun;
    HWY_ALIGN double uniform[4][kRun];
    for (std::size_t k = 0; k < kRun && k < n; k += lanes) {
      W words[4];
      Philox(stream, hn::Add(hn::Iota(kU, k), hn::Set(kU, first + begin)), block, words);
      for (std::size_t i = 0; i < 4; ++i) {
        const V u = hn::Mul(hn::Add(ToDouble(words[i]), hn::Set(kD, 0.5)), hn::Set(kD, 0x1p-32));
        hn::Store(u, kD, uniform[i] + k);
      }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      // Three in twenty lie in the tails, where a logarithm is due: gathered, then done densely.
      std::size_t size = 0;
      for (std::size_t k = 0; k < n; k += lanes) {
        const V u = hn::Load(kD, uniform[i] + k);
        const V q = hn::Sub(u, hn::Set(kD, 0.5));
        hn::Store(CentralQuantile(q), kD, values + k);
        const auto outside = hn::Gt(hn::Abs(q), hn::Set(kD, 0.425));
        hn::CompressStore(u, outside, kD, tails + size);
        size += hn::CompressStore(hn::Iota(kU, k), hn::RebindMask(kU, outside), kU, places + size);
      }
      for (std::size_t t = 0; t < size; t += lanes) {
        const std::size_t some = size - t < lanes ? size - t : lanes;
        for (std::size_t l = some; l < lanes; ++l) tails[t + l] = 0.01;
        hn::StoreU(TailQuantile(hn::LoadU(kD, tails + t)), kD, tails + t);
        for (std::size_t l = 0; l < some; ++l) values[places[t + l]] = tails[t + l];
      }
      std::memcpy(out + i * count + begin, values, n * sizeof(double));
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace croco
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace croco {
namespace {

HWY_EXPORT(NormalDraws);
HWY_EXPORT(Words);

}  // namespace

void normal_draws(const Stream& stream, std::uint64_t first, std::uint32_t block, std::size_t count,
                  double* out) {
  HWY_DYNAMIC_DISPATCH(NormalDraws)(stream, first, block, count, out);
}

void random_words_of(const Stream& stream, std::uint64_t first, std::uint32_t block,
                     std::size_t count, std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(Words)(stream, first, block, count, out);
}

}  // namespace croco
#endif
