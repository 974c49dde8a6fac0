// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx/builder.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco::onnx {
namespace {

/// A row's numbers between all steps together; each takes memory for every item of a block.
constexpr std::size_t kMaxPlanes = std::size_t{1} << 19;

// A program is copied by the passes that rewrite it; some copies are alive at the same time.
/// Of a step itself, its lists and its doubts.
constexpr std::size_t kStepBytes = 768;
/// Of a plane: its number in lists, its form, and its values for a block of rows.
constexpr std::size_t kPlaneBytes = 256;
/// Of a weight: doubles in each copy, two singles, a term of an affine form.
constexpr std::size_t kWeightBytes = 96;

}  // namespace

Builder::Builder(std::size_t inputs, const ModelBudget& budget)
    : budget_(budget), program_{.inputs = inputs, .planes = inputs}, finite_(inputs, true) {
  budget_.keep(inputs, kPlaneBytes, "the columns of a row");
  producers_.resize(inputs, 0);
  types_.single_inputs.resize(inputs, false);
  types_.level_inputs.resize(inputs, false);
}

PlaneProgram Builder::finish(Plane result) const {
  PlaneProgram out = program_;
  out.result = result;
  return pruned(out);
}

void Builder::require_layers(std::size_t times, std::size_t weights) const {
  budget_.borrow(times, product_or_most(weights, kWeightBytes), "its weights");
}

void Builder::count(const Step& step) {
  const auto* affine = std::get_if<AffineStep>(&step);
  const std::size_t weights = affine == nullptr ? 0 : affine->layer.weight.size();
  const auto* group = std::get_if<GroupStep>(&step);
  // Each number of which the largest is asked for may be in doubt.
  if (group != nullptr && is_place(group->kind)) {
    budget_.keep(group->in.size(), kPlaneBytes, "comparing its numbers with each other");
  }
  budget_.keep(weights, kWeightBytes, "its weights");
  budget_.keep(1, kStepBytes, "its step");
  budget_.keep(written_by(step).count, kPlaneBytes, "its result for a row");
}

std::vector<Plane> Builder::add(Step step) {
  if (!missing_.empty() && !std::holds_alternative<OpaqueStep>(step)) {
    for (const Plane plane : read_by(step)) {
      const auto found = missing_.find(plane);
      if (found == missing_.end()) continue;
      throw ModelError(
          fmt::format("it computes with the value of '{}', which is missing", found->second));
    }
  }
  const auto first = static_cast<Plane>(program_.planes);
  std::visit([&](auto& one) { one.out = first; }, step);
  const std::size_t count = written_by(step).count;
  if (count > kMaxPlanes - program_.planes) {
    throw ModelError(fmt::format("it computes more than {} numbers for a row", kMaxPlanes));
  }
  this->count(step);
  for (std::size_t i = 0; i < count; ++i) finite_.push_back(finite_result(step, i));
  program_.planes += count;
  program_.steps.push_back(std::move(step));
  producers_.resize(program_.planes, program_.steps.size());
  std::vector<Plane> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = first + static_cast<Plane>(i);
  return out;
}

Plane Builder::constant(double value) {
  // NaN is no key of a map, and rare enough to have planes of its own.
  if (const auto found = constants_.find(value); !std::isnan(value) && found != constants_.end()) {
    if (std::signbit(found->first) == std::signbit(value)) return found->second;
  }
  if (program_.planes >= kMaxPlanes) {
    throw ModelError(fmt::format("it computes more than {} numbers for a row", kMaxPlanes));
  }
  budget_.keep(1, kPlaneBytes, "a constant");
  const auto plane = static_cast<Plane>(program_.planes++);
  finite_.push_back(false);
  producers_.resize(program_.planes, 0);
  program_.constants.push_back({plane, value});
  if (!std::isnan(value)) constants_[value] = plane;
  return plane;
}

Plane Builder::missing(const std::string& column) {
  const Plane plane = constant(std::numeric_limits<double>::quiet_NaN());
  missing_.emplace(plane, column);
  return plane;
}

template <typename Make, typename Missing>
std::vector<Plane> Builder::beside_missing(const std::vector<Plane>& in, Make make,
                                           Missing missing) {
  std::vector<std::size_t> there;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!is_missing(in[i])) there.push_back(i);
  }
  std::vector<Plane> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (is_missing(in[i])) out[i] = missing(in[i]);
  }
  if (there.empty()) return out;
  const std::vector<Plane> made = make(there);
  for (std::size_t k = 0; k < there.size(); ++k) out[there[k]] = made[k];
  return out;
}

std::vector<Plane> Builder::affine(std::vector<Plane> in, DenseLayer layer) {
  return add(AffineStep{std::move(in), 0, std::move(layer)});
}

std::vector<Plane> Builder::scale(std::vector<Plane> in, Vector factor, Vector offset,
                                  Vector divisor) {
  if (std::ranges::any_of(in, [&](Plane plane) { return is_missing(plane); })) {
    const auto make = [&](const std::vector<std::size_t>& there) {
      ScaleStep step;
      for (const std::size_t i : there) {
        step.in.push_back(in[i]);
        step.factor.push_back(factor[i]);
        step.offset.push_back(offset[i]);
        if (!divisor.empty()) step.divisor.push_back(divisor[i]);
      }
      return add(std::move(step));
    };
    return beside_missing(in, make, [](Plane plane) { return plane; });
  }
  return add(ScaleStep{std::move(in), 0, std::move(factor), std::move(offset), std::move(divisor)});
}

std::vector<Plane> Builder::unary(Unary function, std::vector<Plane> in, double a, double b) {
  const bool known =
      function == Unary::single || function == Unary::replace || function == Unary::is_nan;
  if (known && std::ranges::any_of(in, [&](Plane plane) { return is_missing(plane); })) {
    const auto make = [&](const std::vector<std::size_t>& there) {
      UnaryStep step{.function = function, .a = a, .b = b};
      for (const std::size_t i : there) step.in.push_back(in[i]);
      return add(std::move(step));
    };
    return beside_missing(in, make, [&](Plane plane) {
      if (function == Unary::is_nan) return constant(1);
      return function == Unary::replace && std::isnan(a) ? constant(b) : plane;
    });
  }
  return add(UnaryStep{function, a, b, std::move(in), 0});
}

std::vector<Plane> Builder::binary(Binary function, std::vector<Plane> left,
                                   std::vector<Plane> right) {
  return add(BinaryStep{function, std::move(left), std::move(right), 0});
}

std::vector<Plane> Builder::select(std::vector<Plane> condition, std::vector<Plane> yes,
                                   std::vector<Plane> no) {
  return add(SelectStep{std::move(condition), std::move(yes), std::move(no), 0});
}

std::vector<Plane> Builder::group(GroupKind kind, std::size_t width, std::vector<Plane> in,
                                  bool last) {
  if (width == 0) throw ModelError("it reduces over no elements");
  return add(GroupStep{kind, width, std::move(in), 0, last});
}

std::vector<Plane> Builder::opaque(std::shared_ptr<const OpaqueFunction> function,
                                   std::vector<Plane> in) {
  return add(OpaqueStep{std::move(function), std::move(in), 0});
}

std::vector<Plane> Builder::planes_of(const Value& value) {
  if (value.type == ElementType::text) throw ModelError("it computes with texts");
  if (value.batched) return value.planes;
  std::vector<Plane> out;
  out.reserve(value.numbers.size());
  for (const double number : value.numbers) out.push_back(constant(number));
  return out;
}

Value Builder::batched(std::vector<Plane> planes, Shape shape, ElementType type) {
  Value out;
  out.type = type;
  out.batched = true;
  out.shape = std::move(shape);
  out.planes = std::move(planes);
  return out;
}

std::uint32_t Builder::add_category(Category category) {
  categories_.push_back(std::move(category));
  return static_cast<std::uint32_t>(categories_.size() - 1);
}

const Category* Builder::tagged(Plane plane) const {
  const auto found = tags_.find(plane);
  return found == tags_.end() ? nullptr : &categories_[found->second];
}

Plane Builder::weighted(const Category& category, Vector values) {
  return affine(category.planes, DenseLayer{category.planes.size(), 1, std::move(values), {0.0}})
      .front();
}

std::optional<LabelScores> Builder::label(const std::string& tensor) const {
  const auto found = labels_.find(tensor);
  return found == labels_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> Builder::constant_value(Plane plane) const {
  // Constants are in the order of their planes.
  const auto found = std::ranges::lower_bound(program_.constants, plane, {}, &ConstantPlane::plane);
  if (found == program_.constants.end() || found->plane != plane) return std::nullopt;
  return found->value;
}

Builder::Producer Builder::producer(Plane plane) const {
  if (producers_[plane] == 0) return {};
  const Step& step = program_.steps[producers_[plane] - 1];
  return {&step, plane - written_by(step).first};
}

bool Builder::finite_result(const Step& step, std::size_t index) const {
  if (const auto* affine = std::get_if<AffineStep>(&step)) {
    return affine->layer.outputs == 1 &&
           std::ranges::all_of(affine->in, [&](Plane in) { return in < program_.inputs; });
  }
  const auto* scale = std::get_if<ScaleStep>(&step);
  return scale != nullptr && finite_[scale->in[index]] && std::isfinite(scale->factor[index]) &&
         std::isfinite(scale->offset[index]);
}

}  // namespace croco::onnx
