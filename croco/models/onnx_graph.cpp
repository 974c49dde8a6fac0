// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx_graph.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <croco/base/error.hpp>
#include <croco/models/onnx_operators.hpp>

namespace croco::onnx {
namespace {

std::string title(const Node& node) {
  const std::string op = node.domain.empty() ? node.op : node.domain + "." + node.op;
  if (!node.name.empty()) return fmt::format("{} '{}'", op, node.name);
  return node.outputs.empty() ? op : fmt::format("{} (of '{}')", op, node.outputs.front());
}

void require_supported(const std::vector<const Node*>& nodes) {
  constexpr std::size_t kShown = 20;
  std::vector<std::string> unknown;
  for (const Node* node : nodes) {
    if (find_operator(node->domain, node->op) == nullptr) unknown.push_back(title(*node));
  }
  if (unknown.empty()) return;
  const std::size_t count = unknown.size();
  if (count > kShown) unknown.resize(kShown);
  throw ModelError(fmt::format("{} of its {} nodes are operators that croco does not have: {}{}",
                               count, nodes.size(), fmt::join(unknown, ", "),
                               count > kShown ? ", ..." : ""));
}

/// The number of rows, when the inputs fix it.
std::optional<std::int64_t> fixed_batch(const File& file) {
  std::optional<std::int64_t> out;
  for (const ValueInfo& input : model_inputs(file)) {
    if (!input.shape.empty() && input.shape[0] > 0) out = input.shape[0];
  }
  return out;
}

}  // namespace

CompiledGraph compile(const File& file, const SourceColumns& source) {
  const ScoreOutput output = score_output(file);
  const std::vector<const Node*> nodes = needed_nodes(file, output.value);
  require_supported(nodes);
  Builder build(source.width, file.budget);
  build.choice() = source.choice;
  std::map<std::string, Value> values = bind_inputs(build, file, source);
  ModelBudget& budget = build.budget();
  const auto define = [&](const std::string& name, Value value) {
    if (name.empty()) return;
    if (!values.emplace(name, std::move(value)).second) {
      throw ModelError(fmt::format("the value '{}' is made twice", name));
    }
  };
  std::set<std::string> read{output.value};
  for (const Node* node : nodes) read.insert(node->inputs.begin(), node->inputs.end());
  for (const Tensor& tensor : file.initializers) {
    if (!read.contains(tensor.name)) continue;
    budget.keep(tensor.numbers.size(), sizeof(double), fmt::format("the tensor '{}'", tensor.name));
    define(tensor.name, known(tensor));
  }
  const std::optional<std::int64_t> batch = fixed_batch(file);
  const auto value_of = [&](const std::string& name) -> const Value& {
    const auto found = values.find(name);
    if (found == values.end()) {
      throw ModelError(fmt::format("the value '{}' is read but not made, or is a label", name));
    }
    return found->second;
  };
  for (const Node* node : nodes) {
    try {
      std::vector<const Value*> inputs;
      std::size_t bytes = 0;
      for (const std::string& name : node->inputs) {
        inputs.push_back(name.empty() ? nullptr : &value_of(name));
        if (inputs.back() != nullptr) bytes = sum_or_most(bytes, bytes_of(*inputs.back()));
      }
      // Operators may work on copies.
      budget.borrow(1, bytes, "what it is given");
      budget.work(node->inputs.size(), 64, "what it is given");
      OpContext context(build, *node, std::move(inputs), file.opset(node->domain), batch);
      find_operator(node->domain, node->op)->compile(context);
      for (std::size_t o = 0; o < node->outputs.size(); ++o) {
        if (!context.outputs[o]) continue;
        budget.keep(1, bytes_of(*context.outputs[o]), "its result");
        define(node->outputs[o], std::move(*context.outputs[o]));
      }
    } catch (const ModelError& error) {
      throw ModelError(fmt::format("{}: {}", title(*node), error.what()));
    }
  }
  const ScoreReading score = read_score(build, value_of(output.value), output, source.favourable,
                                        sample_rows(source).rows());
  return {build.finish(score.logit), build.types(), score.words, budget};
}

}  // namespace croco::onnx
