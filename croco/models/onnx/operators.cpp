// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx/operators.hpp>

#include <cmath>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco::onnx {

const Value* OpContext::find(std::size_t index) const noexcept {
  return index < inputs_.size() ? inputs_[index] : nullptr;
}

const Value& OpContext::in(std::size_t index) const {
  const Value* value = find(index);
  if (value == nullptr) throw ModelError(fmt::format("input {} is missing", index));
  return *value;
}

const Value& OpContext::known_in(std::size_t index) const {
  const Value& value = in(index);
  if (value.batched) {
    throw ModelError(fmt::format("input {} ('{}') depends on the row; here it must be a constant",
                                 index, node.inputs[index]));
  }
  return value;
}

double OpContext::number(std::string_view attribute, double otherwise) const {
  const Attribute* found = node.find(attribute);
  return found == nullptr ? otherwise : found->f;
}

std::int64_t OpContext::integer(std::string_view attribute, std::int64_t otherwise) const {
  const Attribute* found = node.find(attribute);
  return found == nullptr ? otherwise : found->i;
}

std::string OpContext::text(std::string_view attribute, std::string_view otherwise) const {
  const Attribute* found = node.find(attribute);
  return found == nullptr ? std::string(otherwise) : found->s;
}

Vector OpContext::numbers(std::string_view attribute) const {
  const Attribute* found = node.find(attribute);
  if (found == nullptr) return {};
  return found->has_tensor ? found->t.numbers : found->floats;
}

std::vector<std::int64_t> OpContext::integers(std::string_view attribute) const {
  const Attribute* found = node.find(attribute);
  return found == nullptr ? std::vector<std::int64_t>{} : found->ints;
}

std::vector<std::string> OpContext::texts(std::string_view attribute) const {
  const Attribute* found = node.find(attribute);
  return found == nullptr ? std::vector<std::string>{} : found->strings;
}

std::optional<std::vector<std::int64_t>> OpContext::axes(std::size_t index) const {
  if (find(index) != nullptr) return as_integers(known_in(index));
  if (node.find("axes") != nullptr) return integers("axes");
  return std::nullopt;
}

std::vector<std::int64_t> as_integers(const Value& value) {
  require_numbers(value);
  std::vector<std::int64_t> out;
  out.reserve(value.numbers.size());
  for (const double number : value.numbers) {
    // The ends of int64 mean "as far as it goes".
    constexpr double kFar = 4e18;
    if (!(number == std::trunc(number))) {
      throw ModelError(fmt::format("{} is no whole number", number));
    }
    out.push_back(static_cast<std::int64_t>(std::fmin(std::fmax(number, -kFar), kFar)));
  }
  return out;
}

void require_numbers(const Value& value) {
  if (value.type == ElementType::text) throw ModelError("it is given texts instead of numbers");
}

const Operator* find_operator(std::string_view domain, std::string_view name) {
  for (const auto table :
       {shape_operators(), choice_operators(), math_operators(), logic_operators(),
        network_operators(), table_operators(), classifier_operators(), tree_operators()}) {
    for (const Operator& one : table) {
      if (one.domain == domain && one.name == name) return &one;
    }
  }
  return nullptr;
}

}  // namespace croco::onnx
