// SPDX-License-Identifier: Apache-2.0
// Operators on elements that compare, and choose between two.
#include <optional>
#include <utility>

#include <croco/base/error.hpp>
#include <croco/models/onnx/operators.hpp>

namespace croco::onnx {
namespace {

void negation(OpContext& op) { op.out(apply_unary(op.build, Unary::negation, op.in(0))); }

/// Whether a number that was cast to a whole one is 0: it is between -1 and 1. Asked in this way,
/// only what is near to -1 or 1 is in doubt, and not what is near to any whole number.
std::optional<Value> is_zero_when_truncated(OpContext& op) {
  const bool swapped = !op.in(0).batched;
  const Value& value = op.in(swapped ? 1 : 0);
  const Value& other = op.in(swapped ? 0 : 1);
  if (!value.batched || other.batched || other.numbers != Vector{0.0} ||
      other.rank() > value.rank()) {
    return std::nullopt;
  }
  std::vector<Plane> before;
  for (const Plane plane : value.planes) {
    const Builder::Producer from = op.build.producer(plane);
    const auto* unary = from.step == nullptr ? nullptr : std::get_if<UnaryStep>(from.step);
    if (unary == nullptr || unary->function != Unary::truncate) return std::nullopt;
    before.push_back(unary->in[from.index]);
  }
  const Value size =
      apply_unary(op.build, Unary::abs, Builder::batched(std::move(before), value.shape));
  return apply_binary(op.build, Binary::less, size, known({1.0}, {}));
}

/// Texts are compared level by level.
void equal(OpContext& op) {
  if (op.in(0).type != ElementType::text) {
    const std::optional<Value> zero = is_zero_when_truncated(op);
    return zero ? op.out(*zero) : pair<Binary::equal>(op);
  }
  const bool swapped = !op.in(0).batched;
  const Value& texts = op.in(swapped ? 1 : 0);
  const Value& other = op.in(swapped ? 0 : 1);
  if (!texts.batched || other.batched || other.type != ElementType::text) {
    throw ModelError("it compares texts that both, or neither, depend on the row");
  }
  const Broadcast both = broadcast(texts, other, op.build.budget());
  std::vector<Plane> planes;
  for (std::size_t e = 0; e < both.left.size(); ++e) {
    const Category& category = op.build.category(texts.categories[both.left[e]]);
    op.build.budget().work(category.levels.size(), 8, "comparing texts");
    Vector values;
    for (const std::string& level : category.levels) {
      values.push_back(level == other.texts[both.right[e]] ? 1.0 : 0.0);
    }
    planes.push_back(op.build.weighted(category, std::move(values)));
  }
  op.out(Builder::batched(std::move(planes), both.shape, ElementType::boolean));
}

/// Which of two is known before any row is.
void known_choice(OpContext& op) {
  const Broadcast both = broadcast(op.in(1), op.in(2), op.build.budget());
  const std::vector<Plane> yes = op.build.planes_of(op.in(1));
  const std::vector<Plane> no = op.build.planes_of(op.in(2));
  Value whole;
  whole.batched = true;
  whole.shape = both.shape;
  const Broadcast choice = broadcast(op.in(0), whole, op.build.budget());
  if (choice.shape != both.shape) throw ModelError("its condition is wider than its choices");
  std::vector<Plane> planes;
  for (std::size_t e = 0; e < both.left.size(); ++e) {
    planes.push_back(op.in(0).numbers[choice.left[e]] != 0 ? yes[both.left[e]] : no[both.right[e]]);
  }
  op.out(Builder::batched(std::move(planes), both.shape, op.in(1).type));
}

void where(OpContext& op) {
  const Value& condition = op.in(0);
  const Value& yes = op.in(1);
  const Value& no = op.in(2);
  require_numbers(condition);
  require_numbers(yes);
  require_numbers(no);
  if (!condition.batched && (yes.batched || no.batched)) return known_choice(op);
  // All three to one shape, two by two.
  const auto shaped = [&](const Value& value, const Value& like) {
    const Broadcast both = broadcast(value, like, op.build.budget());
    Value out = picked(value, both.shape, both.left, op.build.budget());
    if (both.batched && !value.batched) {
      out = Builder::batched(op.build.planes_of(out), both.shape, value.type);
    }
    return out;
  };
  const Value a = shaped(shaped(yes, no), condition);
  const Value b = shaped(shaped(no, yes), condition);
  const Value c = shaped(condition, a);
  if (!c.batched) {
    Vector numbers;
    for (std::size_t e = 0; e < c.numbers.size(); ++e) {
      numbers.push_back(c.numbers[e] != 0 ? a.numbers[e] : b.numbers[e]);
    }
    return op.out(known(std::move(numbers), c.shape, yes.type));
  }
  op.out(Builder::batched(op.build.select(c.planes, a.planes, b.planes), c.shape, yes.type));
}

constexpr Operator kLogicOperators[] = {
    {"", "Not", negation},
    {"", "Less", pair<Binary::less>},
    {"", "LessOrEqual", pair<Binary::less_equal>},
    {"", "Greater", pair<Binary::greater>},
    {"", "GreaterOrEqual", pair<Binary::greater_equal>},
    {"", "Equal", equal},
    {"", "And", pair<Binary::both>},
    {"", "Or", pair<Binary::either>},
    {"", "Where", where},
};

}  // namespace

std::span<const Operator> logic_operators() { return kLogicOperators; }

}  // namespace croco::onnx
