// SPDX-License-Identifier: Apache-2.0
// Operators on elements: functions of one number and of two.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/models/onnx/operators.hpp>
#include <croco/models/onnx/tensor.hpp>

namespace croco::onnx {
namespace {

template <Unary Function>
void plain(OpContext& op) {
  op.out(apply_unary(op.build, Function, op.in(0)));
}

void leaky_relu(OpContext& op) {
  op.out(apply_unary(op.build, Unary::leaky_relu, op.in(0), op.number("alpha", 0.01)));
}
void elu(OpContext& op) {
  op.out(apply_unary(op.build, Unary::elu, op.in(0), op.number("alpha", 1)));
}
void celu(OpContext& op) {
  op.out(apply_unary(op.build, Unary::celu, op.in(0), op.number("alpha", 1)));
}
void selu(OpContext& op) {
  op.out(apply_unary(op.build, Unary::selu, op.in(0), op.number("alpha", 1.6732631921768188),
                     op.number("gamma", 1.0507010221481323)));
}
void hard_sigmoid(OpContext& op) {
  op.out(apply_unary(op.build, Unary::hard_sigmoid, op.in(0), op.number("alpha", 0.2),
                     op.number("beta", 0.5)));
}
void thresholded_relu(OpContext& op) {
  op.out(apply_unary(op.build, Unary::thresholded_relu, op.in(0), op.number("alpha", 1)));
}
void gelu(OpContext& op) {
  const bool approximate = op.text("approximate", "none") == "tanh";
  op.out(apply_unary(op.build, approximate ? Unary::gelu_tanh : Unary::gelu, op.in(0)));
}

void clip(OpContext& op) {
  const auto limit = [&](std::size_t index, const char* attribute, double otherwise) {
    if (op.find(index) == nullptr) return op.number(attribute, otherwise);
    const Value& value = op.known_in(index);
    if (value.numbers.size() != 1) throw ModelError("its limits are not single numbers");
    return value.numbers[0];
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double low = limit(1, "min", -kInfinity);
  const double high = limit(2, "max", kInfinity);
  op.out(apply_unary(op.build, Unary::clip, op.in(0), low, high));
}

/// The columns of a point are finite numbers, so that what asks for missing values has its answer.
void is_nan(OpContext& op) {
  const Value& value = op.in(0);
  const bool finite =
      std::ranges::all_of(value.planes, [&](Plane plane) { return op.build.is_finite(plane); });
  if (value.batched && value.type != ElementType::text && finite) {
    return op.out(known(Vector(value.size(), 0.0), value.shape, ElementType::boolean));
  }
  op.out(apply_unary(op.build, Unary::is_nan, value));
}

void negate(OpContext& op) {
  op.out(apply_binary(op.build, Binary::multiply, op.in(0), known({-1.0}, {})));
}

void reduce_to_type(OpContext& op, ElementType type) {
  Value value = op.in(0);
  const ElementType before = value.type;
  if (type == ElementType::text || before == ElementType::text) {
    if (type == before) return op.out(std::move(value));
    if (type == ElementType::text) throw ModelError("it makes texts of numbers");
    // Texts that are numbers: known ones are read, levels are weighted by theirs.
    const auto number = [](const std::string& text) {
      const auto parsed = parse_number(text);
      if (!parsed) throw ModelError(fmt::format("it reads '{}' as a number", text));
      return *parsed;
    };
    if (!value.batched) {
      Vector numbers;
      for (const std::string& text : value.texts) numbers.push_back(number(text));
      return op.out(known(std::move(numbers), value.shape, type));
    }
    std::vector<Plane> planes;
    for (const std::uint32_t index : value.categories) {
      Vector numbers;
      for (const std::string& level : op.build.category(index).levels) {
        numbers.push_back(number(level));
      }
      planes.push_back(op.build.weighted(op.build.category(index), std::move(numbers)));
      op.build.tag(planes.back(), index);
    }
    return op.out(Builder::batched(std::move(planes), value.shape, type));
  }
  if (type == ElementType::boolean && before != ElementType::boolean) {
    value = apply_unary(op.build, Unary::negation, apply_unary(op.build, Unary::negation, value));
  } else if (type == ElementType::integer && before == ElementType::floating) {
    value = apply_unary(op.build, Unary::truncate, value);
  }
  value.type = type;
  op.out(std::move(value));
}

enum class Precision : std::uint8_t { single, wide };

/// Numbers become floating-point numbers; those that are known are rounded at once.
void to_floating(OpContext& op, Precision precision) {
  reduce_to_type(op, ElementType::floating);
  Value& value = *op.outputs[0];
  if (!value.batched) {
    if (precision == Precision::single) value = apply_unary(op.build, Unary::single, value);
  } else if (precision == Precision::single) {
    value.planes = op.build.in_single(std::move(value.planes));
  } else if (std::ranges::any_of(value.planes, [&](Plane p) { return op.build.is_single(p); })) {
    value.planes = op.build.unary(Unary::to_double, std::move(value.planes));
  }
}

void cast(OpContext& op) {
  constexpr std::int64_t kSingle = 1;
  constexpr std::int64_t kHalf = 10;
  const std::int64_t to = op.integer("to", kSingle);
  const auto type = element_type(to);
  if (!type) throw ModelError(fmt::format("it casts to the type {}", to));
  if (to == kHalf) {
    throw ModelError("it casts to half precision, in which croco does not compute");
  }
  if (*type != ElementType::floating) return reduce_to_type(op, *type);
  to_floating(op, to == kSingle ? Precision::single : Precision::wide);
}

/// To the type of another value: one that depends on the row, whose precision is known.
void cast_like(OpContext& op) {
  const Value& like = op.in(1);
  if (like.type != ElementType::floating) return reduce_to_type(op, like.type);
  if (!like.batched || like.planes.empty()) {
    throw ModelError("it casts to the type of a constant; croco reads Cast for that");
  }
  const bool single =
      std::ranges::any_of(like.planes, [&](Plane plane) { return op.build.is_single(plane); });
  to_floating(op, single ? Precision::single : Precision::wide);
}

/// Whole numbers are divided without a rest.
void divide(OpContext& op) {
  Value out = apply_binary(op.build, Binary::divide, op.in(0), op.in(1));
  if (op.in(0).type == ElementType::integer && op.in(1).type == ElementType::integer) {
    out = apply_unary(op.build, Unary::truncate, out);
    out.type = ElementType::integer;
  }
  op.out(std::move(out));
}

void power(OpContext& op) {
  const Value& exponent = op.in(1);
  if (!exponent.batched && exponent.numbers.size() == 1 && op.in(0).batched) {
    const double a = exponent.numbers[0];
    op.out(a == 2     ? apply_unary(op.build, Unary::square, op.in(0))
           : a == 0.5 ? apply_unary(op.build, Unary::sqrt, op.in(0))
                      : apply_unary(op.build, Unary::power, op.in(0), a));
    return;
  }
  op.out(apply_binary(op.build, Binary::power, op.in(0), exponent));
}

template <Binary Function>
void several(OpContext& op) {
  Value out = op.in(0);
  for (std::size_t i = 1; i < op.input_count(); ++i) {
    out = apply_binary(op.build, Function, out, op.in(i));
  }
  op.out(std::move(out));
}

void mean(OpContext& op) {
  several<Binary::add>(op);
  const double share = 1 / static_cast<double>(op.input_count());
  if (op.outputs.empty()) return;
  op.out(apply_binary(op.build, Binary::multiply, *op.outputs[0], known({share}, {})));
}

void prelu(OpContext& op) {
  const Value& value = op.in(0);
  const Value& slope = op.known_in(1);
  if (slope.numbers.size() == 1) {
    return op.out(apply_unary(op.build, Unary::leaky_relu, value, slope.numbers[0]));
  }
  // x = relu(x) - relu(-x); the second part gets the slopes. They belong to axis 1, so a vector of
  // them may have to be stretched over what is behind it.
  Value slopes = slope;
  if (slopes.shape.size() == 1 && value.shape.size() > 1 && slopes.shape[0] == value.shape[0]) {
    slopes.shape.resize(value.shape.size(), 1);
  }
  const Value above = apply_unary(op.build, Unary::relu, value);
  const Value below = apply_unary(
      op.build, Unary::relu, apply_binary(op.build, Binary::multiply, value, known({-1.0}, {})));
  op.out(apply_binary(op.build, Binary::subtract, above,
                      apply_binary(op.build, Binary::multiply, below, slopes)));
}

constexpr Operator kMathOperators[] = {
    {"", "Relu", plain<Unary::relu>},
    {"", "LeakyRelu", leaky_relu},
    {"", "PRelu", prelu},
    {"", "Elu", elu},
    {"", "Celu", celu},
    {"", "Selu", selu},
    {"", "Gelu", gelu},
    {"", "Tanh", plain<Unary::tanh>},
    {"", "Sigmoid", plain<Unary::sigmoid>},
    {"", "Softplus", plain<Unary::softplus>},
    {"", "Softsign", plain<Unary::softsign>},
    {"", "Mish", plain<Unary::mish>},
    {"", "HardSigmoid", hard_sigmoid},
    {"", "HardSwish", plain<Unary::hard_swish>},
    {"", "ThresholdedRelu", thresholded_relu},
    {"", "Clip", clip},
    {"", "Exp", plain<Unary::exp>},
    {"", "Log", plain<Unary::log>},
    {"", "Sqrt", plain<Unary::sqrt>},
    {"", "Abs", plain<Unary::abs>},
    {"", "Neg", negate},
    {"", "Reciprocal", plain<Unary::reciprocal>},
    {"", "Erf", plain<Unary::erf>},
    {"", "Floor", plain<Unary::floor>},
    {"", "Ceil", plain<Unary::ceil>},
    {"", "Round", plain<Unary::round>},
    {"", "Sign", plain<Unary::sign>},
    {"", "IsNaN", is_nan},
    {"", "Cast", cast},
    {"", "CastLike", cast_like},
    {"", "Add", pair<Binary::add>},
    {"", "Sub", pair<Binary::subtract>},
    {"", "Mul", pair<Binary::multiply>},
    {"", "Div", divide},
    {"", "Pow", power},
    {"", "Sum", several<Binary::add>},
    {"", "Mean", mean},
    {"", "Min", several<Binary::minimum>},
    {"", "Max", several<Binary::maximum>},
};

}  // namespace

std::span<const Operator> math_operators() { return kMathOperators; }

Value apply_unary(Builder& build, Unary function, const Value& value, double a, double b) {
  require_numbers(value);
  build.budget().borrow(1, bytes_of(value), "its result");
  build.budget().work(value.size(), 8, "its result");
  Value out = value;
  if (is_step(function)) out.type = ElementType::integer;
  if (function == Unary::negation || function == Unary::is_nan) out.type = ElementType::boolean;
  if (!value.batched) {
    for (double& number : out.numbers) number = apply(function, number, a, b);
    return out;
  }
  out.planes = build.unary(function, value.planes, a, b);
  return out;
}

Value apply_binary(Builder& build, Binary function, const Value& left, const Value& right) {
  require_numbers(left);
  require_numbers(right);
  const Broadcast both = broadcast(left, right, build.budget());
  const ElementType type = is_step(function)         ? ElementType::boolean
                           : left.type == right.type ? left.type
                                                     : ElementType::floating;
  const std::size_t count = both.left.size();
  if (!both.batched) {
    Vector numbers(count);
    for (std::size_t e = 0; e < count; ++e) {
      numbers[e] = apply(function, left.numbers[both.left[e]], right.numbers[both.right[e]]);
    }
    return known(std::move(numbers), both.shape, type);
  }
  const bool linear = function == Binary::add || function == Binary::subtract ||
                      function == Binary::multiply ||
                      (function == Binary::divide && !right.batched);
  if (left.batched != right.batched && linear) {
    Vector factor(count, 1.0);
    Vector offset(count, 0.0);
    Vector divisor;
    std::vector<Plane> in(count);
    for (std::size_t e = 0; e < count; ++e) {
      in[e] = left.batched ? left.planes[both.left[e]] : right.planes[both.right[e]];
      const double number =
          left.batched ? right.numbers[both.right[e]] : left.numbers[both.left[e]];
      switch (function) {
        case Binary::add:
          offset[e] = number;
          break;
        case Binary::subtract:
          factor[e] = left.batched ? 1 : -1;
          offset[e] = left.batched ? -number : number;
          break;
        case Binary::multiply:
          factor[e] = number;
          break;
        default:
          factor[e] = 1 / number;
          divisor.push_back(number);
          break;
      }
    }
    return Builder::batched(
        build.scale(std::move(in), std::move(factor), std::move(offset), std::move(divisor)),
        both.shape, type);
  }
  const std::vector<Plane> left_planes = build.planes_of(left);
  const std::vector<Plane> right_planes = build.planes_of(right);
  std::vector<Plane> a(count);
  std::vector<Plane> b(count);
  for (std::size_t e = 0; e < count; ++e) {
    a[e] = left_planes[both.left[e]];
    b[e] = right_planes[both.right[e]];
  }
  return Builder::batched(build.binary(function, std::move(a), std::move(b)), both.shape, type);
}

}  // namespace croco::onnx
