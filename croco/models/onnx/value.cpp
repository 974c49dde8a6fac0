// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx/value.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <croco/base/error.hpp>
#include <croco/models/onnx/tensor.hpp>

namespace croco::onnx {

Value known(const Tensor& tensor) {
  Value out;
  out.type = tensor.type;
  out.shape = tensor.shape;
  out.numbers = tensor.numbers;
  out.texts = tensor.texts;
  return out;
}

Value known(Vector numbers, Shape shape, ElementType type) {
  Value out;
  out.type = type;
  out.shape = std::move(shape);
  out.numbers = std::move(numbers);
  return out;
}

std::size_t element_bytes(const Value& value) {
  if (!value.batched && value.type != ElementType::text) return sizeof(double);
  if (value.batched) return sizeof(Plane);
  std::size_t longest = 0;
  for (const std::string& text : value.texts) longest = std::max(longest, text.size());
  return sizeof(std::string) + longest;
}

std::size_t bytes_of(const Value& value) {
  std::size_t out = sizeof(Value) + value.numbers.size() * sizeof(double) +
                    (value.planes.size() + value.categories.size()) * sizeof(Plane) +
                    value.texts.size() * sizeof(std::string);
  for (const std::string& text : value.texts) out += text.size();
  return out;
}

Value picked(const Value& from, Shape shape, std::span<const std::size_t> index,
             ModelBudget& budget) {
  budget.borrow(index.size(), element_bytes(from), "its result");
  Value out;
  out.type = from.type;
  out.batched = from.batched;
  out.shape = std::move(shape);
  const auto pick = [&](const auto& source, auto& target) {
    if (source.empty()) return;
    target.reserve(index.size());
    for (const std::size_t i : index) target.push_back(source[i]);
  };
  pick(from.numbers, out.numbers);
  pick(from.texts, out.texts);
  pick(from.planes, out.planes);
  pick(from.categories, out.categories);
  return out;
}

Value reshaped(Value value, Shape shape) {
  if (count_of(shape) != value.size()) {
    throw ModelError(fmt::format("{} elements cannot take the shape [{}]", value.size(),
                                 fmt::join(shape, ", ")));
  }
  value.shape = std::move(shape);
  return value;
}

std::size_t axis_of(const Value& value, std::int64_t axis) {
  const std::int64_t rank = value.rank();
  const std::int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank) {
    throw ModelError(fmt::format("axis {} of a tensor of {} dimensions", axis, rank));
  }
  const auto rows = static_cast<std::int64_t>(value.row_axis);
  if (value.batched && at == rows) {
    throw ModelError("it works across the rows of a batch; croco asks for every row by itself");
  }
  return static_cast<std::size_t>(value.batched && at > rows ? at - 1 : at);
}

std::size_t count_of(const Shape& shape) {
  // What operators make is smaller than what a file may hold: a few bytes could ask for anything.
  constexpr std::size_t kMaxMade = std::size_t{1} << 24;
  return element_count(shape, kMaxMade);
}

AxisSplit split_at(const Shape& shape, std::size_t axis) {
  AxisSplit out;
  for (std::size_t i = 0; i < axis; ++i) out.outer *= static_cast<std::size_t>(shape[i]);
  out.size = static_cast<std::size_t>(shape[axis]);
  for (std::size_t i = axis + 1; i < shape.size(); ++i) {
    out.inner *= static_cast<std::size_t>(shape[i]);
  }
  return out;
}

namespace {

/// The elements that a value has once it is stretched to a shape.
std::vector<std::size_t> stretched(const Shape& from, const Shape& to) {
  const std::size_t count = count_of(to);
  std::vector<std::size_t> out(count, 0);
  const std::size_t shift = to.size() - from.size();
  std::size_t inner = 1;  // elements of `to` behind the dimension
  std::size_t stride = 1;
  for (std::size_t d = to.size(); d > 0; --d) {
    const auto size = static_cast<std::size_t>(to[d - 1]);
    if (d - 1 >= shift) {
      const auto own = static_cast<std::size_t>(from[d - 1 - shift]);
      if (own != 1) {
        for (std::size_t e = 0; e < count; ++e) out[e] += e / inner % size * stride;
      }
      stride *= own;
    }
    inner *= size;
  }
  return out;
}

}  // namespace

Broadcast broadcast(const Value& left, const Value& right, ModelBudget& budget) {
  const auto refuse = [&] {
    throw ModelError(
        fmt::format("shapes {} and {} do not go together", shape_text(left), shape_text(right)));
  };
  Broadcast out;
  out.batched = left.batched || right.batched;
  const auto row_shape = [&](const Value& value, const Value& other) {
    Shape shape = value.shape;
    if (value.batched || !other.batched) return shape;
    // A known tensor meets rows: where it has the dimension of the batch, it must be 1.
    const auto rank = static_cast<std::size_t>(other.rank());
    if (shape.size() > rank || (shape.size() == rank && shape[0] != 1)) refuse();
    if (shape.size() == rank) shape.erase(shape.begin());
    return shape;
  };
  // Batches of different ranks would meet in different places.
  if (left.batched && right.batched && left.shape.size() != right.shape.size()) refuse();
  const Shape a = row_shape(left, right);
  const Shape b = row_shape(right, left);
  out.shape.resize(std::max(a.size(), b.size()));
  for (std::size_t d = 0; d < out.shape.size(); ++d) {
    const auto size = [&](const Shape& shape) {
      const std::size_t missing = out.shape.size() - shape.size();
      return d < missing ? std::int64_t{1} : shape[d - missing];
    };
    if (size(a) != size(b) && size(a) != 1 && size(b) != 1) refuse();
    out.shape[d] = size(a) == 1 ? size(b) : size(a);
  }
  const std::size_t count = count_of(out.shape);
  // Either side has an index for every element, and then there is the result.
  constexpr std::size_t kBytes = 2 * sizeof(std::size_t) + 2 * sizeof(double);
  budget.borrow(count, kBytes, "its result");
  budget.work(count, 2 * out.shape.size() + 2, "its result");
  out.left = stretched(a, out.shape);
  out.right = stretched(b, out.shape);
  return out;
}

std::string shape_text(const Value& value) {
  std::vector<std::string> sizes;
  for (const std::int64_t size : value.shape) sizes.push_back(fmt::format("{}", size));
  if (value.batched && value.stacked) {
    sizes[value.row_axis - 1] += " N";
  } else if (value.batched) {
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(value.row_axis), "N");
  }
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

}  // namespace croco::onnx
