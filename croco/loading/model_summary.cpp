// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/model_summary.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/random.hpp>
#include <croco/base/sha256.hpp>
#include <croco/base/stopwatch.hpp>
#include <croco/loading/bundle.hpp>
#include <croco/loading/foreign_model.hpp>
#include <croco/models/files/model_file.hpp>
#include <croco/models/files/model_format.hpp>
#include <croco/models/files/unknown_file.hpp>
#include <croco/models/graph/plane_model.hpp>
#include <croco/models/model_budget.hpp>
#include <croco/models/network/mlp.hpp>
#include <croco/models/onnx/model.hpp>
#include <croco/models/probability_model.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <croco/remote/remote_model.hpp>

namespace croco {
namespace {

/// Numbers of all weights, in tensors and in attributes.
std::size_t parameters_of(const onnx::File& file) {
  std::size_t count = 0;
  for (const onnx::Tensor& tensor : file.initializers) {
    if (tensor.type == onnx::ElementType::floating) count += tensor.numbers.size();
  }
  for (const onnx::Node& node : file.nodes) {
    for (const onnx::Attribute& attribute : node.attributes) count += attribute.floats.size();
  }
  return count;
}

/// Columns that could be what the inputs take, so that the graph can be compiled without data. What
/// kind of model it becomes does not depend on the levels of its texts.
onnx::SourceColumns made_up_columns(const onnx::File& file) {
  onnx::SourceColumns out;
  for (const onnx::ValueInfo& input : onnx::model_inputs(file)) {
    const std::int64_t width = std::max<std::int64_t>(onnx::input_width(input), 1);
    for (std::int64_t j = 0; j < width; ++j) {
      onnx::SourceColumn column{
          .name = width == 1 ? input.name : fmt::format("{}[{}]", input.name, j),
          .column = out.width++};
      if (input.type == onnx::ElementType::text) column.levels = {""};
      out.columns.push_back(std::move(column));
    }
  }
  return out;
}

void describe_graph(const onnx::File& file, ModelSummary& out) {
  out.program = "ONNX";
  out.format = file.producer.empty() ? "ONNX" : fmt::format("ONNX of {}", file.producer);
  out.name = file.name;
  for (const onnx::ValueInfo& input : onnx::model_inputs(file)) {
    const std::int64_t width = onnx::input_width(input);
    out.inputs.push_back({input.name, input.type == onnx::ElementType::text ? "text" : "number",
                          width < 0 ? 0 : static_cast<std::size_t>(width)});
  }
  std::map<std::string, std::size_t> counts;
  for (const onnx::Node& node : file.nodes) ++counts[node.op];
  for (const auto& [name, count] : counts) out.operators.push_back({name, count});
  out.parameters = parameters_of(file);
}

SummarisedModel summarise_graph(const ForeignModel& foreign, const std::string& source,
                                const LoadModelOptions& options) {
  SummarisedModel out;
  const onnx::File& file = *foreign.graph;
  describe_graph(file, out.summary);
  out.summary.made_up = !options.training && !options.encoded;
  onnx::SourceColumns columns;
  if (out.summary.made_up) {
    columns = made_up_columns(file);
  } else {
    const LoadedModel loaded = load_foreign(foreign, options, source, foreign.fingerprint);
    columns = source_columns(loaded.codec);
    columns.examples = loaded.examples;
  }
  columns.choice = options.score;
  onnx::CompiledModel compiled = onnx::make_model(file, columns, source);
  out.model = std::move(compiled.model);
  out.summary.score = std::move(compiled.score);
  out.summary.caution = foreign.caution;
  return out;
}

SummarisedModel summarise_trees(const ForeignModel& foreign, const std::string& source,
                                const LoadModelOptions& options) {
  SummarisedModel out;
  out.summary.program = foreign.program;
  out.summary.format = foreign.program;
  out.summary.made_up = !options.training;
  std::string favourable;
  if (options.training) {
    const LoadedModel loaded = load_foreign(foreign, options, source, foreign.fingerprint);
    favourable = loaded.codec.schema().label.favourable;
    out.model = loaded.model;
  } else {
    out.model = foreign.on(InputColumns::identity(foreign.columns.width));
  }
  if (foreign.classes.size() == 2) {
    const bool exchanged = classes_exchanged(foreign, favourable, source);
    out.summary.score = fmt::format("of class '{}'", foreign.classes[exchanged ? 0 : 1]);
    if (foreign.threshold) {
      out.summary.score += fmt::format(", predicted above {}",
                                       exchanged ? 1 - *foreign.threshold : *foreign.threshold);
    }
  }
  for (std::size_t j = 0; j < foreign.columns.width; ++j) {
    const bool named = j < foreign.columns.names.size();
    const auto& hashed = foreign.columns.hashed_levels;
    const bool text = j < hashed.size() && hashed[j].has_value();
    const auto& levels = foreign.columns.levels;
    const auto& unexplained = foreign.columns.unexplained_codes;
    const bool category =
        (j < levels.size() && !levels[j].empty()) || (j < unexplained.size() && unexplained[j]);
    out.summary.inputs.push_back({named ? foreign.columns.names[j] : fmt::format("column {}", j),
                                  text       ? "text"
                                  : category ? "category"
                                             : "number",
                                  1});
  }
  out.summary.parameters = out.model->describe().parameters;
  out.summary.rounds = foreign.rounds;
  return out;
}

SummarisedModel summarise_bundle(std::string_view bytes, const std::string& source,
                                 const LoadModelOptions& options) {
  const LoadedModel loaded = load_bundle(bytes, source, options);
  SummarisedModel out;
  out.summary.format = loaded.program.empty() ? "a bundle of croco's own format"
                                              : fmt::format("a bundle of {}", loaded.program);
  out.summary.name = loaded.name;
  for (const Feature& feature : loaded.codec.schema().features) {
    out.summary.inputs.push_back(
        {feature.name, feature.type == FeatureType::categorical ? "text" : "number", 1});
  }
  out.summary.score = fmt::format("class {} is wanted, at a threshold of {}", loaded.goal->wanted(),
                                  loaded.goal->threshold());
  out.summary.fingerprint = loaded.fingerprint;
  out.model = loaded.model;
  out.summary.parameters = out.model->describe().parameters;
  return out;
}

SummarisedModel summarise_own(std::string_view bytes, const std::string& source) {
  SummarisedModel out;
  const ModelFile file = parse_model(bytes, source);
  out.summary.format = "croco";
  out.summary.name = file.name;
  for (const std::string& name : file.inputs.names) {
    out.summary.inputs.push_back({name, "number", 1});
  }
  out.model = file.model;
  out.summary.parameters = out.model->describe().parameters;
  return out;
}

}  // namespace

ModelPath path_of(const Model& model) {
  if (model.network() != nullptr) {
    return model.linear_form() != nullptr ? ModelPath::linear : ModelPath::network;
  }
  if (model.gradient() == nullptr) return ModelPath::answers;
  return model.describe().projects_samples ? ModelPath::projected : ModelPath::graph;
}

SummarisedModel summarise_model(const std::filesystem::path& path,
                                const LoadModelOptions& options) {
  require_known_file(path);
  const std::string bytes = read_file(path, kMaxModelBytes);
  require_known_content(bytes, path.string());
  SummarisedModel out;
  if (format_of(bytes) == ModelFormat::bundle) {
    out = summarise_bundle(bytes, path.string(), options);
  } else if (const auto foreign =
                 read_foreign_model(bytes, path.string(), options, path.parent_path())) {
    out = foreign->graph ? summarise_graph(*foreign, path.string(), options)
                         : summarise_trees(*foreign, path.string(), options);
    out.summary.fingerprint = fingerprint_of(bytes, *foreign, options);
  } else {
    out = summarise_own(bytes, path.string());
    out.summary.fingerprint = sha256(bytes);
  }
  out.summary.structure = out.model->describe().structure;
  out.summary.width = out.model->width();
  out.summary.gradient = out.model->gradient() != nullptr;
  out.summary.path = path_of(*out.model);
  return out;
}

SummarisedModel summarise_model(const RemoteOptions& remote, const LoadModelOptions& options) {
  const LoadedModel loaded = load_remote_model(remote, options);
  SummarisedModel out;
  out.summary.format =
      fmt::format("{}, protocol {}", loaded.source, name_of(loaded.remote->options().protocol));
  out.summary.fingerprint = loaded.fingerprint;
  for (const Feature& feature : loaded.codec.schema().features) {
    out.summary.inputs.push_back(
        {feature.name, feature.type == FeatureType::categorical ? "text" : "number", 1});
  }
  out.summary.score = "a probability of class 1";
  out.summary.width = loaded.codec.width();
  out.summary.path = path_of(*loaded.model);
  out.model = loaded.model;
  return out;
}

double milliseconds_for(const Model& model, std::size_t rows) {
  // Large models are measured on as many rows as take a moment.
  constexpr std::size_t kNumbers = std::size_t{1} << 21;
  constexpr std::size_t kFirstRows = 16;
  constexpr double kMoment = 0.1;  // seconds
  const std::size_t most = std::clamp<std::size_t>(kNumbers / model.width(), 1, rows);
  Matrix points(most, model.width());
  Sequence random({0, Purpose::train, 0});
  for (double& value : points.data) value = random.uniform();
  Vector logits(most);
  // The first time may compile something that is kept.
  const auto seconds_for = [&](std::size_t count) {
    double least = std::numeric_limits<double>::infinity();
    for (int trial = 0; trial < 2; ++trial) {
      const Stopwatch watch;
      model.logits(points.rows().slice(0, count), MutableView(logits).first(count));
      least = std::min(least, watch.read().elapsed);
    }
    return least;
  };
  std::size_t count = std::min(kFirstRows, most);
  double least = seconds_for(count);
  while (count < most && least < kMoment) {
    count = std::min(4 * count, most);
    least = seconds_for(count);
  }
  return 1000 * least * static_cast<double>(rows) / static_cast<double>(count);
}

}  // namespace croco
