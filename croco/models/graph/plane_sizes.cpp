// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/plane_sizes.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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

std::vector<Plane> PlaneSizes::of(const std::vector<Plane>& planes) {
  // What one step writes is sized together: a wide step takes a few wide steps, not some for each
  // of its planes.
  std::map<std::size_t, std::vector<Plane>> unknown;  // by step, those before others first
  for (const Plane plane : planes) {
    if (known_.try_emplace(plane, 0).second) unknown[producer_[plane]].push_back(plane);
  }
  for (const auto& [step, some] : unknown) {
    const std::vector<Plane> sizes = computed(step, some);
    for (std::size_t i = 0; i < some.size(); ++i) known_[some[i]] = sizes[i];
  }
  std::vector<Plane> out;
  out.reserve(planes.size());
  for (const Plane plane : planes) out.push_back(known_[plane]);
  return out;
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
      if (unary != nullptr && (unary->function == Unary::abs || is_conversion(unary->function))) {
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
  std::vector<Plane> read;
  Vector factors;
  for (const auto& [plane, factor] : bases) {
    read.push_back(plane);
    factors.push_back(factor);
  }
  std::vector<Plane> sizes = of(read);
  const bool as_is = std::ranges::all_of(factors, [](double factor) { return factor == 1; });
  if (!as_is) sizes = scaled(std::move(sizes), std::move(factors), Vector(read.size(), 0.0));
  const std::size_t width = sizes.size();
  out.common = sums(width, std::move(sizes)).front();
  return out;
}

std::vector<Plane> PlaneSizes::computed(std::size_t producer, const std::vector<Plane>& planes) {
  // What is deeper is not followed: nothing is clear there.
  if (depth_ >= kMaxDepth) {
    return std::vector(planes.size(), constant_(std::numeric_limits<double>::infinity()));
  }
  if (producer == 0) return absolute(planes);
  const Step& step = program_.steps[producer - 1];
  Places places;
  for (const Plane plane : planes) places.push_back(plane - written_by(step).first);
  ++depth_;
  std::vector<Plane> sizes =
      std::visit([&](const auto& one) { return of_step(one, places, planes); }, step);
  --depth_;
  return sizes;
}

std::vector<Plane> PlaneSizes::of_step(const AffineStep& step, const Places& places,
                                       const std::vector<Plane>& /*planes*/) {
  const double longer = longer_than_usual(step.in.size());
  AffineStep sizes{.in = of(step.in), .layer = {step.layer.inputs, places.size(), {}, {}}};
  for (const std::size_t place : places) {
    sizes.layer.bias.push_back(longer * std::abs(step.layer.bias[place]));
    for (std::size_t i = 0; i < step.in.size(); ++i) {
      sizes.layer.weight.push_back(longer *
                                   std::abs(step.layer.weight[place * step.layer.inputs + i]));
    }
  }
  return written(std::move(sizes));
}

std::vector<Plane> PlaneSizes::of_step(const ScaleStep& step, const Places& places,
                                       const std::vector<Plane>& /*planes*/) {
  Vector factors;
  Vector offsets;
  for (const std::size_t place : places) {
    factors.push_back(std::abs(step.factor[place]));
    offsets.push_back(std::abs(step.offset[place]));
  }
  return scaled(of(some_of(step.in, places)), std::move(factors), std::move(offsets));
}

/// The steepest slope times the size of the argument, and the result itself.
std::vector<Plane> PlaneSizes::of_step(const UnaryStep& step, const Places& places,
                                       const std::vector<Plane>& planes) {
  const std::vector<Plane> in = some_of(step.in, places);
  switch (step.function) {
    case Unary::relu:
    case Unary::abs:
    case Unary::clip:
    case Unary::single:
    case Unary::to_double:
      return of(in);
    case Unary::exp:
    case Unary::sigmoid:
      return product(absolute(planes), moved(of(in), 1));
    case Unary::tanh:
    case Unary::softplus:
    case Unary::softsign:
    case Unary::erf:
      return sum(absolute(planes), of(in));
    case Unary::square: {
      const std::vector<Plane> sizes = of(in);
      return product(sizes, sizes);
    }
    case Unary::log:
      return sum(absolute(planes), quotient(of(in), absolute(in)));
    case Unary::sqrt: {
      const std::vector<Plane> values = absolute(planes);
      return sum(values, quotient(of(in), values));
    }
    default:
      return absolute(planes);
  }
}

std::vector<Plane> PlaneSizes::of_step(const BinaryStep& step, const Places& places,
                                       const std::vector<Plane>& planes) {
  if (is_step(step.function) || step.function == Binary::power) return absolute(planes);
  const std::vector<Plane> left = of(some_of(step.left, places));
  const std::vector<Plane> right = of(some_of(step.right, places));
  if (step.function == Binary::multiply) return product(left, right);
  if (step.function != Binary::divide) return sum(left, right);
  return quotient(sum(left, product(absolute(planes), right)),
                  absolute(some_of(step.right, places)));
}

std::vector<Plane> PlaneSizes::of_step(const SelectStep& step, const Places& places,
                                       const std::vector<Plane>& /*planes*/) {
  std::vector<Plane> yes = of(some_of(step.yes, places));
  std::vector<Plane> no = of(some_of(step.no, places));
  std::vector<Plane> condition;
  for (const std::size_t place : places) condition.push_back(number_[step.condition[place]]);
  return written(SelectStep{std::move(condition), std::move(yes), std::move(no), 0});
}

std::vector<Plane> PlaneSizes::of_step(const GroupStep& step, const Places& places,
                                       const std::vector<Plane>& planes) {
  if (is_place(step.kind)) return absolute(planes);
  const bool wide = step.kind == GroupKind::softmax || step.kind == GroupKind::log_softmax;
  // The numbers of a group have one size together.
  std::map<std::size_t, std::size_t> numbers;  // of groups that are asked for
  for (const std::size_t place : places) numbers.try_emplace(wide ? place / step.width : place, 0);
  std::vector<Plane> in;
  for (auto& [group, number] : numbers) {
    number = in.size() / step.width;
    const auto begin = step.in.begin() + static_cast<std::ptrdiff_t>(group * step.width);
    in.insert(in.end(), begin, begin + static_cast<std::ptrdiff_t>(step.width));
  }
  std::vector<Plane> all = sums(step.width, of(in));
  if (const double longer = longer_than_usual(step.width); longer != 1) {
    all = scaled(all, Vector(all.size(), longer), Vector(all.size(), 0.0));
  }
  std::vector<Plane> out;
  for (const std::size_t place : places) {
    out.push_back(all[numbers[wide ? place / step.width : place]]);
  }
  if (step.kind == GroupKind::softmax) return product(absolute(planes), moved(std::move(out), 1));
  return step.kind == GroupKind::log_softmax ? sum(absolute(planes), out) : out;
}

std::vector<Plane> PlaneSizes::of_step(const OpaqueStep& step, const Places& /*places*/,
                                       const std::vector<Plane>& planes) {
  const auto* trees = dynamic_cast<const TreeScores*>(step.function.get());
  return trees == nullptr ? absolute(planes)
                          : std::vector(planes.size(), constant_(largest_sum(trees->ensemble())));
}

/// Gaussian kernels are at most 1. Others are as large as their products are when nothing cancels.
std::vector<Plane> PlaneSizes::of_step(const KernelStep& step, const Places& /*places*/,
                                       const std::vector<Plane>& planes) {
  const KernelSum::Parameters& of = step.sum->parameters();
  const double longer = longer_than_usual(step.sum->count() + step.sum->inputs());
  if (of.kernel == VectorKernel::gaussian) {
    return {constant_(longer * (std::abs(of.offset) + step.sum->total()))};
  }
  if (of.kernel == VectorKernel::power) return absolute(planes);
  AffineStep sizes{.in = this->of(step.in), .layer = {step.in.size(), 1, {}, {}}};
  for (const double reach : step.sum->reach()) {
    sizes.layer.weight.push_back(longer * step.sum->total() * std::abs(of.gamma) * reach);
  }
  sizes.layer.bias = {longer *
                      (std::abs(of.offset) + step.sum->total() * (1 + std::abs(of.shift)))};
  return written(std::move(sizes));
}

std::vector<Plane> PlaneSizes::some_of(const std::vector<Plane>& planes, const Places& places) {
  std::vector<Plane> out;
  out.reserve(places.size());
  for (const std::size_t place : places) out.push_back(planes[place]);
  return out;
}

std::vector<Plane> PlaneSizes::written(Step step) {
  const std::size_t count = written_by(step).count;
  std::vector<Plane> out(count);
  std::iota(out.begin(), out.end(), write_(std::move(step)));
  return out;
}

std::vector<Plane> PlaneSizes::absolute(const std::vector<Plane>& planes) {
  std::vector<Plane> in;
  for (const Plane plane : planes) in.push_back(number_[plane]);
  return written(UnaryStep{Unary::abs, 0, 0, std::move(in), 0});
}

std::vector<Plane> PlaneSizes::sums(std::size_t width, std::vector<Plane> sizes) {
  return written(GroupStep{GroupKind::sum, width, std::move(sizes), 0});
}

std::vector<Plane> PlaneSizes::sum(std::vector<Plane> a, std::vector<Plane> b) {
  return written(BinaryStep{Binary::add, std::move(a), std::move(b), 0});
}

std::vector<Plane> PlaneSizes::product(std::vector<Plane> a, std::vector<Plane> b) {
  return written(BinaryStep{Binary::multiply, std::move(a), std::move(b), 0});
}

std::vector<Plane> PlaneSizes::quotient(std::vector<Plane> a, std::vector<Plane> b) {
  return written(BinaryStep{Binary::divide, std::move(a), std::move(b), 0});
}

std::vector<Plane> PlaneSizes::scaled(std::vector<Plane> sizes, Vector factors, Vector offsets) {
  return written(ScaleStep{std::move(sizes), 0, std::move(factors), std::move(offsets)});
}

std::vector<Plane> PlaneSizes::moved(std::vector<Plane> sizes, double by) {
  const std::size_t count = sizes.size();
  return scaled(std::move(sizes), Vector(count, 1.0), Vector(count, by));
}

}  // namespace croco
