// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx/tensor.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco::onnx {
namespace {

/// Numbers from here on are no longer all doubles.
constexpr double kMaxInteger = 9007199254740992.0;
constexpr std::size_t kMaxDimensions = 8;

// TensorProto.DataType.
constexpr std::int64_t kFloat = 1;
constexpr std::int64_t kUint8 = 2;
constexpr std::int64_t kInt8 = 3;
constexpr std::int64_t kUint16 = 4;
constexpr std::int64_t kInt16 = 5;
constexpr std::int64_t kInt32 = 6;
constexpr std::int64_t kInt64 = 7;
constexpr std::int64_t kString = 8;
constexpr std::int64_t kBool = 9;
constexpr std::int64_t kFloat16 = 10;
constexpr std::int64_t kDouble = 11;
constexpr std::int64_t kUint32 = 12;
constexpr std::int64_t kUint64 = 13;

double half_to_double(std::uint16_t bits) noexcept {
  const int exponent = bits >> 10U & 0x1F;
  const double mantissa = bits & 0x3FF;
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  if (exponent == 31) {
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

/// The numbers of `raw_data`, little-endian, each as `Stored` and then as `convert` has it.
template <typename Stored, typename Convert>
void read_raw(std::string_view raw, Vector& out, Convert convert) {
  out.reserve(raw.size() / sizeof(Stored));
  for (std::size_t at = 0; at + sizeof(Stored) <= raw.size(); at += sizeof(Stored)) {
    std::uint64_t bits = 0;
    for (std::size_t i = sizeof(Stored); i > 0; --i) {
      bits = bits << 8U | static_cast<unsigned char>(raw[at + i - 1]);
    }
    out.push_back(convert(static_cast<Stored>(bits)));
  }
}

template <typename Number, typename Stored>
double as_number(Stored bits) noexcept {
  return static_cast<double>(std::bit_cast<Number>(bits));
}

std::size_t raw_size(std::int64_t type) noexcept {
  switch (type) {
    case kUint8:
    case kInt8:
    case kBool:
      return 1;
    case kUint16:
    case kInt16:
    case kFloat16:
      return 2;
    case kFloat:
    case kInt32:
    case kUint32:
      return 4;
    default:
      return 8;
  }
}

void read_raw(std::int64_t type, std::string_view raw, Vector& out) {
  switch (type) {
    case kFloat:
      return read_raw<std::uint32_t>(raw, out, as_number<float, std::uint32_t>);
    case kDouble:
      return read_raw<std::uint64_t>(raw, out, as_number<double, std::uint64_t>);
    case kInt64:
      return read_raw<std::uint64_t>(raw, out, as_number<std::int64_t, std::uint64_t>);
    case kUint64:
      return read_raw<std::uint64_t>(raw, out, as_number<std::uint64_t, std::uint64_t>);
    case kInt32:
      return read_raw<std::uint32_t>(raw, out, as_number<std::int32_t, std::uint32_t>);
    case kUint32:
      return read_raw<std::uint32_t>(raw, out, as_number<std::uint32_t, std::uint32_t>);
    case kInt16:
      return read_raw<std::uint16_t>(raw, out, as_number<std::int16_t, std::uint16_t>);
    case kUint16:
      return read_raw<std::uint16_t>(raw, out, as_number<std::uint16_t, std::uint16_t>);
    case kFloat16:
      return read_raw<std::uint16_t>(raw, out, half_to_double);
    case kInt8:
      return read_raw<std::uint8_t>(raw, out, as_number<std::int8_t, std::uint8_t>);
    default:
      return read_raw<std::uint8_t>(raw, out, as_number<std::uint8_t, std::uint8_t>);
  }
}

}  // namespace

std::optional<ElementType> element_type(std::int64_t data_type) noexcept {
  switch (data_type) {
    case kFloat:
    case kDouble:
    case kFloat16:
      return ElementType::floating;
    case kInt8:
    case kUint8:
    case kInt16:
    case kUint16:
    case kInt32:
    case kUint32:
    case kInt64:
    case kUint64:
      return ElementType::integer;
    case kBool:
      return ElementType::boolean;
    case kString:
      return ElementType::text;
    default:
      return std::nullopt;
  }
}

std::size_t element_count(std::span<const std::int64_t> shape, std::size_t limit) {
  if (shape.size() > kMaxDimensions) {
    throw ModelError(fmt::format("a tensor has {} dimensions; at most {} are allowed", shape.size(),
                                 kMaxDimensions));
  }
  std::size_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0) throw ModelError(fmt::format("a tensor has the dimension {}", size));
    // With a dimension of 0 the others do not matter, but must not overflow either.
    const auto wide = static_cast<std::uint64_t>(size);
    if (wide > limit || (wide != 0 && count > limit / wide)) {
      throw ModelError(fmt::format("a tensor has more than {} elements", limit));
    }
    count *= static_cast<std::size_t>(wide);
  }
  return count;
}

namespace {

[[noreturn]] void fail(const Tensor& tensor, const std::string& what) {
  throw ModelError(fmt::format("the tensor '{}' {}", tensor.name, what));
}

/// Keys and values of an external tensor.
void read_external_entry(WireReader reader, const Tensor& tensor, ExternalData& out) {
  std::string_view key;
  std::string_view value;
  while (const auto field = reader.next()) {
    if (field->number == 1) key = wire_text(*field);
    if (field->number == 2) value = wire_text(*field);
  }
  const auto count = [&] {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size()) {
      fail(tensor, fmt::format("has values in another file, with the {} '{}', which is no number",
                               key, value.substr(0, 40)));
    }
    return number;
  };
  if (key == "location") out.location = value;
  if (key == "offset") out.offset = count();
  if (key == "length") out.length = count();
}

/// Whether what was read is what type and shape say.
void require_whole(const Tensor& tensor) {
  if (tensor.type == ElementType::integer) {
    for (const double value : tensor.numbers) {
      // The ends of int64 stand for "to the end" in Slice and are meant as they are.
      if (std::abs(value) > kMaxInteger && std::abs(value) < 9.2e18) {
        fail(tensor, fmt::format("holds {}, beyond the whole numbers that a double has", value));
      }
    }
  }
  const std::size_t have =
      tensor.type == ElementType::text ? tensor.texts.size() : tensor.numbers.size();
  if ((tensor.type == ElementType::text) != tensor.numbers.empty() && have != 0) {
    fail(tensor, "has values of two types");
  }
  if (element_count(tensor.shape, kMaxElements) != have) {
    fail(tensor,
         fmt::format("has {} values; its shape [{}] needs {}", have, fmt::join(tensor.shape, ", "),
                     element_count(tensor.shape, kMaxElements)));
  }
}

}  // namespace

void set_raw(Tensor& tensor, std::string_view raw, ModelBudget& budget) {
  const std::size_t size = raw_size(tensor.data_type);
  if (tensor.type == ElementType::text || !tensor.numbers.empty()) {
    fail(tensor, "has its values twice, or texts as raw bytes");
  }
  if (raw.size() % size != 0) {
    fail(tensor,
         fmt::format("has {} raw bytes, no multiple of its {} per element", raw.size(), size));
  }
  budget.keep(raw.size() / size, sizeof(double), fmt::format("the tensor '{}'", tensor.name));
  read_raw(tensor.data_type, raw, tensor.numbers);
  tensor.external.reset();
  require_whole(tensor);
}

Tensor read_tensor(WireReader reader) {
  Tensor tensor;
  std::int64_t data_type = 0;
  std::string_view raw;
  bool has_raw = false;
  bool external = false;
  ExternalData location;
  std::vector<std::int64_t> integers;
  ModelBudget& budget = reader.budget();
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        append_integers(*field, budget, tensor.shape);
        break;
      case 2:
        data_type = wire_integer(*field);
        break;
      case 4:
        append_floats(*field, budget, tensor.numbers);
        break;
      case 5:
      case 7:
      case 11:
        append_integers(*field, budget, integers);
        break;
      case 6:
        budget.keep(1, kListed<std::string> + wire_text(*field).size(), "a list of texts");
        tensor.texts.emplace_back(wire_text(*field));
        break;
      case 8:
        tensor.name = wire_text(*field);
        break;
      case 9:
        raw = wire_text(*field);
        has_raw = true;
        break;
      case 10:
        append_doubles(*field, budget, tensor.numbers);
        break;
      case 13:
        external = true;
        read_external_entry(reader.message(*field), tensor, location);
        break;
      case 14:
        external = external || wire_integer(*field) == 1;
        break;
      default:
        break;
    }
  }
  const auto type = element_type(data_type);
  if (!type) {
    fail(tensor, fmt::format("has the element type {}, which croco does not read", data_type));
  }
  tensor.type = *type;
  tensor.data_type = data_type;
  if (external) {
    tensor.external = std::move(location);
    return tensor;
  }
  budget.keep(integers.size(), kListed<double>, fmt::format("the tensor '{}'", tensor.name));
  for (const std::int64_t value : integers) {
    tensor.numbers.push_back(data_type == kFloat16
                                 ? half_to_double(static_cast<std::uint16_t>(value))
                                 : static_cast<double>(value));
  }
  if (has_raw) {
    set_raw(tensor, raw, budget);
  } else {
    require_whole(tensor);
  }
  return tensor;
}

}  // namespace croco::onnx
