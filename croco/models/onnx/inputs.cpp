// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/models/onnx/graph.hpp>

namespace croco::onnx {
namespace {

/// Exporters replace what is no letter or digit.
std::string plain_name(std::string name) {
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

/// Finds features by the names of inputs: as they are, or else as exporters write them.
class ColumnNames {
 public:
  explicit ColumnNames(const SourceColumns& source) {
    for (const SourceColumn& column : source.columns) {
      exact_.try_emplace(column.name, &column);
      plain_.try_emplace(plain_name(column.name), &column);
    }
  }
  [[nodiscard]] const SourceColumn* find(const std::string& name) const {
    if (const auto found = exact_.find(name); found != exact_.end()) return found->second;
    const auto found = plain_.find(plain_name(name));
    return found == plain_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::string, const SourceColumn*> exact_;
  std::map<std::string, const SourceColumn*> plain_;
};

Category category_of(const SourceColumn& column) {
  Category out{column.levels, {}};
  for (std::size_t level = 0; level < column.levels.size(); ++level) {
    out.planes.push_back(static_cast<Plane>(column.column + level));
  }
  return out;
}

/// Puts a feature at the end of an input's value.
void append(Builder& build, const SourceColumn& column, const ValueInfo& input, Value& value) {
  if (value.type == ElementType::text) {
    if (!column.categorical()) {
      throw ModelError(fmt::format(
          "the input '{}' takes texts; the schema says that the column '{}' is a number",
          input.name, column.name));
    }
    if (column.missing) {
      throw ModelError(fmt::format(
          "the input '{}' takes texts; the value of '{}' is missing, and no text says so",
          input.name, column.name));
    }
    value.categories.push_back(build.add_category(category_of(column)));
    return;
  }
  if (column.missing) {
    value.planes.push_back(build.missing(column.name));
    return;
  }
  if (column.categorical()) {
    Vector numbers;
    for (const std::string& level : column.levels) {
      const auto number = parse_number(level);
      if (!number) {
        throw ModelError(fmt::format(
            "the input '{}' takes numbers; the column '{}' has the level '{}', which is none",
            input.name, column.name, level));
      }
      // The runtime reads .1 as the number of single precision that is next to it.
      const bool single = input.type == ElementType::floating && !input.is_double;
      numbers.push_back(single ? static_cast<double>(static_cast<float>(*number)) : *number);
    }
    Category category = category_of(column);
    for (std::size_t level = 0; level < numbers.size(); ++level) {
      category.levels[level] = format_number(numbers[level]);
    }
    value.planes.push_back(build.weighted(category, std::move(numbers)));
    build.tag(value.planes.back(), build.add_category(std::move(category)));
    return;
  }
  if (column.unit == 0) {
    value.planes.push_back(build.constant(column.minimum));
    return;
  }
  const auto plane = static_cast<Plane>(column.column);
  if (input.type == ElementType::floating && !input.is_double) {
    // Units are powers of two where columns are numbers: they are rounded alike before and after.
    build.types().single_inputs[plane] = true;
  }
  const bool as_is = column.unit == 1 && column.minimum == 0;
  value.planes.push_back(as_is ? plane
                               : build.scale({plane}, {column.unit}, {column.minimum}).front());
}

/// Numbers in their own units, and every level as a column of its own, in the order of points.
std::vector<SourceColumn> level_columns(const SourceColumns& source) {
  std::vector<SourceColumn> out;
  for (const SourceColumn& column : source.columns) {
    if (!column.categorical()) out.push_back(column);
    for (std::size_t level = 0; level < column.levels.size(); ++level) {
      out.push_back({.name = column.name, .column = column.column + level});
      if (column.missing) out.back().unit = 0;  // no level is there
    }
  }
  std::ranges::sort(out, {}, &SourceColumn::column);
  return out;
}

/// The features that an input of several columns takes.
std::vector<SourceColumn> columns_for(const ValueInfo& input, std::int64_t width,
                                      const SourceColumns& source) {
  std::vector<SourceColumn> numbers;
  std::vector<SourceColumn> categories;
  for (const SourceColumn& column : source.columns) {
    (column.categorical() ? categories : numbers).push_back(column);
  }
  const auto is = [&](std::size_t count) { return width == static_cast<std::int64_t>(count); };
  const bool texts = input.type == ElementType::text;
  const std::vector<SourceColumn>& own = texts ? categories : numbers;
  const bool open = width == kOpenDimension;
  if (is(source.columns.size()) || (open && own.size() == source.columns.size())) {
    return source.columns;
  }
  if (is(own.size()) || (open && texts)) return own;
  if (!texts && (is(source.width) || open)) {
    return level_columns(source);
  }
  throw ModelError(fmt::format(
      "the input '{}' takes {} {}; the schema has {} features ({} numbers, {} categories), which "
      "are {} columns when encoded",
      input.name, width, texts ? "texts" : "numbers", source.columns.size(), numbers.size(),
      categories.size(), source.width));
}

}  // namespace

std::vector<ValueInfo> model_inputs(const File& file) {
  std::set<std::string> known;
  for (const Tensor& tensor : file.initializers) known.insert(tensor.name);
  std::vector<ValueInfo> out;
  for (const ValueInfo& input : file.inputs) {
    if (!known.contains(input.name)) out.push_back(input);
  }
  return out;
}

std::int64_t input_width(const ValueInfo& input) {
  if (!input.is_tensor) {
    throw ModelError(fmt::format("the input '{}' is no tensor", input.name));
  }
  if (input.shape.size() == 1) return 1;
  if (input.shape.size() != 2) {
    throw ModelError(fmt::format("the input '{}' has {} dimensions; a table has rows and columns",
                                 input.name, input.shape.size()));
  }
  if (input.shape[1] > static_cast<std::int64_t>(kMaxModelColumns)) {
    throw ModelError(
        fmt::format("the input '{}' takes {} columns for each row; at most {} are allowed",
                    input.name, input.shape[1], kMaxModelColumns));
  }
  if (input.shape[1] == 0) throw ModelError(fmt::format("the input '{}' is empty", input.name));
  return input.shape[1];
}

std::size_t total_width(const File& file) {
  std::size_t out = 0;
  for (const ValueInfo& input : model_inputs(file)) {
    out += static_cast<std::size_t>(std::max<std::int64_t>(input_width(input), 0));
  }
  if (out > kMaxModelColumns) {
    throw ModelError(
        fmt::format("the inputs take {} columns for each row together; at most {} are allowed", out,
                    kMaxModelColumns));
  }
  return out;
}

std::map<std::string, Value> bind_inputs(Builder& build, const File& file,
                                         const SourceColumns& source) {
  const std::vector<ValueInfo> inputs = model_inputs(file);
  if (inputs.empty()) throw ModelError("the model has no inputs");
  for (const SourceColumn& column : source.columns) {
    for (std::size_t level = 0; level < column.levels.size(); ++level) {
      build.types().level_inputs[column.column + level] = true;
    }
  }
  std::map<std::string, Value> out;
  std::vector<std::string> missing;
  static_cast<void>(total_width(file));
  const ColumnNames names_of_columns(source);
  for (const ValueInfo& input : inputs) {
    const std::int64_t width = input_width(input);
    if (input.is_half) {
      throw ModelError(
          fmt::format("the input '{}' has half precision, in which croco does not compute; export "
                      "the model in single precision",
                      input.name));
    }
    Value value;
    value.type = input.type;
    value.batched = true;
    const SourceColumn* named =
        width == 1 || width == kOpenDimension ? names_of_columns.find(input.name) : nullptr;
    const bool only = inputs.size() == 1 && source.columns.size() == 1;
    if (named != nullptr) {
      append(build, *named, input, value);
    } else if (width == 1 && !only) {
      missing.push_back(input.name);
      continue;
    } else {
      build.budget().work(source.columns.size(), 64, "the columns of an input");
      for (const SourceColumn& column : columns_for(input, width, source)) {
        append(build, column, input, value);
      }
    }
    if (input.shape.size() == 2) value.shape = {static_cast<std::int64_t>(value.size())};
    out[input.name] = std::move(value);
  }
  if (!missing.empty()) {
    std::vector<std::string> names;
    for (const SourceColumn& column : source.columns) names.push_back(column.name);
    throw ModelError(fmt::format("the model takes '{}', which the schema does not have; it has {}",
                                 fmt::join(missing, "', '"), fmt::join(names, ", ")));
  }
  return out;
}

}  // namespace croco::onnx
