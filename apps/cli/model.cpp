// SPDX-License-Identifier: Apache-2.0
// croco model: what a model file holds, and what croco will do with it.
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <apps/cli/command.hpp>
#include <apps/cli/options.hpp>
#include <croco/explain/model_summary.hpp>

namespace croco::cli {
namespace {

constexpr std::size_t kMeasuredRows = 10'000;

std::string_view words(ModelPath path) noexcept {
  switch (path) {
    case ModelPath::linear:
      return "linear: rates in closed form where the noise allows it";
    case ModelPath::network:
      return "fast network: draws go through the first layer once";
    case ModelPath::projected:
      return "projected graph: draws go through its affine beginning once";
    case ModelPath::graph:
      return "graph, with its gradient";
    case ModelPath::answers:
      return "gradient-free: from answers alone";
  }
  return "";
}

void line(std::string_view what, std::string_view text) {
  if (!text.empty()) fmt::print("{:<12} {}\n", what, text);
}

std::string inputs_text(const ModelSummary& summary) {
  std::vector<std::string> parts;
  for (const ModelSummary::Input& input : summary.inputs) {
    std::string width;
    if (input.width == 0) width = " x any";
    if (input.width > 1) width = fmt::format(" x {}", input.width);
    parts.push_back(fmt::format("{} ({}{})", input.name, input.type, width));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

int inspect(const ModelOptions& options) {
  LoadModelOptions load;
  if (!options.training.empty()) load.training = [&] { return options.training_data(nullptr); };
  if (!options.schema.empty()) load.schema = read_schema(options.schema);
  load.score = {parse_score_kind(options.score), parse_decided_by(options.decision)};
  const std::optional<RemoteOptions> elsewhere = options.remote_options();
  if (elsewhere && !load.training) load.training = [&] { return options.training_data(nullptr); };
  const auto [summary, model] =
      elsewhere ? summarise_model(*elsewhere, load) : summarise_model(options.model, load);
  std::vector<std::string> operators;
  for (const ModelSummary::Count& one : summary.operators) {
    operators.push_back(one.count == 1 ? one.name : fmt::format("{} x {}", one.name, one.count));
  }
  line("format", summary.format);
  line("name", summary.name);
  line("SHA-256", summary.fingerprint);
  line("inputs", inputs_text(summary));
  line("operators", fmt::format("{}", fmt::join(operators, ", ")));
  if (summary.parameters > 0) {
    line("parameters", fmt::format("{}", summary.parameters));
  }
  line("score", summary.score);
  line("columns", fmt::format("{}{}", summary.width,
                              summary.made_up ? ", made up from the inputs (--training binds it to "
                                                "data)"
                                              : ""));
  line("structure", summary.structure);
  line("gradient", summary.gradient ? "yes" : "no");
  line("search", words(summary.path));
  line("cost", fmt::format("{:.2f} ms for {} rows, on one thread",
                           milliseconds_for(*model, kMeasuredRows), kMeasuredRows));
  return kOk;
}

}  // namespace

void add_model(CLI::App& program, Environment& environment) {
  auto options = std::make_shared<ModelOptions>();
  CLI::App* command =
      program.add_subcommand("model", "Look into model files, of croco and of other programs");
  command->require_subcommand(1);
  set_example(*command, "croco model inspect pipeline.onnx --training german");
  CLI::App* inspector = command->add_subcommand(
      "inspect", "What a model takes, what it is made of, and how croco will search it");
  options->add_remote_to(
      *inspector, inspector->add_option("file", options->model, "Model file")->type_name("FILE"));
  inspector->add_option("--schema", options->schema, "What the columns of the data mean")
      ->type_name("FILE");
  inspector
      ->add_option("--training", options->training,
                   "Data that a model of another program was trained on: binds it to its columns")
      ->type_name("FILE|NAME");
  inspector->callback([options, &environment] { environment.exit_code = inspect(*options); });
}

}  // namespace croco::cli
