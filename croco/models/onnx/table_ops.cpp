// SPDX-License-Identifier: Apache-2.0
// Operators that prepare the columns of a table: scaling, imputation, encoding of categories.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/models/onnx/operators.hpp>

namespace croco::onnx {
namespace {

std::size_t columns_of(const Value& value) {
  if (!value.batched || value.size() == 0) throw ModelError("it is given no rows of columns");
  return value.shape.empty() ? 1 : static_cast<std::size_t>(value.shape.back());
}

/// The parameter of a column when there is one for all, or one for each.
double of_column(const Vector& parameters, std::size_t column, std::size_t columns,
                 std::string_view what) {
  if (parameters.size() == 1) return parameters[0];
  if (parameters.size() != columns) {
    throw ModelError(
        fmt::format("its '{}' has {} numbers for {} columns", what, parameters.size(), columns));
  }
  return parameters[column];
}

void scaler(OpContext& op) {
  const Value& value = op.in(0);
  require_numbers(value);
  const std::size_t columns = columns_of(value);
  const Vector offsets = op.numbers("offset");
  const Vector scales = op.numbers("scale");
  // Two steps, for runtimes round after each.
  Vector factor;
  Vector offset;
  for (std::size_t e = 0; e < value.planes.size(); ++e) {
    factor.push_back(scales.empty() ? 1.0 : of_column(scales, e % columns, columns, "scale"));
    offset.push_back(offsets.empty() ? 0.0 : -of_column(offsets, e % columns, columns, "offset"));
  }
  const std::size_t count = value.planes.size();
  std::vector<Plane> moved = op.build.scale(value.planes, Vector(count, 1.0), std::move(offset));
  std::vector<Plane> scaled =
      op.build.scale(std::move(moved), std::move(factor), Vector(count, 0.0));
  op.out(Builder::batched(op.build.in_single(std::move(scaled)), value.shape));
}

/// Missing values are NaN as a rule, which the columns of a point never are.
void imputer(OpContext& op) {
  const Value& value = op.in(0);
  require_numbers(value);
  const std::size_t columns = columns_of(value);
  Vector imputed = op.numbers("imputed_value_floats");
  double replaced = op.number("replaced_value_float", 0);
  if (imputed.empty()) {
    for (const std::int64_t number : op.integers("imputed_value_int64s")) {
      imputed.push_back(static_cast<double>(number));
    }
    replaced = static_cast<double>(op.integer("replaced_value_int64", 0));
  }
  if (imputed.empty()) throw ModelError("it has no values to impute");
  std::vector<Plane> planes;
  for (std::size_t e = 0; e < value.planes.size(); ++e) {
    const double by = of_column(imputed, e % columns, columns, "imputed_value");
    const bool never = std::isnan(replaced) && op.build.is_finite(value.planes[e]);
    planes.push_back(never
                         ? value.planes[e]
                         : op.build.unary(Unary::replace, {value.planes[e]}, replaced, by).front());
  }
  op.out(Builder::batched(std::move(planes), value.shape, value.type));
}

void binarizer(OpContext& op) {
  const Value& value = op.in(0);
  op.out(apply_binary(op.build, Binary::greater, value, known({op.number("threshold", 0)}, {})));
}

/// What a level is as a number, when it is one.
std::optional<double> number_of(const std::string& level) { return parse_number(level); }

/// Planes that are 1 where a number is the key.
std::vector<Plane> equals(OpContext& op, Plane plane, const Vector& keys) {
  std::vector<Plane> constants;
  for (const double key : keys) constants.push_back(op.build.constant(key));
  return op.build.binary(Binary::equal, std::vector<Plane>(keys.size(), plane), constants);
}

void one_hot_encoder(OpContext& op) {
  const Value& value = op.in(0);
  if (!value.batched) throw ModelError("it is given a constant");
  const std::vector<std::string> texts = op.texts("cats_strings");
  const std::vector<std::int64_t> integers = op.integers("cats_int64s");
  const std::size_t count = texts.empty() ? integers.size() : texts.size();
  if (count == 0) throw ModelError("it has no categories");
  std::vector<Plane> planes;
  const auto add_levels = [&](const Category& category, auto is_category) {
    op.build.require_layers(count, category.levels.size());
    op.build.budget().work(count, 32 * category.levels.size(), "comparing its categories");
    for (std::size_t c = 0; c < count; ++c) {
      Vector values;
      for (const std::string& level : category.levels) {
        values.push_back(is_category(level, c) ? 1.0 : 0.0);
      }
      planes.push_back(op.build.weighted(category, std::move(values)));
    }
  };
  const auto same_text = [&](const std::string& level, std::size_t c) { return level == texts[c]; };
  const auto same_number = [&](const std::string& level, std::size_t c) {
    return number_of(level) == static_cast<double>(integers[c]);
  };
  if (value.type == ElementType::text) {
    if (texts.empty()) throw ModelError("its categories are numbers, and it is given texts");
    for (const std::uint32_t index : value.categories) {
      add_levels(op.build.category(index), same_text);
    }
  } else {
    if (!texts.empty()) throw ModelError("its categories are texts, and it is given numbers");
    const Vector keys(integers.begin(), integers.end());
    for (const Plane plane : value.planes) {
      if (const Category* category = op.build.tagged(plane)) {
        add_levels(*category, same_number);
      } else {
        const std::vector<Plane> some = equals(op, plane, keys);
        planes.insert(planes.end(), some.begin(), some.end());
      }
    }
  }
  Shape shape = value.shape;
  shape.push_back(static_cast<std::int64_t>(count));
  op.out(Builder::batched(std::move(planes), std::move(shape)));
}

/// The pairs of a LabelEncoder, whatever their types.
struct Pairs {
  std::vector<std::string> text_keys = {};
  Vector number_keys = {};
  std::vector<std::string> text_values = {};
  Vector number_values = {};
  std::string text_default = "_Unused";
  double number_default = -1;
  bool integers = false;

  [[nodiscard]] std::size_t size() const noexcept {
    return std::max(text_keys.size(), number_keys.size());
  }
};

Pairs pairs_of(const OpContext& op) {
  Pairs out;
  const auto read = [&](const std::string& side, std::vector<std::string>& texts, Vector& numbers) {
    texts = op.texts(side + "_strings");
    numbers = op.numbers(side + "_floats");
    for (const std::int64_t number : op.integers(side + "_int64s")) {
      numbers.push_back(static_cast<double>(number));
    }
    if (const Attribute* tensor = op.node.find(side + "_tensor")) {
      texts.insert(texts.end(), tensor->t.texts.begin(), tensor->t.texts.end());
      numbers.insert(numbers.end(), tensor->t.numbers.begin(), tensor->t.numbers.end());
    }
  };
  read("keys", out.text_keys, out.number_keys);
  read("values", out.text_values, out.number_values);
  out.integers = op.node.find("values_floats") == nullptr;
  out.text_default = op.text("default_string", out.text_default);
  out.number_default = op.node.find("values_floats") != nullptr
                           ? op.number("default_float", 0)
                           : static_cast<double>(op.integer("default_int64", -1));
  if (const Attribute* given = op.node.find("default_tensor"); given != nullptr) {
    if (given->t.numbers.size() == 1) out.number_default = given->t.numbers[0];
    if (given->t.texts.size() == 1) out.text_default = given->t.texts[0];
    if (given->t.type == ElementType::floating) out.integers = false;
  }
  // The first version had one list, whose places were the codes.
  if (const std::vector<std::string> classes = op.texts("classes_strings"); !classes.empty()) {
    out.text_keys = classes;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      out.number_values.push_back(static_cast<double>(c));
    }
    out.integers = true;
  }
  const std::size_t values = std::max(out.text_values.size(), out.number_values.size());
  if (out.size() == 0 || out.size() != values || out.text_keys.empty() == out.number_keys.empty() ||
      out.text_values.empty() == out.number_values.empty()) {
    throw ModelError("its keys and values do not pair");
  }
  return out;
}

/// A category with what each of its levels is encoded as.
void encode_category(OpContext& op, const Pairs& pairs, const Category& category, Value& out) {
  std::vector<std::string> texts;
  Vector numbers;
  op.build.budget().work(category.levels.size(), 32 * pairs.size(), "comparing its keys");
  std::size_t longest = 0;
  for (const std::string& text : pairs.text_values) longest = std::max(longest, text.size());
  op.build.budget().keep(category.levels.size(), 2 * sizeof(std::string) + longest, "its texts");
  for (const std::string& level : category.levels) {
    std::size_t at = pairs.size();
    for (std::size_t k = 0; k < pairs.size() && at == pairs.size(); ++k) {
      const bool same = pairs.text_keys.empty() ? number_of(level) == pairs.number_keys[k]
                                                : level == pairs.text_keys[k];
      if (same) at = k;
    }
    const bool found = at < pairs.size();
    if (pairs.text_values.empty()) {
      numbers.push_back(found ? pairs.number_values[at] : pairs.number_default);
      texts.push_back(format_number(numbers.back()));
    } else {
      texts.push_back(found ? pairs.text_values[at] : pairs.text_default);
    }
  }
  const std::vector<Plane> planes = category.planes;
  if (!pairs.text_values.empty()) {
    out.categories.push_back(op.build.add_category({std::move(texts), planes}));
    return;
  }
  const bool finite =
      std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
  if (!finite) throw ModelError("it makes a level of the schema a missing value");
  out.planes.push_back(op.build.weighted(category, std::move(numbers)));
  // The code is still a category, for what asks for single codes.
  op.build.tag(out.planes.back(), op.build.add_category({std::move(texts), planes}));
}

void label_encoder(OpContext& op) {
  const Value& value = op.in(0);
  if (!value.batched) throw ModelError("it is given a constant");
  const Pairs pairs = pairs_of(op);
  Value out;
  out.batched = true;
  out.shape = value.shape;
  out.type = !pairs.text_values.empty() ? ElementType::text
             : pairs.integers           ? ElementType::integer
                                        : ElementType::floating;
  if (value.type == ElementType::text) {
    if (pairs.text_keys.empty()) throw ModelError("its keys are numbers, and it is given texts");
    for (const std::uint32_t index : value.categories) {
      const Category category = op.build.category(index);
      encode_category(op, pairs, category, out);
    }
    return op.out(std::move(out));
  }
  if (pairs.number_keys.empty()) throw ModelError("its keys are texts, and it is given numbers");
  for (const Plane plane : value.planes) {
    if (const Category* tagged = op.build.tagged(plane)) {
      const Category category = *tagged;
      encode_category(op, pairs, category, out);
      continue;
    }
    if (pairs.number_values.empty()) throw ModelError("it makes texts of numbers");
    DenseLayer layer{pairs.size(), 1, {}, {pairs.number_default}};
    for (const double number : pairs.number_values) {
      layer.weight.push_back(number - pairs.number_default);
    }
    out.planes.push_back(
        op.build.affine(equals(op, plane, pairs.number_keys), std::move(layer)).front());
  }
  op.out(std::move(out));
}

/// Whether the planes are all results of one softmax: then they sum to 1 as they are.
bool is_softmax(const Builder& build, const std::vector<Plane>& planes) {
  const Builder::Producer from = build.producer(planes.front());
  if (from.step == nullptr) return false;
  const auto* group = std::get_if<GroupStep>(from.step);
  if (group == nullptr || group->kind != GroupKind::softmax || group->width != planes.size()) {
    return false;
  }
  if (from.index % group->width != 0) return false;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    if (planes[i] != planes.front() + static_cast<Plane>(i)) return false;
  }
  return true;
}

void normalizer(OpContext& op) {
  Value value = op.in(0);
  require_numbers(value);
  value.planes = op.build.in_single(std::move(value.planes));
  const std::size_t columns = columns_of(value);
  const std::string norm = op.text("norm", "MAX");
  if (norm == "L1" && value.planes.size() == columns && is_softmax(op.build, value.planes)) {
    return op.out(value);
  }
  Value sizes = value;
  GroupKind kind = GroupKind::sum;
  if (norm == "L2") {
    sizes = apply_unary(op.build, Unary::square, value);
  } else if (norm == "L1") {
    sizes = apply_unary(op.build, Unary::abs, value);
  } else if (norm == "MAX") {
    kind = GroupKind::largest;
  } else {
    throw ModelError(fmt::format("its norm is '{}'; it must be MAX, L1 or L2", norm));
  }
  std::vector<Plane> norms = op.build.group(kind, columns, sizes.planes);
  if (norm == "L2") norms = op.build.unary(Unary::sqrt, norms);
  norms = op.build.unary(Unary::replace, norms, 0, 1);  // a row of zeros stays one
  std::vector<Plane> below;
  for (std::size_t e = 0; e < value.planes.size(); ++e) below.push_back(norms[e / columns]);
  op.out(Builder::batched(op.build.binary(Binary::divide, value.planes, std::move(below)),
                          value.shape));
}

constexpr Operator kTableOperators[] = {
    {kTableDomain, "Scaler", scaler},
    {kTableDomain, "Imputer", imputer},
    {kTableDomain, "Binarizer", binarizer},
    {kTableDomain, "OneHotEncoder", one_hot_encoder},
    {kTableDomain, "LabelEncoder", label_encoder},
    {kTableDomain, "Normalizer", normalizer},
};

}  // namespace

std::span<const Operator> table_operators() { return kTableOperators; }

}  // namespace croco::onnx
