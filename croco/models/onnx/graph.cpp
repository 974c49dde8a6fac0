// SPDX-License-Identifier: Apache-2.0
#include <croco/models/onnx/graph.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <croco/base/error.hpp>
#include <croco/models/graph/plane_choice.hpp>
#include <croco/models/onnx/label.hpp>
#include <croco/models/onnx/operators.hpp>

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

/// Whether an operator knows what to do with rows that are not the first axis.
bool takes_rows_of(const Node& node, const Value& value) {
  if (value.row_axis == 0 || node.op == "Reshape") return true;
  return !value.stacked &&
         (node.op == "Concat" || node.op == "Transpose" || node.op.starts_with("Reduce"));
}

/// The number of rows, when the inputs fix it.
std::optional<std::int64_t> fixed_batch(const File& file) {
  std::optional<std::int64_t> out;
  for (const ValueInfo& input : model_inputs(file)) {
    if (!input.shape.empty() && input.shape[0] > 0) out = input.shape[0];
  }
  return out;
}

/// Brings the nodes of a file into the form of steps, one after the other.
class Compiler {
 public:
  Compiler(const File& file, const SourceColumns& source)
      : file_(file), batch_(fixed_batch(file)), build_(source.width, file.budget) {
    build_.choice() = source.choice;
    values_ = bind_inputs(build_, file, source);
    for (const Tensor& tensor : file.initializers) initializers_.emplace(tensor.name, &tensor);
  }

  [[nodiscard]] Builder& build() noexcept { return build_; }

  /// What has been compiled already is not compiled again.
  void compile(const std::vector<const Node*>& nodes) {
    for (const Node* node : nodes) {
      if (!done_.insert(node).second) continue;
      try {
        compile(*node);
      } catch (const ModelError& error) {
        throw ModelError(fmt::format("{}: {}", title(*node), error.what()));
      }
    }
  }

  /// Throws ModelError for a value that is not there.
  [[nodiscard]] const Value& value_of(const std::string& name) {
    auto found = values_.find(name);
    if (const auto held = initializers_.find(name);
        found == values_.end() && held != initializers_.end()) {
      build_.budget().keep(held->second->numbers.size(), sizeof(double),
                           fmt::format("the tensor '{}'", name));
      found = values_.emplace(name, known(*held->second)).first;
    }
    if (found == values_.end()) {
      throw ModelError(fmt::format("the value '{}' is read but not made, or is a label", name));
    }
    return found->second;
  }
  [[nodiscard]] const Value* find_value(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }

 private:
  void compile(const Node& node) {
    std::vector<const Value*> inputs;
    std::size_t bytes = 0;
    for (const std::string& name : node.inputs) {
      inputs.push_back(name.empty() ? nullptr : &value_of(name));
      if (inputs.back() != nullptr) bytes = sum_or_most(bytes, bytes_of(*inputs.back()));
      if (inputs.back() != nullptr && !takes_rows_of(node, *inputs.back())) {
        throw ModelError(fmt::format("it is given '{}' of shape {}; croco needs rows first", name,
                                     shape_text(*inputs.back())));
      }
    }
    // Operators may work on copies.
    build_.budget().borrow(1, bytes, "what it is given");
    build_.budget().work(node.inputs.size(), 64, "what it is given");
    OpContext context(build_, node, std::move(inputs), file_.opset(node.domain), batch_);
    find_operator(node.domain, node.op)->compile(context);
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      if (!context.outputs[o]) continue;
      build_.budget().keep(1, bytes_of(*context.outputs[o]), "its result");
      define(node.outputs[o], std::move(*context.outputs[o]));
    }
  }

  void define(const std::string& name, Value value) {
    if (name.empty()) return;
    if (initializers_.contains(name) || !values_.emplace(name, std::move(value)).second) {
      throw ModelError(fmt::format("the value '{}' is made twice", name));
    }
  }

  const File& file_;
  std::optional<std::int64_t> batch_;
  Builder build_;
  std::map<std::string, const Tensor*> initializers_;
  std::map<std::string, Value> values_;
  std::set<const Node*> done_;
};

/// What decides the label; nothing when it needs operators that croco does not have.
std::optional<LabelScores> compile_label(Compiler& compiler, const File& file,
                                         const LabelSource& label) {
  const std::vector<const Node*> nodes = needed_nodes(file, label.tensor);
  const bool supported = std::ranges::all_of(
      nodes, [](const Node* node) { return find_operator(node->domain, node->op) != nullptr; });
  if (!supported) return std::nullopt;
  try {
    compiler.compile(nodes);
  } catch (const ModelError&) {
    return std::nullopt;  // The score is compiled; the label is not needed when the score decides.
  }
  return label_scores(compiler.build(), label, compiler.find_value(label.tensor));
}

/// Whether it looks up a table by the place of a largest or smallest number.
bool takes_entries(const PlaneProgram& program) {
  return std::ranges::any_of(program.steps, [](const Step& step) {
    const auto* opaque = std::get_if<OpaqueStep>(&step);
    return opaque != nullptr && dynamic_cast<const TableEntry*>(opaque->function.get()) != nullptr;
  });
}

}  // namespace

CompiledGraph compile(const File& file, const SourceColumns& source) {
  const ScoreOutput output = score_output(file);
  const std::vector<const Node*> nodes = needed_nodes(file, output.value);
  require_supported(nodes);
  Compiler compiler(file, source);
  compiler.compile(nodes);
  Builder& build = compiler.build();
  const Value value = compiler.value_of(output.value);
  const Matrix samples = sample_rows(source);
  ScoreReading score = read_score(build, value, output, source.favourable, samples.rows());
  if (source.choice.decided_by != DecidedBy::probability) {
    const LabelSource label = label_source(file, output);
    std::optional<LabelScores> scores;
    if (label.kind != LabelSource::Kind::none) scores = compile_label(compiler, file, label);
    score = decided_by(build, std::move(score), label, scores, value, output, samples.rows());
  }
  PlaneProgram program = build.finish(score.logit);
  if (takes_entries(program)) {
    score.words +=
        ", in the steps of a table (exported isotonic calibration; scikit-learn interpolates, "
        "compare it with --scores)";
  }
  return {std::move(program), build.types(), score.words, score.kind, build.budget()};
}

}  // namespace croco::onnx
