// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx/wire.hpp>

#include <algorithm>
#include <bit>
#include <string>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco::onnx {
namespace {

constexpr std::size_t kMaxFieldDepth = 24;
constexpr std::uint32_t kMaxFieldNumber = (1U << 29) - 1;

[[noreturn]] void fail(const std::string& what) { throw ModelError("no ONNX model: " + what); }

/// Little-endian, whatever the machine is.
std::uint64_t little_endian(std::string_view bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = value << 8U | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

void require(const WireField& field, WireField::Kind kind) {
  if (field.kind != kind) {
    fail(fmt::format("field {} of a message has the wire kind {}, not {}", field.number,
                     static_cast<int>(field.kind), static_cast<int>(kind)));
  }
}

/// Calls `add` for each of the packed numbers of `size` bytes.
template <typename Add>
void unpack(const WireField& field, std::size_t size, Add add) {
  if (field.bytes.size() % size != 0) {
    fail(fmt::format("field {} has {} bytes, which is no multiple of {}", field.number,
                     field.bytes.size(), size));
  }
  for (std::size_t at = 0; at < field.bytes.size(); at += size) {
    add(little_endian(field.bytes.substr(at, size)));
  }
}

}  // namespace

WireReader::WireReader(std::string_view bytes, ModelBudget& budget, std::size_t depth)
    : rest_(bytes), budget_(&budget), depth_(depth) {
  if (depth > kMaxFieldDepth) fail(fmt::format("messages nest deeper than {}", kMaxFieldDepth));
}

std::optional<WireField> WireReader::next() {
  if (rest_.empty()) return std::nullopt;
  const std::uint64_t key = varint();
  const std::uint64_t number = key >> 3U;
  if (number == 0 || number > kMaxFieldNumber) fail(fmt::format("field number {}", number));
  WireField field;
  field.number = static_cast<std::uint32_t>(number);
  switch (key & 7U) {
    case 0:
      field.kind = WireField::Kind::varint;
      field.value = varint();
      return field;
    case 1:
      field.kind = WireField::Kind::fixed64;
      field.value = fixed(8);
      return field;
    case 2: {
      field.kind = WireField::Kind::bytes;
      const std::uint64_t length = varint();
      if (length > rest_.size()) {
        fail(fmt::format("field {} says that it has {} bytes; {} are left", field.number, length,
                         rest_.size()));
      }
      field.bytes = rest_.substr(0, length);
      rest_.remove_prefix(length);
      return field;
    }
    case 5:
      field.kind = WireField::Kind::fixed32;
      field.value = fixed(4);
      return field;
    default:
      fail(fmt::format("field {} has the wire kind {}", field.number, key & 7U));
  }
}

WireReader WireReader::message(const WireField& field) const {
  return {wire_text(field), *budget_, depth_ + 1};
}

std::uint64_t WireReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) fail("the bytes end within a number");
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  fail("a number has more than 10 bytes");
}

std::uint64_t WireReader::fixed(std::size_t size) {
  if (rest_.size() < size) fail("the bytes end within a number");
  const std::uint64_t value = little_endian(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return value;
}

std::string_view wire_text(const WireField& field) {
  require(field, WireField::Kind::bytes);
  return field.bytes;
}

std::int64_t wire_integer(const WireField& field) {
  require(field, WireField::Kind::varint);
  return static_cast<std::int64_t>(field.value);
}

float wire_float(const WireField& field) {
  require(field, WireField::Kind::fixed32);
  return std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
}

void append_integers(const WireField& field, ModelBudget& budget, std::vector<std::int64_t>& out) {
  if (field.kind != WireField::Kind::bytes) {
    budget.keep(1, kListed<std::int64_t>, "a list of numbers");
    out.push_back(wire_integer(field));
    return;
  }
  // The last byte of each number is below 128.
  const auto count = std::ranges::count_if(
      field.bytes, [](char byte) { return static_cast<unsigned char>(byte) < 0x80U; });
  budget.keep(static_cast<std::size_t>(count), kListed<std::int64_t>, "a list of numbers");
  std::string_view rest = field.bytes;
  while (!rest.empty()) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (rest.empty() || shift >= 64) fail("a packed number has no end");
      const auto byte = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if ((byte & 0x80U) == 0) break;
    }
    out.push_back(static_cast<std::int64_t>(value));
  }
}

void append_floats(const WireField& field, ModelBudget& budget, std::vector<double>& out) {
  budget.keep(std::max<std::size_t>(1, field.bytes.size() / 4), kListed<double>,
              "a list of numbers");
  if (field.kind == WireField::Kind::fixed32) {
    out.push_back(static_cast<double>(wire_float(field)));
    return;
  }
  require(field, WireField::Kind::bytes);
  unpack(field, 4, [&](std::uint64_t bits) {
    out.push_back(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  });
}

void append_doubles(const WireField& field, ModelBudget& budget, std::vector<double>& out) {
  budget.keep(std::max<std::size_t>(1, field.bytes.size() / 8), kListed<double>,
              "a list of numbers");
  if (field.kind == WireField::Kind::fixed64) {
    out.push_back(std::bit_cast<double>(field.value));
    return;
  }
  require(field, WireField::Kind::bytes);
  unpack(field, 8, [&](std::uint64_t bits) { out.push_back(std::bit_cast<double>(bits)); });
}

}  // namespace croco::onnx
