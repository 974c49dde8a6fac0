// SPDX-License-Identifier: Apache-2.0
/// The wire format of protocol buffers, read in place: a message is a run of fields, each a number,
/// a kind and a value. Every length is checked against the bytes that are there, so that no input
/// can make it read beyond them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <croco/models/model_budget.hpp>

namespace croco::onnx {

/// A field of a message. `bytes` points into the message.
struct WireField {
  enum class Kind : std::uint8_t { varint, fixed64, bytes, fixed32 };

  std::uint32_t number = 0;
  Kind kind = Kind::varint;
  std::uint64_t value = 0;      ///< varint, fixed64 and fixed32
  std::string_view bytes = {};  ///< bytes
};

/// Reads the fields of one message; refers to its bytes and to the budget of its file.
class WireReader {
 public:
  /// `depth` counts the messages around this one. Throws ModelError when there are too many.
  WireReader(std::string_view bytes, ModelBudget& budget, std::size_t depth = 0);

  /// The next field, or nothing at the end. Throws ModelError for a length that leaves the message,
  /// a number or a kind that the format does not have. Groups, which ONNX does not use, are
  /// refused.
  [[nodiscard]] std::optional<WireField> next();
  /// A reader of a field that is a message itself.
  [[nodiscard]] WireReader message(const WireField& field) const;
  /// Counts what is made of the fields: their values take more memory than their bytes.
  [[nodiscard]] ModelBudget& budget() const noexcept { return *budget_; }

 private:
  [[nodiscard]] std::uint64_t varint();
  [[nodiscard]] std::uint64_t fixed(std::size_t size);

  std::string_view rest_;
  ModelBudget* budget_;
  std::size_t depth_;
};

/// A field's value as each type has it. They throw ModelError when the field is of another kind.
[[nodiscard]] std::string_view wire_text(const WireField& field);
[[nodiscard]] std::int64_t wire_integer(const WireField& field);
[[nodiscard]] float wire_float(const WireField& field);

/// Repeated numbers, which a writer may send one by one or packed into one field.
void append_integers(const WireField& field, ModelBudget& budget, std::vector<std::int64_t>& out);
void append_floats(const WireField& field, ModelBudget& budget, std::vector<double>& out);
void append_doubles(const WireField& field, ModelBudget& budget, std::vector<double>& out);

/// What an entry of a list takes while the list grows: up to twice its size.
template <typename Entry>
inline constexpr std::size_t kListed = 2 * sizeof(Entry);

}  // namespace croco::onnx
