// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx/ranges.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include <croco/models/graph/plane_choice.hpp>
#include <croco/models/graph/tree_scores.hpp>

namespace croco::onnx {
namespace {

/// Programs are as deep as their layers; what is deeper is not followed, and nothing is known.
constexpr std::size_t kMaxDepth = 256;
/// Nor are programs in which a number depends on far too many others.
constexpr std::size_t kMaxLooks = std::size_t{1} << 23;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Range hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Range sum(const Range& a, const Range& b) { return {a.low + b.low, a.high + b.high}; }

/// 0 times infinity is 0 here: a weight of 0 takes its input out.
double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Range times(const Range& a, const Range& b) {
  const auto [low, high] = std::minmax({product(a.low, b.low), product(a.low, b.high),
                                        product(a.high, b.low), product(a.high, b.high)});
  return {low, high};
}

Range rising(const Range& in, Unary function, double a, double b) {
  const double low = apply(function, in.low, a, b);
  const double high = apply(function, in.high, a, b);
  return std::isnan(low) || std::isnan(high) ? Range{} : Range{low, high};
}

Range unary_range(const UnaryStep& step, const Range& in) {
  switch (step.function) {
    case Unary::sigmoid:
    case Unary::hard_sigmoid:
    case Unary::negation:
    case Unary::is_nan:
      return {0, 1};
    case Unary::tanh:
    case Unary::erf:
    case Unary::softsign:
    case Unary::sign:
      return {-1, 1};
    case Unary::relu:
    case Unary::exp:
    case Unary::softplus:
    case Unary::clip:
    case Unary::truncate:
    case Unary::floor:
    case Unary::ceil:
    case Unary::round:
    case Unary::single:
    case Unary::to_double:
      return rising(in, step.function, step.a, step.b);
    case Unary::sqrt:
      return in.low >= 0 ? rising(in, step.function, step.a, step.b) : Range{};
    case Unary::abs: {
      const double high = std::max(std::abs(in.low), std::abs(in.high));
      return {in.low <= 0 && in.high >= 0 ? 0 : std::min(std::abs(in.low), std::abs(in.high)),
              high};
    }
    case Unary::square:
      return {0, std::max(in.low * in.low, in.high * in.high)};
    case Unary::replace:
      return hull(in, {step.b, step.b});
    default:
      return {};
  }
}

/// The entries of each column of a table.
Range entry_range(const Choice& choice, std::size_t column) {
  Range out{kInfinity, -kInfinity};
  for (std::size_t at = column; at < choice.table.size(); at += choice.columns()) {
    out = hull(out, {choice.table[at], choice.table[at]});
  }
  return out;
}

Range opaque_range(const OpaqueStep& step, std::size_t index) {
  if (const auto* entry = dynamic_cast<const TableEntry*>(step.function.get())) {
    return entry_range(entry->choice(), index);
  }
  const auto* trees = dynamic_cast<const TreeScores*>(step.function.get());
  if (trees == nullptr) return {};
  const TreeEnsemble& ensemble = trees->ensemble();
  Range out{ensemble.base, ensemble.base};
  for (std::size_t t = 0; t < ensemble.roots.size(); ++t) {
    const LeafRange leaves = leaf_range(ensemble, t);
    out = sum(out, {leaves.low, leaves.high});
  }
  const double factor = ensemble.multiply / ensemble.divide;
  return times(out, {factor, factor});
}

}  // namespace

Range Ranges::of(Plane plane, std::size_t depth) {
  if (++looks_ > kMaxLooks) return {};
  if (const auto found = known_.find(plane); found != known_.end()) return found->second;
  if (const std::optional<double> value = build_.constant_value(plane)) return {*value, *value};
  const Builder::Producer from = build_.producer(plane);
  if (from.step == nullptr || depth > kMaxDepth) return {};
  Range range = of_step(*from.step, from.index, depth + 1);
  if (std::isnan(range.low) || std::isnan(range.high)) range = {};
  known_[plane] = range;
  return range;
}

Range Ranges::of_step(const Step& step, std::size_t index, std::size_t depth) {
  if (const auto* affine = std::get_if<AffineStep>(&step)) {
    Range out{affine->layer.bias[index], affine->layer.bias[index]};
    for (std::size_t i = 0; i < affine->in.size(); ++i) {
      const double weight = affine->layer.weight[index * affine->layer.inputs + i];
      if (weight != 0) out = sum(out, times({weight, weight}, of(affine->in[i], depth)));
    }
    return out;
  }
  if (const auto* scale = std::get_if<ScaleStep>(&step)) {
    const double factor = scale->factor[index];
    return sum(times({factor, factor}, of(scale->in[index], depth)),
               {scale->offset[index], scale->offset[index]});
  }
  if (const auto* unary = std::get_if<UnaryStep>(&step)) {
    return unary_range(*unary, of(unary->in[index], depth));
  }
  if (const auto* select = std::get_if<SelectStep>(&step)) {
    return hull(of(select->yes[index], depth), of(select->no[index], depth));
  }
  if (const auto* group = std::get_if<GroupStep>(&step)) {
    if (group->kind == GroupKind::softmax) return {0, 1};
    if (group->kind == GroupKind::log_softmax) return {-kInfinity, 0};
    if (is_place(group->kind)) return {0, static_cast<double>(group->width) - 1};
    Range added{0, 0};
    Range any = of(group->in[index * group->width], depth);
    double highest_low = any.low;
    for (std::size_t k = 0; k < group->width; ++k) {
      const Range one = of(group->in[index * group->width + k], depth);
      added = sum(added, one);
      any = hull(any, one);
      highest_low = std::max(highest_low, one.low);
    }
    if (group->kind == GroupKind::log_sum_exp) {
      return {highest_low, any.high + std::log(static_cast<double>(group->width))};
    }
    return group->kind == GroupKind::sum ? added : any;
  }
  if (const auto* binary = std::get_if<BinaryStep>(&step)) {
    const Plane left = binary->left[index];
    const Plane right = binary->right[index];
    if (is_step(binary->function)) return {0, 1};
    const Range a = of(left, depth);
    const Range b = of(right, depth);
    switch (binary->function) {
      case Binary::add:
        return sum(a, b);
      case Binary::subtract:
        return sum(a, {-b.high, -b.low});
      case Binary::multiply:
        return times(a, b);
      case Binary::minimum:
        return {std::min(a.low, b.low), std::min(a.high, b.high)};
      case Binary::maximum:
        return {std::max(a.low, b.low), std::max(a.high, b.high)};
      case Binary::divide:
        if (is_share_of_sum(left, right, depth)) return {0, 1};
        if (b.low > 0 || b.high < 0) return times(a, {1 / b.high, 1 / b.low});
        return {};
      default:
        return {};
    }
  }
  const auto* opaque = std::get_if<OpaqueStep>(&step);
  return opaque == nullptr ? Range{} : opaque_range(*opaque, index);
}

/// Whether `whole` is a sum of numbers that are not negative, `part` or its absolute value among
/// them: then `part / whole` is a share.
bool Ranges::is_share_of_sum(Plane part, Plane whole, std::size_t depth) {
  if (!(of(part, depth).low >= 0) || depth > kMaxDepth) return false;
  const Builder::Producer from = build_.producer(whole);
  if (from.step == nullptr || looks_ > kMaxLooks) return false;
  std::vector<Plane> parts;
  if (const auto* unary = std::get_if<UnaryStep>(from.step)) {
    // A sum of zeros is replaced before it divides.
    const bool harmless = unary->function == Unary::replace && unary->a == 0 && unary->b > 0;
    return harmless && is_share_of_sum(part, unary->in[from.index], depth + 1);
  }
  if (const auto* binary = std::get_if<BinaryStep>(from.step)) {
    if (binary->function != Binary::add) return false;
    parts = {binary->left[from.index], binary->right[from.index]};
  } else if (const auto* group = std::get_if<GroupStep>(from.step)) {
    if (group->kind != GroupKind::sum) return false;
    const auto begin = group->in.begin() + static_cast<std::ptrdiff_t>(from.index * group->width);
    parts.assign(begin, begin + static_cast<std::ptrdiff_t>(group->width));
  } else {
    return false;
  }
  bool found = false;
  for (const Plane one : parts) {
    if (!(of(one, depth).low >= 0)) return false;
    const Builder::Producer made = build_.producer(one);
    const auto* unary = made.step == nullptr ? nullptr : std::get_if<UnaryStep>(made.step);
    const bool size_of_part =
        unary != nullptr && unary->function == Unary::abs && unary->in[made.index] == part;
    found = found || one == part || size_of_part || is_share_of_sum(part, one, depth + 1);
  }
  return found;
}

}  // namespace croco::onnx
