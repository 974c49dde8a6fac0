// SPDX-License-Identifier: Apache-2.0
// Operators of networks: matrix products, normalisations, reductions and softmax.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/models/onnx/operators.hpp>
#include <croco/models/onnx/tensor.hpp>

namespace croco::onnx {
namespace {

/// A known matrix [inputs, outputs] as a layer, transposed when it is stored the other way.
DenseLayer layer_of(const Builder& build, const Value& matrix, bool transposed, double factor) {
  require_numbers(matrix);
  if (matrix.shape.size() != 2) {
    throw ModelError(
        fmt::format("the weights have the shape {}; they must be a matrix", shape_text(matrix)));
  }
  build.require_layers(1, matrix.numbers.size());
  const auto rows = static_cast<std::size_t>(matrix.shape[0]);
  const auto columns = static_cast<std::size_t>(matrix.shape[1]);
  DenseLayer layer{transposed ? columns : rows, transposed ? rows : columns, {}, {}};
  layer.weight.resize(matrix.numbers.size());
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    for (std::size_t i = 0; i < layer.inputs; ++i) {
      layer.weight[o * layer.inputs + i] =
          factor * matrix.numbers[transposed ? o * columns + i : i * columns + o];
    }
  }
  layer.bias.resize(layer.outputs, 0.0);
  return layer;
}

void require_width(std::size_t have, const DenseLayer& layer) {
  if (have != layer.inputs) {
    throw ModelError(
        fmt::format("it is given {} numbers and has weights for {}", have, layer.inputs));
  }
}

void gemm(OpContext& op) {
  const Value& value = op.in(0);
  require_numbers(value);
  if (!value.batched || value.shape.size() != 1 || op.integer("transA", 0) != 0) {
    throw ModelError("its first input must be a batch of rows, not transposed");
  }
  DenseLayer layer =
      layer_of(op.build, op.known_in(1), op.integer("transB", 0) != 0, op.number("alpha", 1));
  require_width(value.planes.size(), layer);
  const auto outputs = static_cast<std::int64_t>(layer.outputs);
  const Value* added = op.find(2);
  if (added != nullptr && !added->batched) {
    // The bias may be one number, a row, or a matrix of one row.
    Value row;
    row.batched = true;
    row.shape = {outputs};
    const Broadcast both = broadcast(*added, row, op.build.budget());
    if (both.shape != row.shape) throw ModelError("its bias is wider than its weights");
    const double beta = op.number("beta", 1);
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      layer.bias[o] = beta * added->numbers[both.left[o]];
    }
  }
  Value out = Builder::batched(op.build.affine(value.planes, std::move(layer)), {outputs});
  if (added != nullptr && added->batched) {
    out = apply_binary(
        op.build, Binary::add, out,
        apply_binary(op.build, Binary::multiply, *added, known({op.number("beta", 1)}, {})));
  }
  op.out(std::move(out));
}

/// Rows times a known matrix.
void product_with_known(OpContext& op, const Value& value, Value matrix) {
  const bool vector = matrix.shape.size() == 1;
  if (vector) matrix.shape.push_back(1);
  while (matrix.shape.size() > 2 && matrix.shape[0] == 1) matrix.shape.erase(matrix.shape.begin());
  const DenseLayer layer = layer_of(op.build, matrix, false, 1);
  if (value.shape.empty()) throw ModelError("it is given a number for each row, not a vector");
  const auto width = static_cast<std::size_t>(value.shape.back());
  require_width(width, layer);
  std::vector<Plane> planes;
  if (width > 0) op.build.require_layers(value.planes.size() / width, layer.weight.size());
  for (std::size_t begin = 0; begin < value.planes.size(); begin += width) {
    const auto from = value.planes.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto some = op.build.affine({from, from + static_cast<std::ptrdiff_t>(width)}, layer);
    planes.insert(planes.end(), some.begin(), some.end());
    if (width == 0) break;
  }
  Shape shape = value.shape;
  shape.pop_back();
  if (!vector) shape.push_back(static_cast<std::int64_t>(layer.outputs));
  op.out(Builder::batched(std::move(planes), std::move(shape)));
}

/// Matrices [a, k] and [k, b] of each row: all products, summed in groups.
void product_of_rows(OpContext& op, const Value& left, const Value& right) {
  if (left.shape.size() != 2 || right.shape.size() != 2 || left.shape[1] != right.shape[0]) {
    throw ModelError(fmt::format("it multiplies {} and {}", shape_text(left), shape_text(right)));
  }
  const auto rows = static_cast<std::size_t>(left.shape[0]);
  const auto depth = static_cast<std::size_t>(left.shape[1]);
  const auto columns = static_cast<std::size_t>(right.shape[1]);
  if (depth == 0) throw ModelError("it multiplies matrices without elements");
  op.build.budget().borrow(count_of({left.shape[0], left.shape[1], right.shape[1]}),
                           4 * sizeof(Plane), "its products");
  const std::vector<Plane> from_left = op.build.planes_of(left);
  const std::vector<Plane> from_right = op.build.planes_of(right);
  std::vector<Plane> a;
  std::vector<Plane> b;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t k = 0; k < depth; ++k) {
        a.push_back(from_left[r * depth + k]);
        b.push_back(from_right[k * columns + c]);
      }
    }
  }
  op.out(Builder::batched(
      op.build.group(GroupKind::sum, depth,
                     op.build.binary(Binary::multiply, std::move(a), std::move(b))),
      {left.shape[0], right.shape[1]}));
}

void mat_mul(OpContext& op) {
  const Value& left = op.in(0);
  const Value& right = op.in(1);
  require_numbers(left);
  require_numbers(right);
  if (left.batched && !right.batched) return product_with_known(op, left, right);
  if (left.batched && right.batched) return product_of_rows(op, left, right);
  if (right.batched && left.shape.size() == 2 && right.shape.size() == 2) {
    return product_of_rows(op, left, right);
  }
  throw ModelError(fmt::format("it multiplies {} and {}", shape_text(left), shape_text(right)));
}

void batch_normalization(OpContext& op) {
  const Value& value = op.in(0);
  require_numbers(value);
  if (!value.batched || value.shape.empty()) throw ModelError("it is given no rows of channels");
  const AxisSplit split = split_at(value.shape, 0);
  const auto parameters = [&](std::size_t index) -> const Vector& {
    const Vector& numbers = op.known_in(index).numbers;
    if (numbers.size() != split.size) {
      throw ModelError(fmt::format("input {} has {} numbers for {} channels", index, numbers.size(),
                                   split.size));
    }
    return numbers;
  };
  const Vector& scale = parameters(1);
  const Vector& shift = parameters(2);
  const Vector& mean = parameters(3);
  const Vector& variance = parameters(4);
  const double epsilon = op.number("epsilon", 1e-5);
  Vector factor;
  Vector offset;
  for (std::size_t e = 0; e < value.planes.size(); ++e) {
    const std::size_t c = e / split.inner;
    factor.push_back(scale[c] / std::sqrt(variance[c] + epsilon));
    offset.push_back(shift[c] - factor.back() * mean[c]);
  }
  op.out(Builder::batched(op.build.scale(value.planes, std::move(factor), std::move(offset)),
                          value.shape));
}

/// Some axes of a value brought to the end: groups of `width` neighbours, in the order of the rest.
struct Groups {
  std::size_t width = 1;
  Shape shape = {};          ///< of what one number per group makes
  std::size_t row_axis = 0;  ///< of the same
  std::vector<Plane> planes = {};
};

Groups groups_over(OpContext& op, const Value& value, const std::vector<std::size_t>& axes,
                   bool keep) {
  std::vector<bool> reduced(value.shape.size(), false);
  for (const std::size_t axis : axes) reduced[axis] = true;
  Groups out;
  std::size_t rest = 1;
  for (std::size_t d = 0; d < value.shape.size(); ++d) {
    const auto size = static_cast<std::size_t>(value.shape[d]);
    (reduced[d] ? out.width : rest) *= size;
    if (!reduced[d]) out.shape.push_back(value.shape[d]);
    if (reduced[d] && keep) out.shape.push_back(1);
    if (d + 1 == value.row_axis) out.row_axis = out.shape.size();
  }
  const std::vector<Plane> planes = op.build.planes_of(value);
  op.build.budget().borrow(planes.size(), sizeof(Plane), "its groups");
  op.build.budget().work(planes.size(), 4 * value.shape.size(), "its groups");
  out.planes.resize(planes.size());
  for (std::size_t e = 0; e < planes.size(); ++e) {
    std::size_t left = e;
    std::size_t group = 0;
    std::size_t place = 0;
    std::size_t group_stride = 1;
    std::size_t place_stride = 1;
    for (std::size_t d = value.shape.size(); d > 0; --d) {
      const auto size = static_cast<std::size_t>(value.shape[d - 1]);
      (reduced[d - 1] ? place : group) +=
          left % size * (reduced[d - 1] ? place_stride : group_stride);
      (reduced[d - 1] ? place_stride : group_stride) *= size;
      left /= size;
    }
    out.planes[group * out.width + place] = planes[e];
  }
  return out;
}

/// What becomes of a known tensor, whose numbers are planes here.
Value reduced_constant(OpContext& op, GroupKind kind, const Groups& groups) {
  if (groups.width == 0) throw ModelError("it reduces over no elements");
  Vector numbers;
  for (std::size_t g = 0; g < groups.planes.size(); g += groups.width) {
    Vector group;
    for (std::size_t i = g; i < g + groups.width; ++i) {
      group.push_back(op.build.constant_value(groups.planes[i]).value());
    }
    if (std::ranges::any_of(group, [](double number) { return std::isnan(number); })) {
      throw ModelError("it reduces a constant that is no number");
    }
    const double largest = std::ranges::max(group);
    const double base = std::isfinite(largest) ? largest : 0;
    double sum = 0;
    for (const double number : group) {
      sum += kind == GroupKind::log_sum_exp ? std::exp(number - base) : number;
    }
    switch (kind) {
      case GroupKind::sum:
        numbers.push_back(sum);
        break;
      case GroupKind::mean:
        numbers.push_back(sum / static_cast<double>(groups.width));
        break;
      case GroupKind::largest:
        numbers.push_back(largest);
        break;
      case GroupKind::smallest:
        numbers.push_back(std::ranges::min(group));
        break;
      default:
        numbers.push_back(std::log(sum) + base);
        break;
    }
  }
  return known(std::move(numbers), groups.shape);
}

enum class Norm : std::uint8_t { none, absolute, square };
enum class Ending : std::uint8_t { none, root, logarithm };

template <GroupKind Kind, Norm Before = Norm::none, Ending After = Ending::none>
void reduce(OpContext& op) {
  Value value = op.in(0);
  require_numbers(value);
  const auto given = op.axes(1);
  const bool none = !given || given->empty();
  if (none && op.integer("noop_with_empty_axes", 0) != 0) return op.out(std::move(value));
  if (none && value.batched) throw ModelError("it reduces over the rows of a batch");
  std::vector<std::size_t> axes;
  if (none) {
    for (std::size_t d = 0; d < value.shape.size(); ++d) axes.push_back(d);
  } else {
    for (const std::int64_t axis : *given) axes.push_back(axis_of(value, axis));
  }
  if (Before == Norm::absolute) value = apply_unary(op.build, Unary::abs, value);
  if (Before == Norm::square) value = apply_unary(op.build, Unary::square, value);
  Groups groups = groups_over(op, value, axes, op.integer("keepdims", 1) != 0);
  Value out;
  if (value.batched) {
    out = Builder::batched(op.build.group(Kind, groups.width, std::move(groups.planes)),
                           groups.shape);
    out.row_axis = groups.row_axis;
  } else {
    out = reduced_constant(op, Kind, groups);
  }
  if (After == Ending::root) out = apply_unary(op.build, Unary::sqrt, out);
  if (After == Ending::logarithm) out = apply_unary(op.build, Unary::log, out);
  op.out(std::move(out));
}

template <GroupKind Kind>
void place(OpContext& op) {
  const Value& value = op.in(0);
  require_numbers(value);
  if (!value.batched) throw ModelError("it is given a constant");
  const std::size_t axis = axis_of(value, op.integer("axis", 0));
  Groups groups = groups_over(op, value, {axis}, op.integer("keepdims", 1) != 0);
  const bool last = op.integer("select_last_index", 0) != 0;
  op.out(Builder::batched(op.build.group(Kind, groups.width, std::move(groups.planes), last),
                          groups.shape, ElementType::integer));
}

template <GroupKind Kind>
void softmax(OpContext& op) {
  const Value& value = op.in(0);
  require_numbers(value);
  if (!value.batched) throw ModelError("it is given a constant");
  // Before version 13 all dimensions from the axis on were one.
  const bool merged = op.opset < 13;
  const std::size_t axis = axis_of(value, op.integer("axis", merged ? 1 : -1));
  std::vector<std::size_t> axes{axis};
  for (std::size_t d = axis + 1; merged && d < value.shape.size(); ++d) axes.push_back(d);
  const AxisSplit split = split_at(value.shape, axis);
  Groups groups = groups_over(op, value, axes, true);
  const std::vector<Plane> results = op.build.group(Kind, groups.width, std::move(groups.planes));
  std::vector<Plane> planes(results.size());
  for (std::size_t e = 0; e < planes.size(); ++e) {
    // Merged axes are the last ones, so that groups are runs already.
    const std::size_t outer = e / (split.size * split.inner);
    const std::size_t at = e / split.inner % split.size;
    const std::size_t inner = e % split.inner;
    planes[e] = merged ? results[e] : results[(outer * split.inner + inner) * split.size + at];
  }
  op.out(Builder::batched(std::move(planes), value.shape));
}

void layer_normalization(OpContext& op) {
  const Value& value = op.in(0);
  require_numbers(value);
  if (!value.batched) throw ModelError("it is given a constant");
  std::vector<std::size_t> axes;
  for (std::size_t d = axis_of(value, op.integer("axis", -1)); d < value.shape.size(); ++d) {
    axes.push_back(d);
  }
  const auto mean_of = [&](const Value& of) {
    Groups groups = groups_over(op, of, axes, true);
    return Builder::batched(op.build.group(GroupKind::mean, groups.width, std::move(groups.planes)),
                            groups.shape);
  };
  const Value centred = apply_binary(op.build, Binary::subtract, value, mean_of(value));
  const Value variance = mean_of(apply_unary(op.build, Unary::square, centred));
  const Value deviation = apply_unary(
      op.build, Unary::sqrt,
      apply_binary(op.build, Binary::add, variance, known({op.number("epsilon", 1e-5)}, {})));
  Value out = apply_binary(op.build, Binary::divide, centred, deviation);
  out = apply_binary(op.build, Binary::multiply, out, op.in(1));
  if (op.find(2) != nullptr) out = apply_binary(op.build, Binary::add, out, op.in(2));
  op.out(std::move(out));
}

constexpr Operator kNetworkOperators[] = {
    {"", "Gemm", gemm},
    {"", "MatMul", mat_mul},
    {"", "BatchNormalization", batch_normalization},
    {"", "LayerNormalization", layer_normalization},
    {"", "Softmax", softmax<GroupKind::softmax>},
    {"", "LogSoftmax", softmax<GroupKind::log_softmax>},
    {"", "ReduceSum", reduce<GroupKind::sum>},
    {"", "ReduceMean", reduce<GroupKind::mean>},
    {"", "ReduceMax", reduce<GroupKind::largest>},
    {"", "ReduceMin", reduce<GroupKind::smallest>},
    {"", "ReduceL1", reduce<GroupKind::sum, Norm::absolute>},
    {"", "ReduceL2", reduce<GroupKind::sum, Norm::square, Ending::root>},
    {"", "ReduceSumSquare", reduce<GroupKind::sum, Norm::square>},
    {"", "ReduceLogSum", reduce<GroupKind::sum, Norm::none, Ending::logarithm>},
    {"", "ReduceLogSumExp", reduce<GroupKind::log_sum_exp>},
    {"", "ArgMax", place<GroupKind::arg_largest>},
    {"", "ArgMin", place<GroupKind::arg_smallest>},
};

}  // namespace

std::span<const Operator> network_operators() { return kNetworkOperators; }

}  // namespace croco::onnx
