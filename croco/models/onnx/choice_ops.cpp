// SPDX-License-Identifier: Apache-2.0
// Operators that take some elements, or put several values side by side: they cost nothing once
// compiled.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/models/graph/plane_choice.hpp>
#include <croco/models/onnx/operators.hpp>

namespace croco::onnx {
namespace {

/// The elements at `places` of an axis.
Value along(const Value& value, std::size_t axis, std::span<const std::size_t> places,
            ModelBudget& budget) {
  const AxisSplit split = split_at(value.shape, axis);
  const std::size_t part = product_or_most(places.size(), split.inner);
  const std::size_t count = product_or_most(split.outer, part);
  budget.borrow(count, sizeof(std::size_t) + element_bytes(value), "its result");
  budget.work(split.outer, sum_or_most(part, 1 + places.size()), "its result");
  std::vector<std::size_t> index;
  index.reserve(count);
  for (std::size_t o = 0; o < split.outer; ++o) {
    for (const std::size_t place : places) {
      for (std::size_t i = 0; i < split.inner; ++i) {
        index.push_back((o * split.size + place) * split.inner + i);
      }
    }
  }
  Shape shape = value.shape;
  shape[axis] = static_cast<std::int64_t>(places.size());
  return picked(value, std::move(shape), index, budget);
}

std::size_t place_of(std::int64_t at, std::int64_t size) {
  const std::int64_t place = at < 0 ? at + size : at;
  if (place < 0 || place >= size) {
    throw ModelError(fmt::format("index {} of a dimension of {}", at, size));
  }
  return static_cast<std::size_t>(place);
}

/// The thresholds whose distances to one number the planes are.
struct Distances {
  Plane from = 0;
  Vector thresholds = {};
};
std::optional<Distances> distances_of(const Builder& build, const std::vector<Plane>& planes) {
  Distances out;
  for (const Plane plane : planes) {
    const Builder::Producer size = build.producer(plane);
    const auto* unary = size.step == nullptr ? nullptr : std::get_if<UnaryStep>(size.step);
    if (unary == nullptr || unary->function != Unary::abs) return std::nullopt;
    const Builder::Producer difference = build.producer(unary->in[size.index]);
    const auto* scale =
        difference.step == nullptr ? nullptr : std::get_if<ScaleStep>(difference.step);
    if (scale == nullptr || std::abs(scale->factor[difference.index]) != 1) return std::nullopt;
    const Plane from = scale->in[difference.index];
    if (!out.thresholds.empty() && from != out.from) return std::nullopt;
    out.from = from;
    out.thresholds.push_back(-scale->factor[difference.index] * scale->offset[difference.index]);
  }
  const bool ascending = std::ranges::is_sorted(out.thresholds) &&
                         std::ranges::all_of(out.thresholds, [](double t) { return t == t; });
  return ascending ? std::optional(std::move(out)) : std::nullopt;
}

/// The row of a table at the place of a largest or smallest number.
std::vector<Plane> row_at_place(OpContext& op, const Value& table, const AxisSplit& split,
                                Plane place) {
  const Builder::Producer from = op.build.producer(place);
  const auto* group = from.step == nullptr ? nullptr : std::get_if<GroupStep>(from.step);
  if (group == nullptr || !is_place(group->kind)) {
    throw ModelError(
        "a table is looked up by a number that is neither a category of the schema nor the place "
        "of a largest or smallest number");
  }
  if (group->width > split.size) {
    throw ModelError(fmt::format("index {} of a dimension of {}", group->width - 1, split.size));
  }
  // The table, and what is read, are held by the step and by its doubts.
  constexpr std::size_t kNumberBytes = 4 * sizeof(double);
  op.build.budget().keep(product_or_most(group->width, 1 + split.inner), kNumberBytes, "its table");
  const auto numbers = table.numbers.begin();
  const auto count = static_cast<std::ptrdiff_t>(group->width * split.inner);
  Choice choice{group->kind == GroupKind::arg_smallest, group->last, group->width,
                Vector(numbers, numbers + count)};
  const auto begin = group->in.begin() + static_cast<std::ptrdiff_t>(from.index * group->width);
  std::vector<Plane> in(begin, begin + static_cast<std::ptrdiff_t>(group->width));
  if (auto distances = choice.smallest ? distances_of(op.build, in) : std::nullopt) {
    const Plane x = distances->from;
    return op.build.opaque(std::make_shared<const NearestEntry>(
                               std::move(choice), std::move(distances->thresholds), false),
                           {x});
  }
  return op.build.opaque(std::make_shared<const ChosenEntry>(std::move(choice)), std::move(in));
}

/// Rows of a table by the code of a category: every number of the row is a weighted sum of levels.
/// Places of largest or smallest numbers choose a row as well.
void look_up(OpContext& op, const Value& table, const Value& codes) {
  require_numbers(table);
  if (table.shape.empty() || op.integer("axis", 0) != 0) {
    throw ModelError("a table that is looked up by row is only read along its first axis");
  }
  const AxisSplit split = split_at(table.shape, 0);
  Shape shape = codes.shape;
  shape.insert(shape.end(), table.shape.begin() + 1, table.shape.end());
  std::vector<Plane> planes;
  for (const Plane code : codes.planes) {
    const Category* category = op.build.tagged(code);
    if (category == nullptr) {
      const std::vector<Plane> row = row_at_place(op, table, split, code);
      planes.insert(planes.end(), row.begin(), row.end());
      continue;
    }
    std::vector<std::size_t> rows;
    for (const std::string& level : category->levels) {
      rows.push_back(place_of(static_cast<std::int64_t>(parse_number(level).value_or(-1e18)),
                              static_cast<std::int64_t>(split.size)));
    }
    op.build.require_layers(split.inner, rows.size());
    for (std::size_t i = 0; i < split.inner; ++i) {
      Vector values;
      for (const std::size_t row : rows) values.push_back(table.numbers[row * split.inner + i]);
      planes.push_back(op.build.weighted(*category, std::move(values)));
    }
  }
  op.out(Builder::batched(std::move(planes), std::move(shape)));
}

void gather(OpContext& op) {
  const Value& value = op.in(0);
  if (!value.batched && op.in(1).batched) return look_up(op, value, op.in(1));
  const Value& indices = op.known_in(1);
  const std::size_t axis = axis_of(value, op.integer("axis", 0));
  std::vector<std::size_t> places;
  for (const std::int64_t at : as_integers(indices)) {
    places.push_back(place_of(at, value.shape[axis]));
  }
  Value out = along(value, axis, places, op.build.budget());
  Shape shape(value.shape.begin(), value.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), value.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
               value.shape.end());
  op.out(reshaped(std::move(out), std::move(shape)));
}

/// An entry of a vector for each row of a batch. The operator puts them one behind the other.
void extract_by_row(OpContext& op, const Value& table, const Value& places) {
  require_numbers(table);
  if (table.batched || places.planes.size() != 1 || table.numbers.empty() ||
      table.shape.back() != static_cast<std::int64_t>(table.numbers.size())) {
    throw ModelError(
        fmt::format("it takes entries of {} at {}; croco reads one entry of a known vector for "
                    "each row",
                    shape_text(table), shape_text(places)));
  }
  const AxisSplit split{.outer = 1, .size = table.numbers.size(), .inner = 1};
  Value out = Builder::batched(row_at_place(op, table, split, places.planes[0]), {1}, table.type);
  out.row_axis = 1;
  op.out(std::move(out));
}

/// Columns by their numbers, of the last axis.
void array_feature_extractor(OpContext& op) {
  const Value& value = op.in(0);
  if (op.in(1).batched) return extract_by_row(op, value, op.in(1));
  const std::size_t axis = axis_of(value, -1);
  std::vector<std::size_t> places;
  for (const std::int64_t at : as_integers(op.known_in(1))) {
    places.push_back(place_of(at, value.shape[axis]));
  }
  op.out(along(value, axis, places, op.build.budget()));
}

void slice(OpContext& op) {
  Value value = op.in(0);
  const bool inputs = op.find(1) != nullptr;
  const auto starts = inputs ? as_integers(op.known_in(1)) : op.integers("starts");
  const auto ends = inputs ? as_integers(op.known_in(2)) : op.integers("ends");
  std::vector<std::int64_t> axes;
  if (const auto given = op.axes(3)) {
    axes = *given;
  } else {
    for (std::size_t d = 0; d < starts.size(); ++d) axes.push_back(static_cast<std::int64_t>(d));
  }
  std::vector<std::int64_t> steps(starts.size(), 1);
  if (op.find(4) != nullptr) steps = as_integers(op.known_in(4));
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    throw ModelError("its starts, ends, axes and steps are not as many");
  }
  for (std::size_t s = 0; s < starts.size(); ++s) {
    if (value.batched && (axes[s] == 0 || axes[s] == -value.rank()) && starts[s] == 0 &&
        ends[s] >= std::numeric_limits<std::int32_t>::max() && steps[s] == 1) {
      continue;  // all rows
    }
    const std::size_t axis = axis_of(value, axes[s]);
    const std::int64_t size = value.shape[axis];
    const std::int64_t step = steps[s];
    if (step == 0) throw ModelError("its step is 0");
    const auto clamp = [&](std::int64_t at) {
      if (at < 0) at += size;
      return step > 0 ? std::clamp<std::int64_t>(at, 0, size)
                      : std::clamp<std::int64_t>(at, -1, size - 1);
    };
    std::vector<std::size_t> places;
    const std::int64_t end = clamp(ends[s]);
    for (std::int64_t at = clamp(starts[s]); step > 0 ? at < end : at > end; at += step) {
      places.push_back(static_cast<std::size_t>(at));
      if (places.size() >= static_cast<std::size_t>(size)) break;
    }
    value = along(value, axis, places, op.build.budget());
  }
  op.out(std::move(value));
}

void split(OpContext& op) {
  const Value& value = op.in(0);
  const std::size_t axis = axis_of(value, op.integer("axis", 0));
  const std::int64_t size = value.shape[axis];
  std::vector<std::int64_t> sizes =
      op.find(1) != nullptr ? as_integers(op.known_in(1)) : op.integers("split");
  const auto parts = static_cast<std::int64_t>(op.outputs.size());
  if (sizes.empty() && parts > 0) {
    const std::int64_t part = (size + parts - 1) / parts;
    for (std::int64_t p = 0; p < parts; ++p) {
      sizes.push_back(std::clamp<std::int64_t>(size - p * part, 0, part));
    }
  }
  std::int64_t begin = 0;
  for (std::size_t p = 0; p < sizes.size() && p < op.outputs.size(); ++p) {
    if (sizes[p] < 0 || sizes[p] > size - begin) throw ModelError("its parts are too large");
    std::vector<std::size_t> places;
    for (std::int64_t at = begin; at < begin + sizes[p]; ++at) {
      places.push_back(static_cast<std::size_t>(at));
    }
    op.out(along(value, axis, places, op.build.budget()), p);
    begin += sizes[p];
  }
  if (begin != size) throw ModelError("its parts are not the whole");
}

/// Joins values along an axis; all are known, or all are batched.
Value joined(const std::vector<Value>& values, std::size_t axis, ModelBudget& budget) {
  Value out;
  out.type = values.front().type;
  out.batched = values.front().batched;
  out.row_axis = values.front().row_axis;
  out.shape = values.front().shape;
  out.shape[axis] = 0;
  for (const Value& value : values) {
    bool fits = value.shape.size() == out.shape.size() && value.batched == out.batched &&
                value.row_axis == out.row_axis &&
                (value.type == ElementType::text) == (out.type == ElementType::text);
    for (std::size_t d = 0; fits && d < out.shape.size(); ++d) {
      fits = d == axis || value.shape[d] == out.shape[d];
    }
    if (!fits) {
      throw ModelError(fmt::format("shapes {} and {} cannot be joined", shape_text(values.front()),
                                   shape_text(value)));
    }
    out.shape[axis] += value.shape[axis];
    if (value.type == ElementType::floating) out.type = ElementType::floating;
  }
  const std::size_t outer = split_at(out.shape, axis).outer;
  std::size_t bytes = 0;
  for (const Value& value : values) bytes += bytes_of(value);
  budget.borrow(count_of(out.shape) == 0 ? 0 : 1, bytes, "its result");
  budget.work(outer, 4 * values.size(), "its result");
  for (std::size_t o = 0; o < outer; ++o) {
    for (const Value& value : values) {
      const AxisSplit split = split_at(value.shape, axis);
      const std::size_t run = split.size * split.inner;
      const auto append = [&](const auto& from, auto& to) {
        if (from.empty()) return;
        const auto begin = from.begin() + static_cast<std::ptrdiff_t>(o * run);
        to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(run));
      };
      append(value.numbers, out.numbers);
      append(value.texts, out.texts);
      append(value.planes, out.planes);
      append(value.categories, out.categories);
    }
  }
  return out;
}

/// What a graph does before it brings each of the batches back into a column of its own.
void batches_behind_each_other(OpContext& op, std::vector<Value> values) {
  for (Value& value : values) value.shape.insert(value.shape.begin(), 1);
  Value out = joined(values, 0, op.build.budget());
  out.row_axis = 1;
  out.stacked = true;
  op.out(std::move(out));
}

void concat(OpContext& op) {
  std::vector<Value> values;
  bool batched = false;
  for (std::size_t i = 0; i < op.input_count(); ++i) batched = batched || op.in(i).batched;
  for (std::size_t i = 0; i < op.input_count(); ++i) {
    Value value = op.in(i);
    // A known row beside rows is the same for all of them.
    if (batched && !value.batched && !value.shape.empty() && value.shape[0] == 1 &&
        value.type != ElementType::text) {
      value = Builder::batched(op.build.planes_of(value),
                               {value.shape.begin() + 1, value.shape.end()}, value.type);
    }
    values.push_back(std::move(value));
  }
  if (values.empty()) throw ModelError("it joins nothing");
  const Value& first = values.front();
  const std::int64_t given = op.integer("axis", 0);
  const bool by_rows = first.batched && first.row_axis == 0 &&
                       (given == 0 || given == -first.rank()) && first.shape == values.back().shape;
  if (by_rows) return batches_behind_each_other(op, std::move(values));
  op.out(joined(values, axis_of(first, given), op.build.budget()));
}

/// Vectors side by side, as matrices of one row each, in single precision.
void feature_vectorizer(OpContext& op) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < op.input_count(); ++i) {
    const Value& value = op.in(i);
    require_numbers(value);
    values.push_back(reshaped(value, {static_cast<std::int64_t>(value.size())}));
    values.back().planes = op.build.in_single(std::move(values.back().planes));
    values.back().type = ElementType::floating;
  }
  if (values.empty()) throw ModelError("it joins nothing");
  op.out(joined(values, 0, op.build.budget()));
}

constexpr Operator kChoiceOperators[] = {
    {"", "Gather", gather},
    {"", "Slice", slice},
    {"", "Split", split},
    {"", "Concat", concat},
    {kTableDomain, "ArrayFeatureExtractor", array_feature_extractor},
    {kTableDomain, "FeatureVectorizer", feature_vectorizer},
};

}  // namespace

std::span<const Operator> choice_operators() { return kChoiceOperators; }

}  // namespace croco::onnx
