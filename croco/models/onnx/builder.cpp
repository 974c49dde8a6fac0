// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx/builder.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>

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

/// Functions that jump, and round nothing but as the runtime does: what they make of the levels of
/// a category is known before any row is.
bool jumps_on_levels(Unary function) noexcept {
  return (has_jumps(function) && function != Unary::libsvm_logit) || function == Unary::to_double;
}

}  // namespace

Builder::Builder(std::size_t inputs, const ModelBudget& budget)
    : budget_(budget),
      program_{.inputs = inputs, .planes = inputs},
      finite_(inputs, true),
      single_(inputs, false) {
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
  const auto* kernels = std::get_if<KernelStep>(&step);
  const std::size_t weights = affine != nullptr    ? affine->layer.weight.size()
                              : kernels != nullptr ? kernels->sum->parameters().vectors.size()
                                                   : 0;
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
  single_.resize(finite_.size(),
                 gives_single(step, [this](Plane plane) { return is_single(plane); }));
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
  single_.push_back(false);
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

template <typename Is, typename Of, typename Make>
std::vector<Plane> Builder::apart(std::size_t count, Is is_apart, Of plane_of, Make make) {
  std::vector<std::size_t> others;
  std::vector<Plane> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (is_apart(i)) {
      out[i] = plane_of(i);
    } else {
      others.push_back(i);
    }
  }
  if (others.empty()) return out;
  const std::vector<Plane> made = make(others);
  for (std::size_t k = 0; k < others.size(); ++k) out[others[k]] = made[k];
  return out;
}

namespace {

std::vector<Plane> some_of(const std::vector<Plane>& planes,
                           const std::vector<std::size_t>& places) {
  std::vector<Plane> out;
  out.reserve(places.size());
  for (const std::size_t i : places) out.push_back(planes[i]);
  return out;
}

}  // namespace

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
    return apart(
        in.size(), [&](std::size_t i) { return is_missing(in[i]); },
        [&](std::size_t i) { return in[i]; }, make);
  }
  return add(ScaleStep{std::move(in), 0, std::move(factor), std::move(offset), std::move(divisor)});
}

std::vector<Plane> Builder::unary(Unary function, std::vector<Plane> in, double a, double b) {
  const bool known =
      is_conversion(function) || function == Unary::replace || function == Unary::is_nan;
  const auto is_apart = [&](std::size_t i) {
    return (known && is_missing(in[i])) || (jumps_on_levels(function) && tagged(in[i]) != nullptr);
  };
  const auto plane_of = [&](std::size_t i) {
    if (!is_missing(in[i])) {
      return of_levels(in[i], [&](double x, double /*y*/) { return apply(function, x, a, b); });
    }
    if (function == Unary::is_nan) return constant(1);
    return function == Unary::replace && std::isnan(a) ? constant(b) : in[i];
  };
  return apart(in.size(), is_apart, plane_of, [&](const std::vector<std::size_t>& others) {
    return add(UnaryStep{function, a, b, some_of(in, others), 0});
  });
}

bool Builder::is_level_sum_in_single(Plane plane) const {
  const auto fits = [](double x) { return static_cast<double>(static_cast<float>(x)) == x; };
  const auto is_level = [&](Plane in) { return in < program_.inputs && types_.level_inputs[in]; };
  if (is_level(plane)) return true;
  const Producer from = producer(plane);
  const auto* affine = from.step == nullptr ? nullptr : std::get_if<AffineStep>(from.step);
  if (affine == nullptr || !std::ranges::all_of(affine->in, is_level)) return false;
  const View row =
      View(affine->layer.weight).subspan(from.index * affine->in.size(), affine->in.size());
  return affine->layer.bias[from.index] == 0 && std::ranges::all_of(row, fits);
}

std::vector<Plane> Builder::in_single(std::vector<Plane> planes) {
  std::vector<Plane> wide;
  for (const Plane plane : planes) {
    const bool fits = is_single(plane) || is_level_sum_in_single(plane) || constant_value(plane);
    if (!fits) wide.push_back(plane);
  }
  if (wide.empty()) return planes;
  const std::vector<Plane> rounded = unary(Unary::single, wide);
  std::size_t next = 0;
  for (Plane& plane : planes) {
    if (next < wide.size() && plane == wide[next]) plane = rounded[next++];
  }
  return planes;
}

std::vector<Plane> Builder::binary(Binary function, std::vector<Plane> left,
                                   std::vector<Plane> right) {
  const auto is_apart = [&](std::size_t i) {
    return is_step(function) && function != Binary::unclear && are_levels(left[i], right[i]);
  };
  const auto plane_of = [&](std::size_t i) {
    return of_levels(left[i], [&](double x, double y) { return apply(function, x, y); }, right[i]);
  };
  return apart(left.size(), is_apart, plane_of, [&](const std::vector<std::size_t>& others) {
    return add(BinaryStep{function, some_of(left, others), some_of(right, others), 0});
  });
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

Plane Builder::kernel_sum(std::shared_ptr<const KernelSum> sum, std::vector<Plane> in) {
  return add(KernelStep{std::move(sum), std::move(in), 0}).front();
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

bool Builder::are_levels(Plane left, Plane right) const {
  const Category* a = tagged(left);
  const Category* b = tagged(right);
  if (a != nullptr && b != nullptr) return a->planes == b->planes;
  const Plane other = a != nullptr ? right : left;
  return (a != nullptr || b != nullptr) && !is_missing(other) && constant_value(other).has_value();
}

template <typename Function>
Plane Builder::of_levels(Plane left, Function function, std::optional<Plane> right) {
  const Category* owner = tagged(left) != nullptr ? tagged(left) : tagged(*right);
  const std::vector<Plane> planes = owner->planes;
  const auto numbers = [&](Plane plane) {
    const Category* category = tagged(plane);
    if (category == nullptr) return Vector(planes.size(), constant_value(plane).value());
    Vector out;
    for (const std::string& level : category->levels) out.push_back(parse_number(level).value());
    return out;
  };
  budget_.keep(planes.size(), sizeof(std::string) + sizeof(Plane), "its levels");
  const Vector x = numbers(left);
  const Vector y = right ? numbers(*right) : x;
  Category category{{}, planes};
  Vector values;
  for (std::size_t level = 0; level < planes.size(); ++level) {
    values.push_back(function(x[level], y[level]));
    category.levels.push_back(format_number(values.back()));
  }
  const Plane out = weighted(category, std::move(values));
  tag(out, add_category(std::move(category)));
  return out;
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
