// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/models/onnx/file.hpp>
#include <croco/models/onnx/tensor.hpp>
#include <croco/models/onnx/wire.hpp>

namespace croco::onnx {
namespace {

// More than any model of a table has, and little enough to be read in a moment.
constexpr std::size_t kMaxBytes = std::size_t{1} << 28;
constexpr std::size_t kMaxNodes = 100'000;
constexpr std::size_t kMaxValues = 100'000;
constexpr std::size_t kMaxNameBytes = 4096;

template <typename List>
void require_room(const List& list, std::size_t limit, std::string_view what) {
  if (list.size() >= limit) throw ModelError(fmt::format("more than {} {}", limit, what));
}

std::string name_of(const WireField& field) {
  const std::string_view text = wire_text(field);
  if (text.size() > kMaxNameBytes) {
    throw ModelError(
        fmt::format("a name has {} bytes; at most {} are allowed", text.size(), kMaxNameBytes));
  }
  return std::string(text);
}

Attribute read_attribute(WireReader reader) {
  Attribute out;
  ModelBudget& budget = reader.budget();
  budget.keep(1, kListed<Attribute>, "a list of attributes");
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        out.name = name_of(*field);
        break;
      case 2:
        out.f = static_cast<double>(wire_float(*field));
        break;
      case 3:
        out.i = wire_integer(*field);
        break;
      case 4:
        out.s = wire_text(*field);
        break;
      case 5:
        out.t = read_tensor(reader.message(*field));
        out.has_tensor = true;
        break;
      case 6:
      case 11:
        out.has_graph = true;
        break;
      case 7:
        append_floats(*field, budget, out.floats);
        break;
      case 8:
        append_integers(*field, budget, out.ints);
        break;
      case 9:
        budget.keep(1, kListed<std::string> + wire_text(*field).size(), "a list of texts");
        out.strings.emplace_back(wire_text(*field));
        break;
      default:
        break;
    }
  }
  return out;
}

Node read_node(WireReader reader) {
  Node out;
  const auto name = [&](const WireField& field) {
    reader.budget().keep(1, kListed<std::string> + field.bytes.size(), "a list of names");
    return name_of(field);
  };
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        require_room(out.inputs, kMaxValues, "inputs of a node");
        out.inputs.push_back(name(*field));
        break;
      case 2:
        require_room(out.outputs, kMaxValues, "outputs of a node");
        out.outputs.push_back(name(*field));
        break;
      case 3:
        out.name = name_of(*field);
        break;
      case 4:
        out.op = name_of(*field);
        break;
      case 5:
        out.attributes.push_back(read_attribute(reader.message(*field)));
        break;
      case 7:
        out.domain = name_of(*field);
        break;
      default:
        break;
    }
  }
  // Both names of the domain of the standard operators mean the same.
  if (out.domain == "ai.onnx") out.domain.clear();
  return out;
}

std::int64_t read_dimension(WireReader reader) {
  std::int64_t size = kOpenDimension;
  while (const auto field = reader.next()) {
    if (field->number == 1) size = wire_integer(*field);
  }
  return size < 0 ? kOpenDimension : size;
}

void read_tensor_type(WireReader reader, ValueInfo& out) {
  while (const auto field = reader.next()) {
    if (field->number == 1) {
      const auto type = element_type(wire_integer(*field));
      if (!type) {
        throw ModelError(fmt::format("'{}' has the element type {}, which croco does not read",
                                     out.name, wire_integer(*field)));
      }
      out.type = *type;
      constexpr std::int64_t kHalf = 10;
      constexpr std::int64_t kDouble = 11;
      out.is_half = wire_integer(*field) == kHalf;
      out.is_double = wire_integer(*field) == kDouble;
    } else if (field->number == 2) {
      WireReader shape = reader.message(*field);
      while (const auto dimension = shape.next()) {
        if (dimension->number != 1) continue;
        reader.budget().keep(1, kListed<std::int64_t>, "a shape");
        out.shape.push_back(read_dimension(shape.message(*dimension)));
      }
    }
  }
}

ValueInfo read_value(WireReader reader) {
  ValueInfo out;
  while (const auto field = reader.next()) {
    if (field->number == 1) {
      out.name = name_of(*field);
    } else if (field->number == 2) {
      WireReader type = reader.message(*field);
      while (const auto kind = type.next()) {
        if (kind->number != 1) continue;  // a sequence or a map, which only outputs are
        out.is_tensor = true;
        read_tensor_type(type.message(*kind), out);
      }
    }
  }
  return out;
}

void read_graph(WireReader reader, File& out) {
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        require_room(out.nodes, kMaxNodes, "nodes");
        reader.budget().keep(1, kListed<Node>, "the list of nodes");
        out.nodes.push_back(read_node(reader.message(*field)));
        break;
      case 2:
        out.name = name_of(*field);
        break;
      case 5:
        require_room(out.initializers, kMaxValues, "initializers");
        reader.budget().keep(1, kListed<Tensor>, "the list of initializers");
        out.initializers.push_back(read_tensor(reader.message(*field)));
        break;
      case 11:
        require_room(out.inputs, kMaxValues, "inputs");
        out.inputs.push_back(read_value(reader.message(*field)));
        break;
      case 12:
        require_room(out.outputs, kMaxValues, "outputs");
        out.outputs.push_back(read_value(reader.message(*field)));
        break;
      case 15:
        throw ModelError("sparse initializers are not supported");
      default:
        break;
    }
  }
}

/// Two texts under fields 1 and 2.
Property read_property(WireReader reader) {
  Property out;
  while (const auto field = reader.next()) {
    if (field->number == 1) out.key = wire_text(*field);
    if (field->number == 2) out.value = wire_text(*field);
  }
  return out;
}

OpsetVersion read_opset(WireReader reader) {
  OpsetVersion out;
  while (const auto field = reader.next()) {
    if (field->number == 1) out.domain = name_of(*field);
    if (field->number == 2) out.version = wire_integer(*field);
  }
  if (out.domain == "ai.onnx") out.domain.clear();
  return out;
}

File read_model(WireReader reader) {
  File out;
  bool has_graph = false;
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        out.ir_version = wire_integer(*field);
        break;
      case 2:
        out.producer = name_of(*field);
        break;
      case 7:
        if (has_graph) throw ModelError("there are two graphs");
        has_graph = true;
        read_graph(reader.message(*field), out);
        break;
      case 8:
        require_room(out.opsets, kMaxValues, "operator sets");
        out.opsets.push_back(read_opset(reader.message(*field)));
        break;
      case 14:
        require_room(out.metadata, kMaxValues, "properties");
        out.metadata.push_back(read_property(reader.message(*field)));
        break;
      default:
        break;
    }
  }
  if (!has_graph || out.ir_version < 1) throw ModelError("no ONNX model: it has no graph");
  if (out.opsets.empty()) throw ModelError("no ONNX model: it names no operator set");
  return out;
}

}  // namespace

File parse_onnx(std::string_view bytes, const std::string& source,
                const std::optional<std::filesystem::path>& folder) {
  try {
    if (bytes.size() > kMaxBytes) {
      throw ModelError(
          fmt::format("it has {} bytes; croco reads at most {}", bytes.size(), kMaxBytes));
    }
    ModelBudget budget(bytes.size());
    File file = read_model(WireReader(bytes, budget));
    file.budget = budget;
    read_external(file, folder);
    return file;
  } catch (const ModelError& error) {
    throw ModelError(fmt::format("{}: {}", source, error.what()));
  }
}

}  // namespace croco::onnx
