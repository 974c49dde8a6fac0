// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx/logit_trace.hpp>

#include <cstddef>
#include <utility>
#include <variant>

#include <croco/models/graph/plane_program.hpp>

namespace croco::onnx {
namespace {

constexpr std::size_t kMaxTrace = 64;

/// Whether `plane` is `-1 * of`.
bool negates(const Builder& build, Plane plane, Plane of) {
  const Builder::Producer from = build.producer(plane);
  const auto* scale = from.step == nullptr ? nullptr : std::get_if<ScaleStep>(from.step);
  return scale != nullptr && scale->in[from.index] == of && scale->factor[from.index] == -1 &&
         scale->offset[from.index] == 0;
}

/// Whether two results of a layer are always opposite.
bool rows_are_opposite(const DenseLayer& layer, std::size_t one, std::size_t two) {
  if (layer.bias[one] != -layer.bias[two]) return false;
  for (std::size_t i = 0; i < layer.inputs; ++i) {
    const double weight = layer.weight[one * layer.inputs + i];
    if (weight != -layer.weight[two * layer.inputs + i]) return false;
  }
  return true;
}

class Tracer {
 public:
  explicit Tracer(Builder& build) : build_(build) {}

  std::optional<TracedLogit> logit(Plane plane, std::size_t depth = 0) {
    const Builder::Producer from = build_.producer(plane);
    if (from.step == nullptr || depth > kMaxTrace) return std::nullopt;
    if (const auto* unary = std::get_if<UnaryStep>(from.step)) {
      if (unary->function == Unary::exp) return of_exponential(unary->in[from.index]);
      if (unary->function != Unary::sigmoid) return std::nullopt;
      return TracedLogit{unary->in[from.index], "the input of its sigmoid"};
    }
    if (const auto* binary = std::get_if<BinaryStep>(from.step)) {
      if (binary->function != Binary::divide) return std::nullopt;
      return of_share(binary->left[from.index], binary->right[from.index], depth + 1);
    }
    if (const auto* group = std::get_if<GroupStep>(from.step)) {
      const bool soft = group->kind == GroupKind::softmax || group->kind == GroupKind::log_softmax;
      if (!soft || group->width != 2) return std::nullopt;
      // The logarithm of a probability stands for it at the end only, never inside of a share.
      if (group->kind == GroupKind::log_softmax && depth > 0) return std::nullopt;
      const Plane own = group->in[from.index];
      const Plane other = group->in[from.index ^ 1U];
      const char* words = group->kind == GroupKind::softmax
                              ? "the difference of the inputs of its softmax"
                              : "the difference of the inputs of its log-softmax";
      // Building adds a step, which may move the others.
      return TracedLogit{build_.binary(Binary::subtract, {own}, {other}).front(), words};
    }
    if (const auto* scale = std::get_if<ScaleStep>(from.step)) {
      if (scale->factor[from.index] != -1 || scale->offset[from.index] != 1) return std::nullopt;
      const auto found = logit(scale->in[from.index], depth + 1);
      if (!found) return std::nullopt;
      return TracedLogit{build_.scale({found->logit}, {-1.0}, {0.0}).front(), found->words};
    }
    return std::nullopt;
  }

 private:
  /// The two planes that a group of two makes one of.
  struct Pair {
    Plane first = 0;
    Plane second = 0;
  };
  [[nodiscard]] std::optional<Pair> pair_of(Plane plane, GroupKind kind) const {
    const Builder::Producer from = build_.producer(plane);
    const auto* group = from.step == nullptr ? nullptr : std::get_if<GroupStep>(from.step);
    if (group == nullptr || group->kind != kind || group->width != 2) return std::nullopt;
    return Pair{group->in[2 * from.index], group->in[2 * from.index + 1]};
  }

  /// A softmax of two scores that is written out: what `own` has more than the other one.
  [[nodiscard]] std::optional<TracedLogit> ahead(Plane own, const Pair& both) {
    if (own != both.first && own != both.second) return std::nullopt;
    const Plane other = own == both.first ? both.second : both.first;
    return TracedLogit{build_.binary(Binary::subtract, {own}, {other}).front(),
                       "the difference of the logarithms of its probabilities"};
  }

  /// What `exponent` is a difference of.
  [[nodiscard]] std::optional<Pair> difference(Plane exponent) const {
    const Builder::Producer from = build_.producer(exponent);
    const auto* binary = from.step == nullptr ? nullptr : std::get_if<BinaryStep>(from.step);
    if (binary == nullptr || binary->function != Binary::subtract) return std::nullopt;
    return Pair{binary->left[from.index], binary->right[from.index]};
  }

  /// exp(s - log(exp(s) + exp(t))), as naive Bayes has it.
  [[nodiscard]] std::optional<TracedLogit> of_exponential(Plane exponent) {
    const auto parts = difference(exponent);
    const auto both = parts ? pair_of(parts->second, GroupKind::log_sum_exp) : std::nullopt;
    return both ? ahead(parts->first, *both) : std::nullopt;
  }

  /// The s of exp(s - max(s, t)), and both.
  [[nodiscard]] std::optional<std::pair<Plane, Pair>> below_largest(Plane plane) const {
    const Builder::Producer from = build_.producer(plane);
    const auto* unary = from.step == nullptr ? nullptr : std::get_if<UnaryStep>(from.step);
    if (unary == nullptr || unary->function != Unary::exp) return std::nullopt;
    const auto parts = difference(unary->in[from.index]);
    const auto both = parts ? pair_of(parts->second, GroupKind::largest) : std::nullopt;
    if (!both) return std::nullopt;
    return std::pair(parts->first, *both);
  }

  /// The plane before a function that leaves numbers above 0 as they are.
  [[nodiscard]] Plane before(Plane plane, Unary function) const {
    const Builder::Producer from = build_.producer(plane);
    const auto* unary = from.step == nullptr ? nullptr : std::get_if<UnaryStep>(from.step);
    const bool harmless = unary != nullptr && unary->function == function && unary->a == 0;
    return harmless ? unary->in[from.index] : plane;
  }

  [[nodiscard]] std::optional<Pair> two_terms(Plane sum) const {
    const Plane plane = before(sum, Unary::replace);
    if (const auto grouped = pair_of(plane, GroupKind::sum)) return grouped;
    const Builder::Producer from = build_.producer(plane);
    const auto* binary = from.step == nullptr ? nullptr : std::get_if<BinaryStep>(from.step);
    if (binary == nullptr || binary->function != Binary::add) return std::nullopt;
    return Pair{binary->left[from.index], binary->right[from.index]};
  }

  /// part / (part + other), of exponentials or of probabilities.
  [[nodiscard]] std::optional<TracedLogit> of_share(Plane part, Plane whole, std::size_t depth) {
    const auto added = two_terms(whole);
    if (!added) return std::nullopt;
    const Plane first = before(added->first, Unary::abs);
    const Plane second = before(added->second, Unary::abs);
    if (first == second || (part != first && part != second)) return std::nullopt;
    const Plane other = part == first ? second : first;
    if (const auto found = of_exponentials(part, other)) return found;
    return of_probabilities(part, other, depth);
  }

  /// e / (e + f) of such exponentials, as quadratic discriminant analysis has it.
  [[nodiscard]] std::optional<TracedLogit> of_exponentials(Plane part, Plane rest) {
    const auto own = below_largest(part);
    const auto other = below_largest(rest);
    if (!own || !other || own->first == other->first) return std::nullopt;
    const Pair& both = own->second;
    const bool same = other->second.first == both.first && other->second.second == both.second;
    const bool among = other->first == both.first || other->first == both.second;
    return same && among ? ahead(own->first, both) : std::nullopt;
  }

  /// s(a) / (s(a) + s(-a)) of logistic functions s, as scikit-learn's linear classifiers have it on
  /// columns of double precision: the sum is 1, so the logit is a.
  [[nodiscard]] std::optional<TracedLogit> of_probabilities(Plane part, Plane rest,
                                                            std::size_t depth) {
    const auto own = logit(part, depth);
    const auto other = own ? logit(rest, depth) : std::nullopt;
    return other && are_opposite(build_, other->logit, own->logit) ? own : std::nullopt;
  }

  Builder& build_;
};

}  // namespace

bool are_opposite(const Builder& build, Plane one, Plane two) {
  for (std::size_t depth = 0; depth < kMaxTrace; ++depth) {
    if (negates(build, one, two) || negates(build, two, one)) return true;
    const Builder::Producer a = build.producer(one);
    const Builder::Producer b = build.producer(two);
    if (a.step == nullptr || b.step == nullptr) return false;
    if (const auto* affine = std::get_if<AffineStep>(a.step)) {
      return a.step == b.step && rows_are_opposite(affine->layer, a.index, b.index);
    }
    const auto* left = std::get_if<ScaleStep>(a.step);
    const auto* right = std::get_if<ScaleStep>(b.step);
    if (left == nullptr || right == nullptr) return false;
    // f x + o and f y - o are opposite where x and y are.
    if (left->factor[a.index] != right->factor[b.index]) return false;
    if (left->offset[a.index] != -right->offset[b.index]) return false;
    one = left->in[a.index];
    two = right->in[b.index];
  }
  return false;
}

std::optional<TracedLogit> trace_logit(Builder& build, Plane probability) {
  return Tracer(build).logit(probability);
}

}  // namespace croco::onnx
