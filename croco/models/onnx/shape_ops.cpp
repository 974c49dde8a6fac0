// SPDX-License-Identifier: Apache-2.0
// Operators that give elements another shape or order: they cost nothing once compiled.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <croco/base/error.hpp>
#include <croco/models/onnx/operators.hpp>
#include <croco/models/onnx/tensor.hpp>

namespace croco::onnx {
namespace {

void identity(OpContext& op) {
  op.out(op.in(0));
  if (op.outputs.size() > 1) op.out(known({1.0}, {}, ElementType::boolean), 1);  // Dropout's mask
}

void constant(OpContext& op) {
  const Node& node = op.node;
  if (const Attribute* value = node.find("value"); value != nullptr && value->has_tensor) {
    op.out(known(value->t));
  } else if (node.find("value_float") != nullptr) {
    op.out(known({op.number("value_float", 0)}, {}));
  } else if (node.find("value_int") != nullptr) {
    op.out(known({static_cast<double>(op.integer("value_int", 0))}, {}, ElementType::integer));
  } else if (const Attribute* floats = node.find("value_floats")) {
    op.out(known(floats->floats, {static_cast<std::int64_t>(floats->floats.size())}));
  } else if (const Attribute* ints = node.find("value_ints")) {
    op.out(known(Vector(ints->ints.begin(), ints->ints.end()),
                 {static_cast<std::int64_t>(ints->ints.size())}, ElementType::integer));
  } else {
    throw ModelError("it has no value that croco reads");
  }
}

void constant_of_shape(OpContext& op) {
  Shape shape = as_integers(op.known_in(0));
  const Attribute* value = op.node.find("value");
  const bool given = value != nullptr && value->has_tensor && value->t.numbers.size() == 1;
  // The shape of a batch: the same for every row.
  if (!shape.empty() && shape[0] == kOpenDimension) {
    shape.erase(shape.begin());
    op.build.budget().borrow(count_of(shape), sizeof(Plane), "its result");
    const Plane plane = op.build.constant(given ? value->t.numbers[0] : 0.0);
    std::vector<Plane> planes(count_of(shape), plane);
    return op.out(Builder::batched(std::move(planes), std::move(shape),
                                   given ? value->t.type : ElementType::floating));
  }
  op.build.budget().borrow(count_of(shape), sizeof(double), "its result");
  op.out(known(Vector(count_of(shape), given ? value->t.numbers[0] : 0.0), shape,
               given ? value->t.type : ElementType::floating));
}

/// The first number of a batch's shape stands for all rows; Reshape knows it again.
void shape(OpContext& op) {
  const Value& value = op.in(0);
  Vector sizes(value.shape.begin(), value.shape.end());
  if (value.batched) sizes.insert(sizes.begin(), static_cast<double>(kOpenDimension));
  const auto rank = static_cast<std::int64_t>(sizes.size());
  const auto place = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t begin = place(op.integer("start", 0));
  const std::int64_t end = place(op.integer("end", rank));
  const Vector part(sizes.begin() + begin, sizes.begin() + std::max(begin, end));
  op.out(known(part, {static_cast<std::int64_t>(part.size())}, ElementType::integer));
}

/// A reshape in which the open dimension is the rows: what is in front of them and behind them
/// keeps its size. Nothing when it is another one.
std::optional<Value> with_rows_at_open(const Value& value, const Shape& wanted) {
  const auto open = std::ranges::find(wanted, -1);
  if (open == wanted.end() || std::ranges::any_of(wanted, [](auto d) { return d < -1; }) ||
      std::ranges::count(wanted, -1) != 1 || std::ranges::count(wanted, 0) != 0) {
    return std::nullopt;
  }
  const auto rows = value.shape.begin() + static_cast<std::ptrdiff_t>(value.row_axis);
  if (count_of({wanted.begin(), open}) != count_of({value.shape.begin(), rows}) ||
      count_of({open + 1, wanted.end()}) != count_of({rows, value.shape.end()})) {
    return std::nullopt;
  }
  Shape shape(wanted.begin(), open);
  shape.insert(shape.end(), open + 1, wanted.end());
  Value out = reshaped(value, std::move(shape));
  out.row_axis = static_cast<std::size_t>(open - wanted.begin());
  out.stacked = false;
  return out;
}

void reshape(OpContext& op) {
  const Value& value = op.in(0);
  Shape wanted = as_integers(op.known_in(1));
  constexpr std::size_t kMostDimensions = 9;
  if (wanted.size() > kMostDimensions) {
    throw ModelError(fmt::format("it asks for {} dimensions; at most {} are allowed", wanted.size(),
                                 kMostDimensions));
  }
  const bool keep_zeros = op.integer("allowzero", 0) != 0;
  const auto refuse = [&] {
    throw ModelError(fmt::format("it reshapes {} to [{}], which mixes the rows of a batch",
                                 shape_text(value), fmt::join(wanted, ", ")));
  };
  Shape target = wanted;
  if (value.batched) {
    if (target.empty()) refuse();
    if (value.row_axis != 0 || (target[0] != 0 && target[0] != -1 && target[0] != op.batch)) {
      std::optional<Value> moved = with_rows_at_open(value, wanted);
      if (!moved) refuse();
      return op.out(std::move(*moved));
    }
    target.erase(target.begin());
  }
  std::size_t open = target.size();
  std::size_t rest = 1;
  for (std::size_t d = 0; d < target.size(); ++d) {
    if (target[d] == 0 && !keep_zeros) {
      if (d >= value.shape.size()) throw ModelError("it keeps a dimension that is not there");
      target[d] = value.shape[d];
    }
    if (target[d] == -1) {
      if (open != target.size()) throw ModelError("it leaves two dimensions open");
      open = d;
    } else {
      rest *= count_of({target[d]});
      if (rest > kMaxElements) refuse();
    }
  }
  if (open != target.size()) {
    if (rest == 0 || value.size() % rest != 0) refuse();
    target[open] = static_cast<std::int64_t>(value.size() / rest);
  }
  if (count_of(target) != value.size()) refuse();
  op.out(reshaped(value, std::move(target)));
}

void flatten(OpContext& op) {
  const Value& value = op.in(0);
  const std::int64_t axis = op.integer("axis", 1);
  const auto all = static_cast<std::int64_t>(value.size());
  if (value.batched) {
    if (axis != 1 && axis != 1 - value.rank()) {
      throw ModelError(fmt::format("axis {} mixes the rows of a batch", axis));
    }
    op.out(reshaped(value, {all}));
    return;
  }
  std::int64_t before = 1;
  const std::int64_t end = axis < 0 ? axis + value.rank() : axis;
  if (end < 0 || end > value.rank()) throw ModelError(fmt::format("axis {} is not there", axis));
  for (std::int64_t d = 0; d < end; ++d) before *= value.shape[static_cast<std::size_t>(d)];
  op.out(reshaped(value, {before, before == 0 ? 0 : all / before}));
}

void squeeze(OpContext& op) {
  const Value& value = op.in(0);
  std::vector<bool> gone(value.shape.size(), false);
  if (const auto axes = op.axes(1)) {
    for (const std::int64_t axis : *axes) gone[axis_of(value, axis)] = true;
  } else {
    for (std::size_t d = 0; d < gone.size(); ++d) gone[d] = value.shape[d] == 1;
  }
  Shape shape;
  for (std::size_t d = 0; d < gone.size(); ++d) {
    if (!gone[d]) shape.push_back(value.shape[d]);
  }
  op.out(reshaped(value, std::move(shape)));
}

void unsqueeze(OpContext& op) {
  const Value& value = op.in(0);
  const auto axes = op.axes(1);
  if (!axes) throw ModelError("it has no axes");
  const std::int64_t rank = value.rank() + static_cast<std::int64_t>(axes->size());
  std::vector<bool> added(static_cast<std::size_t>(rank), false);
  for (std::int64_t axis : *axes) {
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || added[static_cast<std::size_t>(axis)]) {
      throw ModelError("its axes are not there, or twice");
    }
    if (value.batched && axis == 0) throw ModelError("it puts a dimension before the batch");
    added[static_cast<std::size_t>(axis)] = true;
  }
  Shape shape;
  std::size_t next = 0;
  for (std::size_t d = value.batched ? 1 : 0; d < added.size(); ++d) {
    shape.push_back(added[d] ? 1 : value.shape[next++]);
  }
  op.out(reshaped(value, std::move(shape)));
}

void transpose(OpContext& op) {
  const Value& value = op.in(0);
  std::vector<std::int64_t> order = op.integers("perm");
  const std::int64_t rank = value.rank();
  if (order.empty()) {
    for (std::int64_t d = rank; d > 0; --d) order.push_back(d - 1);
  }
  if (value.batched && (order.empty() || order[0] != static_cast<std::int64_t>(value.row_axis))) {
    throw ModelError("it swaps the rows of a batch with another dimension");
  }
  if (value.batched) order.erase(order.begin());
  const std::size_t dimensions = value.shape.size();
  std::vector<std::size_t> from;
  for (const std::int64_t axis : order) from.push_back(axis_of(value, axis));
  std::vector<std::size_t> sorted = from;
  std::ranges::sort(sorted);
  for (std::size_t d = 0; d < sorted.size(); ++d) {
    if (sorted[d] != d || sorted.size() != dimensions) throw ModelError("'perm' is no order");
  }
  std::vector<std::size_t> strides(dimensions, 1);
  for (std::size_t d = dimensions; d > 1; --d) {
    strides[d - 2] = strides[d - 1] * static_cast<std::size_t>(value.shape[d - 1]);
  }
  Shape shape;
  for (const std::size_t d : from) shape.push_back(value.shape[d]);
  op.build.budget().borrow(value.size(), sizeof(std::size_t), "its result");
  op.build.budget().work(value.size(), 4 * dimensions + 1, "its result");
  std::vector<std::size_t> index(value.size(), 0);
  for (std::size_t e = 0; e < index.size(); ++e) {
    std::size_t rest = e;
    for (std::size_t d = dimensions; d > 0; --d) {
      const auto size = static_cast<std::size_t>(shape[d - 1]);
      index[e] += rest % size * strides[from[d - 1]];
      rest /= size;
    }
  }
  op.out(picked(value, std::move(shape), index, op.build.budget()));
}

void expand(OpContext& op) {
  const Value& value = op.in(0);
  Shape target = as_integers(op.known_in(1));
  Shape full = value.shape;
  if (value.batched) {
    full.insert(full.begin(), 1);
    if (target.size() > full.size()) throw ModelError("it puts a dimension before the batch");
    if (target.size() == full.size() && target[0] != -1 && target[0] != 1 &&
        target[0] != op.batch) {
      throw ModelError("it repeats the rows of a batch");
    }
    if (target.size() == full.size()) target.erase(target.begin());
    full.erase(full.begin());
  }
  Value other;
  other.shape = target;
  const Broadcast both = broadcast(known({}, full), other, op.build.budget());
  op.out(picked(value, both.shape, both.left, op.build.budget()));
}

constexpr Operator kShapeOperators[] = {
    {"", "Identity", identity},   {"", "Dropout", identity},
    {"", "Constant", constant},   {"", "ConstantOfShape", constant_of_shape},
    {"", "Shape", shape},         {"", "Reshape", reshape},
    {"", "Flatten", flatten},     {"", "Squeeze", squeeze},
    {"", "Unsqueeze", unsqueeze}, {"", "Transpose", transpose},
    {"", "Expand", expand},       {kTableDomain, "ZipMap", identity},
};

}  // namespace

std::span<const Operator> shape_operators() { return kShapeOperators; }

}  // namespace croco::onnx
