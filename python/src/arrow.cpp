// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <croco/base/error.hpp>

#include "array.hpp"
#include "arrow.hpp"

namespace nb = nanobind;

// The structures of the C data interface, as its specification states them.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace croco::python {
namespace {

/// Released when it goes out of scope, as its producer asks.
template <class Structure>
struct Held : Structure {
  Held() { this->release = nullptr; }
  ~Held() {
    if (this->release != nullptr) this->release(this);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
};

/// A column as it grows batch by batch: numbers, or texts by their places.
struct Gathered {
  std::string name;
  std::string format;  ///< of the values, behind a dictionary too
  bool dictionary = false;
  std::vector<double> numbers = {};
  std::vector<std::string> texts = {};
  std::vector<std::int32_t> codes = {};
  std::map<std::string, std::int32_t, std::less<>> places = {};

  [[nodiscard]] std::int32_t code_of(std::string_view text) {
    const auto found = places.find(text);
    if (found != places.end()) return found->second;
    const auto code = static_cast<std::int32_t>(texts.size());
    texts.emplace_back(text);
    places.emplace(text, code);
    return code;
  }
};

bool is_text(std::string_view format) { return format == "u" || format == "U" || format == "vu"; }
bool is_number(std::string_view format) {
  return format.size() == 1 && std::string_view("cCsSiIlLfgb").find(format[0]) != format.npos;
}

bool bit(const void* bits, std::size_t place) {
  return (static_cast<const std::uint8_t*>(bits)[place / 8] >> (place % 8) & 1) != 0;
}

bool is_null(const ArrowArray& array, std::size_t place) {
  return array.null_count != 0 && array.n_buffers > 0 && array.buffers[0] != nullptr &&
         !bit(array.buffers[0], place);
}

template <class Value>
double value_at(const void* values, std::size_t place) {
  Value out;
  std::memcpy(&out, static_cast<const Value*>(values) + place, sizeof(out));
  return static_cast<double>(out);
}

double number_at(std::string_view format, const void* values, std::size_t place) {
  switch (format[0]) {
    case 'c':
      return value_at<std::int8_t>(values, place);
    case 'C':
      return value_at<std::uint8_t>(values, place);
    case 's':
      return value_at<std::int16_t>(values, place);
    case 'S':
      return value_at<std::uint16_t>(values, place);
    case 'i':
      return value_at<std::int32_t>(values, place);
    case 'I':
      return value_at<std::uint32_t>(values, place);
    case 'l':
      return value_at<std::int64_t>(values, place);
    case 'L':
      return value_at<std::uint64_t>(values, place);
    case 'f':
      return value_at<float>(values, place);
    case 'g':
      return value_at<double>(values, place);
    default:
      return bit(values, place) ? 1.0 : 0.0;
  }
}

/// A text of a view: short ones are in it, others in one of the buffers that follow.
std::string_view viewed(const ArrowArray& array, std::size_t place) {
  constexpr std::int32_t kInline = 12;
  const char* view = static_cast<const char*>(array.buffers[1]) + 16 * place;
  std::int32_t parts[4];
  std::memcpy(parts, view, sizeof(parts));
  const auto size = static_cast<std::size_t>(parts[0]);
  if (parts[0] <= kInline) return {view + 4, size};
  return {static_cast<const char*>(array.buffers[2 + parts[2]]) + parts[3], size};
}

template <class Offset>
std::string_view sliced(const ArrowArray& array, std::size_t place) {
  Offset ends[2];
  std::memcpy(ends, static_cast<const Offset*>(array.buffers[1]) + place, sizeof(ends));
  return {static_cast<const char*>(array.buffers[2]) + ends[0],
          static_cast<std::size_t>(ends[1] - ends[0])};
}

std::string_view text_at(std::string_view format, const ArrowArray& array, std::size_t place) {
  if (format == "vu") return viewed(array, place);
  return format == "U" ? sliced<std::int64_t>(array, place) : sliced<std::int32_t>(array, place);
}

/// Places of an array's own values; what comes before the offset belongs to others.
struct Places {
  std::size_t first;
  std::size_t count;
};
Places places_of(const ArrowArray& array) {
  return {static_cast<std::size_t>(array.offset), static_cast<std::size_t>(array.length)};
}

void gather_plain(const ArrowArray& array, Gathered& out) {
  const auto [first, count] = places_of(array);
  for (std::size_t place = first; place < first + count; ++place) {
    const bool missing = is_null(array, place);
    if (is_text(out.format)) {
      out.codes.push_back(missing ? -1 : out.code_of(text_at(out.format, array, place)));
    } else {
      out.numbers.push_back(missing ? std::numeric_limits<double>::quiet_NaN()
                                    : number_at(out.format, array.buffers[1], place));
    }
  }
}

/// Every batch may have a dictionary of its own.
void gather_dictionary(const ArrowArray& array, std::string_view index, Gathered& out) {
  const ArrowArray& values = *array.dictionary;
  const auto [first_value, levels] = places_of(values);
  std::vector<std::int32_t> codes(levels);
  for (std::size_t k = 0; k < levels; ++k) {
    const std::size_t place = first_value + k;
    codes[k] = is_null(values, place) ? -1 : out.code_of(text_at(out.format, values, place));
  }
  const auto [first, count] = places_of(array);
  for (std::size_t place = first; place < first + count; ++place) {
    const double level = is_null(array, place) ? -1 : number_at(index, array.buffers[1], place);
    const bool known = level >= 0 && level < static_cast<double>(levels);
    out.codes.push_back(known ? codes[static_cast<std::size_t>(level)] : -1);
  }
}

std::vector<Gathered> described(const ArrowSchema& schema) {
  std::vector<Gathered> out;
  for (std::int64_t j = 0; j < schema.n_children; ++j) {
    const ArrowSchema& child = *schema.children[j];
    const bool dictionary = child.dictionary != nullptr;
    out.push_back({.name = child.name == nullptr ? "" : child.name,
                   .format = dictionary ? child.dictionary->format : child.format,
                   .dictionary = dictionary});
  }
  return out;
}

void require(int code, ArrowArrayStream& stream) {
  if (code == 0) return;
  const char* text = stream.get_last_error(&stream);
  throw DataError(std::string("the Arrow stream ended with an error: ") +
                  (text == nullptr ? "no reason is given" : text));
}

/// (name, format, whether it is a dictionary, numbers, texts, codes) of every column. Columns of
/// other formats come without values: Python says what to do about them.
nb::list read_arrow(const nb::capsule& capsule) {
  auto* stream = static_cast<ArrowArrayStream*>(capsule.data("arrow_array_stream"));
  Held<ArrowSchema> schema;
  require(stream->get_schema(stream, &schema), *stream);
  if (std::string_view(schema.format) != "+s") {
    throw DataError("the Arrow stream holds single values; a table of columns is needed");
  }
  std::vector<Gathered> columns = described(schema);
  while (true) {
    Held<ArrowArray> batch;
    require(stream->get_next(stream, &batch), *stream);
    if (batch.release == nullptr) break;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const ArrowArray& array = *batch.children[j];
      if (columns[j].dictionary && is_text(columns[j].format)) {
        gather_dictionary(array, schema.children[j]->format, columns[j]);
      } else if (!columns[j].dictionary &&
                 (is_text(columns[j].format) || is_number(columns[j].format))) {
        gather_plain(array, columns[j]);
      }
    }
  }
  nb::list out;
  for (const Gathered& one : columns) {
    out.append(nb::make_tuple(one.name, one.format, one.dictionary, array_of(one.numbers),
                              one.texts, array_of(one.codes)));
  }
  return out;
}

}  // namespace

void bind_arrow(nb::module_& module) { module.def("read_arrow", &read_arrow, nb::arg("stream")); }

}  // namespace croco::python
