// SPDX-License-Identifier: Apache-2.0
#include <croco/models/files/model_file.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_check.hpp>
#include <croco/base/json_text.hpp>
#include <croco/models/model_budget.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxLayers = 64;
constexpr std::size_t kMaxUnits = std::size_t{1} << 17;

/// A value as messages quote it.
std::string shown(const Json& value) {
  constexpr std::size_t kMost = 40;
  const std::string text = json_text(value);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

/// Reads parts of a document, with the place in every complaint.
class Reader {
 public:
  Reader(const std::string& source, ModelBudget& budget) : source_(source), budget_(budget) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw ModelError(fmt::format("{}: {}", source_, what));
  }

  [[nodiscard]] const Json& member(const Json& object, const char* key) const {
    const auto found = object.find(key);
    if (found == object.end()) fail(fmt::format("'{}' is missing", key));
    return *found;
  }

  [[nodiscard]] std::string text(const Json& object, const char* key) const {
    const auto found = object.find(key);
    if (found == object.end()) return {};
    if (!found->is_string()) fail(fmt::format("'{}' must be a text", key));
    return found->get<std::string>();
  }

  [[nodiscard]] std::vector<std::string> texts(const Json& value, const std::string& place) const {
    if (!value.is_array()) fail(fmt::format("'{}' must be a list of texts", place));
    std::vector<std::string> out;
    for (const Json& element : value) {
      if (!element.is_string()) fail(fmt::format("'{}' must be a list of texts", place));
      out.push_back(element.get<std::string>());
    }
    return out;
  }

  [[nodiscard]] Vector numbers(const Json& value, const std::string& place) const {
    if (!value.is_array()) fail(fmt::format("{} must be a list of numbers", place));
    if (value.size() > kMaxUnits) {
      fail(
          fmt::format("{} has {} numbers; at most {} are allowed", place, value.size(), kMaxUnits));
    }
    // In the layer, and in single precision once draws are bound.
    budget_.keep(value.size(), 2 * sizeof(double), place);
    Vector out;
    out.reserve(value.size());
    for (const Json& element : value) {
      // JSON has no NaN; writers that need one put null.
      if (!element.is_number() || !std::isfinite(element.get<double>())) {
        fail(fmt::format("{}[{}] is {}; weights must be finite numbers", place, out.size(),
                         shown(element)));
      }
      out.push_back(element.get<double>());
    }
    return out;
  }

  [[nodiscard]] DenseLayer layer(const Json& value, std::size_t number) const {
    const std::string place = fmt::format("layers[{}]", number);
    if (!value.is_object()) fail(place + " must be an object with 'weight' and 'bias'");
    const Json& rows = member(value, "weight");
    if (!rows.is_array() || rows.empty()) fail(place + ".weight must be a list of rows");
    if (rows.size() > kMaxUnits) {
      fail(fmt::format("{}.weight has {} rows; at most {} are allowed", place, rows.size(),
                       kMaxUnits));
    }
    DenseLayer out;
    out.outputs = rows.size();
    for (std::size_t o = 0; o < rows.size(); ++o) {
      const Vector row = numbers(rows[o], fmt::format("{}.weight[{}]", place, o));
      if (o == 0) out.inputs = row.size();
      if (row.size() != out.inputs) {
        fail(fmt::format("{}.weight[{}] has {} numbers; the rows before it have {}", place, o,
                         row.size(), out.inputs));
      }
      out.weight.insert(out.weight.end(), row.begin(), row.end());
    }
    out.bias = numbers(member(value, "bias"), place + ".bias");
    return out;
  }

 private:
  const std::string& source_;
  ModelBudget& budget_;
};

/// Two outputs under a softmax are one logit: the second minus the first.
DenseLayer subtract_outputs(const DenseLayer& layer) {
  DenseLayer out{layer.inputs, 1, Vector(layer.inputs), {layer.bias[1] - layer.bias[0]}};
  for (std::size_t j = 0; j < layer.inputs; ++j) {
    out.weight[j] = layer.weight[layer.inputs + j] - layer.weight[j];
  }
  return out;
}

std::vector<DenseLayer> read_layers(const Reader& reader, const Json& document) {
  const Json& list = reader.member(document, "layers");
  if (!list.is_array() || list.empty() || list.size() > kMaxLayers) {
    reader.fail(fmt::format("'layers' must be a list of 1 to {} layers", kMaxLayers));
  }
  std::vector<DenseLayer> layers;
  for (const Json& value : list) layers.push_back(reader.layer(value, layers.size()));
  const std::string output = reader.text(document, "output");
  DenseLayer& last = layers.back();
  if (output != "softmax2" && output != "sigmoid") {
    reader.fail(fmt::format("'output' is '{}'; it must be softmax2 or sigmoid", output));
  }
  const std::size_t wanted = output == "softmax2" ? 2 : 1;
  if (last.outputs != wanted || last.bias.size() != wanted) {
    reader.fail(fmt::format("the last layer has {} outputs and {} biases; '{}' needs {}",
                            last.outputs, last.bias.size(), output, wanted));
  }
  if (wanted == 2) last = subtract_outputs(last);
  return layers;
}

ModelInputs read_inputs(const Reader& reader, const Json& document) {
  ModelInputs inputs;
  if (document.contains("feature_names")) {
    inputs.names = reader.texts(document["feature_names"], "feature_names");
  }
  if (document.contains("continuous")) {
    inputs.continuous = reader.texts(document["continuous"], "continuous");
  }
  if (document.contains("categorical_groups")) {
    const Json& groups = document["categorical_groups"];
    if (!groups.is_array()) reader.fail("'categorical_groups' must be a list of lists");
    for (const Json& group : groups) {
      inputs.groups.push_back(reader.texts(group, "categorical_groups"));
    }
  }
  if (document.contains("immutable")) {
    inputs.immutable = reader.texts(document["immutable"], "immutable");
  }
  return inputs;
}

void require_version(const Reader& reader, const Json& document) {
  const auto found = document.find("croco_model");
  if (found == document.end()) return;
  if (!found->is_number_integer() || *found < 1 || *found > kModelVersion) {
    reader.fail(fmt::format("'croco_model' is {}; this program reads version {}", shown(*found),
                            kModelVersion));
  }
}

}  // namespace

ModelFile parse_model(std::string_view json, const std::string& source) {
  ModelBudget budget(json.size(), source);
  const Reader reader(source, budget);
  try {
    budget.keep(check_json(json, source));
  } catch (const DataError& error) {
    throw ModelError(error.what());
  }
  const Json document = parse_json<Json>(json);
  if (!document.is_object()) reader.fail("a model file must be a JSON object");
  require_version(reader, document);
  ModelFile file;
  file.name = reader.text(document, "name");
  file.target = reader.text(document, "target");
  file.inputs = read_inputs(reader, document);
  Activation activation = Activation::relu;
  try {
    if (document.contains("hidden_activation")) {
      activation = parse_activation(reader.text(document, "hidden_activation"));
    }
    file.model = std::make_shared<const Mlp>(read_layers(reader, document), activation);
  } catch (const ModelError& error) {
    const std::string_view what = error.what();
    if (what.starts_with(source)) throw;
    reader.fail(std::string(what));
  } catch (const InvalidArgument& error) {
    reader.fail(fmt::format("hidden {}", error.what()));
  }
  if (!file.inputs.names.empty() && file.inputs.names.size() != file.model->width()) {
    reader.fail(fmt::format("'feature_names' has {} names; the first layer takes {} inputs",
                            file.inputs.names.size(), file.model->width()));
  }
  if (document.contains("encoding")) file.encoding = json_text(document["encoding"]);
  return file;
}

std::string model_json(const ModelFile& file) {
  Json document;
  document["croco_model"] = kModelVersion;
  document["name"] = file.name;
  document["target"] = file.target;
  document["feature_names"] = file.inputs.names;
  document["continuous"] = file.inputs.continuous;
  document["categorical_groups"] = file.inputs.groups;
  document["immutable"] = file.inputs.immutable;
  document["hidden_activation"] = name_of(file.model->hidden_activation());
  document["output"] = "sigmoid";
  Json layers = Json::array();
  for (const DenseLayer& layer : file.model->layers()) {
    Json rows = Json::array();
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      const auto begin = layer.weight.begin() + std::ptrdiff_t(o * layer.inputs);
      rows.push_back(Vector(begin, begin + std::ptrdiff_t(layer.inputs)));
    }
    layers.push_back(Json{{"weight", std::move(rows)}, {"bias", layer.bias}});
  }
  document["layers"] = std::move(layers);
  if (!file.encoding.empty()) document["encoding"] = parse_json<Json>(file.encoding);
  return json_text(document) + "\n";
}

Space space_of(const ModelInputs& inputs, bool freeze_immutable) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t j = 0; j < inputs.names.size(); ++j) places.try_emplace(inputs.names[j], j);
  const auto index = [&](const std::string& name) {
    const auto found = places.find(name);
    if (found == places.end()) {
      throw ModelError(
          fmt::format("the model file names the column '{}', which is not among its "
                      "{} feature_names",
                      name, inputs.names.size()));
    }
    return found->second;
  };
  Space space;
  space.columns.resize(inputs.names.size());
  for (const auto& group : inputs.groups) {
    if (group.empty()) throw ModelError("a group of 'categorical_groups' is empty");
    std::size_t lowest = inputs.names.size();
    std::size_t highest = 0;
    for (const std::string& name : group) {
      Column& column = space.columns[index(name)];
      column = Column{0.0, 1.0, Movement::fixed, 0.0, 0.0, 1.0, false};
      lowest = std::min(lowest, index(name));
      highest = std::max(highest, index(name));
    }
    const std::set<std::string> distinct(group.begin(), group.end());
    if (distinct.size() != group.size()) {
      throw ModelError(fmt::format("the category of '{}' names a column twice", group.front()));
    }
    if (highest - lowest + 1 != group.size()) {
      throw ModelError(
          fmt::format("the columns of the category of '{}' are not neighbours", group.front()));
    }
    space.groups.push_back({lowest, group.size()});
  }
  std::ranges::sort(space.groups, {}, &OneHotGroup::first);
  const std::set<std::string_view> continuous(inputs.continuous.begin(), inputs.continuous.end());
  const std::set<std::string_view> immutable(inputs.immutable.begin(), inputs.immutable.end());
  for (std::size_t j = 0; j < space.columns.size(); ++j) {
    const bool listed = continuous.empty() || continuous.contains(inputs.names[j]);
    if (!listed) space.columns[j].movement = Movement::fixed;
    if (!listed) space.columns[j].continuous = false;
    if (freeze_immutable && immutable.contains(inputs.names[j])) {
      space.columns[j].movement = Movement::fixed;
    }
  }
  for (const std::string& name : inputs.continuous) static_cast<void>(index(name));
  return space;
}

}  // namespace croco
