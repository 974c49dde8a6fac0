// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/plane_sizes.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include <croco/models/graph/tree_scores.hpp>

namespace croco {
namespace {

constexpr std::size_t kMaxDepth = 1024;

/// Sums of more terms have more roundings than sizes are meant for.
double longer_than_usual(std::size_t terms) {
  constexpr double kUsual = 32;
  return std::max(1.0, static_cast<double>(terms) / kUsual);
}

/// The largest leaves of all trees together.
double largest_sum(const TreeEnsemble& ensemble) {
  double out = std::abs(ensemble.base);
  for (std::size_t t = 0; t < ensemble.roots.size(); ++t) {
    const std::size_t end =
        t + 1 < ensemble.roots.size() ? ensemble.roots[t + 1] : ensemble.nodes.size();
    double leaf = 0;
    for (std::size_t k = ensemble.roots[t]; k < end; ++k) {
      if (ensemble.nodes[k].is_leaf()) leaf = std::max(leaf, std::abs(ensemble.nodes[k].number));
    }
    out += leaf;
  }
  return longer_than_usual(ensemble.roots.size()) * out *
         std::abs(ensemble.multiply / ensemble.divide);
}

}  // namespace

PlaneSizes::PlaneSizes(const PlaneProgram& program, const std::vector<Plane>& number, Write write,
                       Constant constant)
    : program_(program),
      number_(number),
      write_(std::move(write)),
      constant_(std::move(constant)),
      producer_(program.planes, 0) {
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    const PlaneRange range = written_by(program.steps[s]);
    std::fill_n(producer_.begin() + range.first, range.count, s + 1);
  }
}

Plane PlaneSizes::of(Plane plane) {
  if (const auto found = known_.find(plane); found != known_.end()) return found->second;
  // What is deeper is not followed: nothing is clear there.
  if (depth_ >= kMaxDepth) return constant_(std::numeric_limits<double>::infinity());
  ++depth_;
  const Plane size = computed(plane);
  --depth_;
  known_.emplace(plane, size);
  return size;
}

PlaneSizes::Several PlaneSizes::of_all(const std::vector<Plane>& planes) {
  // Numbers are often the distances of one number to many: its size counts once.
  std::map<Plane, double> bases;
  Several out;
  for (Plane plane : planes) {
    double factor = 1;
    double offset = 0;
    while (producer_[plane] != 0) {
      const Step& step = program_.steps[producer_[plane] - 1];
      const std::size_t index = plane - written_by(step).first;
      const auto* unary = std::get_if<UnaryStep>(&step);
      const auto* scale = std::get_if<ScaleStep>(&step);
      if (unary != nullptr && (unary->function == Unary::abs || unary->function == Unary::single)) {
        plane = unary->in[index];
      } else if (scale != nullptr) {
        offset += factor * std::abs(scale->offset[index]);
        factor *= std::abs(scale->factor[index]);
        plane = scale->in[index];
      } else {
        break;
      }
    }
    double& most = bases[plane];
    most = std::max(most, factor);
    out.added.push_back(offset);
  }
  std::vector<Plane> sizes;
  for (const auto& [plane, factor] : bases) sizes.push_back(scaled(of(plane), factor, 0));
  out.common = sum(std::move(sizes));
  return out;
}

Plane PlaneSizes::computed(Plane plane) {
  const Plane value = absolute(number_[plane]);
  if (producer_[plane] == 0) return value;
  const Step& step = program_.steps[producer_[plane] - 1];
  const std::size_t index = plane - written_by(step).first;
  if (const auto* affine = std::get_if<AffineStep>(&step)) {
    const double longer = longer_than_usual(affine->in.size());
    AffineStep sizes{
        .layer = {affine->layer.inputs, 1, {}, {longer * std::abs(affine->layer.bias[index])}}};
    for (std::size_t i = 0; i < affine->in.size(); ++i) {
      sizes.in.push_back(of(affine->in[i]));
      sizes.layer.weight.push_back(
          longer * std::abs(affine->layer.weight[index * affine->layer.inputs + i]));
    }
    return write_(std::move(sizes));
  }
  if (const auto* scale = std::get_if<ScaleStep>(&step)) {
    return scaled(of(scale->in[index]), std::abs(scale->factor[index]),
                  std::abs(scale->offset[index]));
  }
  if (const auto* unary = std::get_if<UnaryStep>(&step)) {
    return of_unary(*unary, unary->in[index], value);
  }
  if (const auto* binary = std::get_if<BinaryStep>(&step)) return of_binary(*binary, index, value);
  if (const auto* select = std::get_if<SelectStep>(&step)) {
    const Plane yes = of(select->yes[index]);
    const Plane no = of(select->no[index]);
    return write_(SelectStep{{number_[select->condition[index]]}, {yes}, {no}, 0});
  }
  if (const auto* group = std::get_if<GroupStep>(&step)) return of_group(*group, index, value);
  const auto& opaque = std::get<OpaqueStep>(step);
  const auto* trees = dynamic_cast<const TreeScores*>(opaque.function.get());
  return trees == nullptr ? value : constant_(largest_sum(trees->ensemble()));
}

/// The steepest slope times the size of the argument, and the result itself.
Plane PlaneSizes::of_unary(const UnaryStep& step, Plane in, Plane value) {
  switch (step.function) {
    case Unary::relu:
    case Unary::abs:
    case Unary::clip:
    case Unary::single:
      return of(in);
    case Unary::exp:
    case Unary::sigmoid:
      return product(value, scaled(of(in), 1, 1));
    case Unary::tanh:
    case Unary::softplus:
    case Unary::softsign:
    case Unary::erf:
      return sum({value, of(in)});
    case Unary::square: {
      const Plane size = of(in);
      return product(size, size);
    }
    case Unary::log:
      return sum({value, quotient(of(in), absolute(number_[in]))});
    case Unary::sqrt:
      return sum({value, quotient(of(in), value)});
    default:
      return value;
  }
}

Plane PlaneSizes::of_binary(const BinaryStep& step, std::size_t index, Plane value) {
  if (is_step(step.function)) return value;
  const Plane left = of(step.left[index]);
  const Plane right = of(step.right[index]);
  switch (step.function) {
    case Binary::multiply:
      return product(left, right);
    case Binary::divide:
      return quotient(sum({left, product(value, right)}), absolute(number_[step.right[index]]));
    case Binary::power:
      return value;
    default:
      return sum({left, right});
  }
}

Plane PlaneSizes::of_group(const GroupStep& step, std::size_t index, Plane value) {
  if (is_place(step.kind)) return value;
  const bool wide = step.kind == GroupKind::softmax || step.kind == GroupKind::log_softmax;
  const std::size_t group = wide ? index / step.width : index;
  std::vector<Plane> sizes;
  for (std::size_t i = 0; i < step.width; ++i) {
    sizes.push_back(of(step.in[group * step.width + i]));
  }
  const Plane all = scaled(sum(std::move(sizes)), longer_than_usual(step.width), 0);
  if (step.kind == GroupKind::softmax) return product(value, scaled(all, 1, 1));
  return step.kind == GroupKind::log_softmax ? sum({value, all}) : all;
}

Plane PlaneSizes::absolute(Plane written) {
  return write_(UnaryStep{Unary::abs, 0, 0, {written}, 0});
}

Plane PlaneSizes::sum(std::vector<Plane> written) {
  const std::size_t width = written.size();
  return write_(GroupStep{GroupKind::sum, width, std::move(written), 0});
}

Plane PlaneSizes::product(Plane a, Plane b) {
  return write_(BinaryStep{Binary::multiply, {a}, {b}, 0});
}

Plane PlaneSizes::quotient(Plane a, Plane b) {
  return write_(BinaryStep{Binary::divide, {a}, {b}, 0});
}

Plane PlaneSizes::scaled(Plane a, double factor, double offset) {
  return write_(ScaleStep{{a}, 0, {factor}, {offset}});
}

}  // namespace croco
