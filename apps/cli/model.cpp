// SPDX-License-Identifier: Apache-2.0
// croco model: what a model file holds, and what croco will do with it.
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <apps/cli/command.hpp>
#include <apps/cli/options.hpp>
#include <apps/cli/people.hpp>
#include <apps/cli/print.hpp>
#include <apps/cli/scores.hpp>
#include <croco/base/error.hpp>
#include <croco/loading/model_summary.hpp>
#include <croco/loading/people.hpp>

namespace croco::cli {
namespace {

constexpr std::size_t kMeasuredRows = 10'000;

std::string_view words(ModelPath path) noexcept {
  switch (path) {
    case ModelPath::linear:
      return "linear: rates in closed form where the noise allows it";
    case ModelPath::network:
      return "fast network: samples go through the first layer once";
    case ModelPath::projected:
      return "projected graph: samples go through its affine beginning once";
    case ModelPath::graph:
      return "graph, with its gradient";
    case ModelPath::answers:
      return "gradient-free: from answers alone";
  }
  return "";
}

void line(std::string_view what, std::string_view text) {
  if (!text.empty()) print_out("{:<12} {}\n", what, text);
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

struct ModelCommand {
  ModelOptions model;
  ScoreOptions scores;
  GoalOptions goal;
};

/// The scores of the training data against those of the user.
std::string compare_scores(const ModelCommand& all) {
  const ModelOptions& options = all.model;
  if (options.training.empty()) {
    throw InvalidArgument("scores are those of rows; --training must name them");
  }
  const SourceOptions rows{.data = options.training, .data_dir = {}};
  const LoadedModel loaded = options.load(&rows);
  const RowScan scanned = scan(rows.rows());
  require_rows(scanned);
  return all.scores.compare(loaded, all.goal.resolve(loaded), rows.rows(), 0, scanned.rows);
}

int inspect(const ModelCommand& all) {
  const ModelOptions& options = all.model;
  LoadModelOptions load = options.reading();
  load.encoded = options.encoded;
  if (!options.training.empty()) {
    load.columns = [&] {
      return SourceOptions{.data = options.training, .data_dir = {}}.read().header;
    };
  }
  if (!options.training.empty()) load.training = [&] { return options.training_data(nullptr); };
  const std::optional<RemoteOptions> remote = options.remote_options();
  if (remote && !load.training) load.training = [&] { return options.training_data(nullptr); };
  const auto [summary, model] =
      remote ? summarise_model(*remote, load) : summarise_model(options.model, load);
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
  if (summary.rounds.used < summary.rounds.saved) {
    line("rounds", fmt::format("the first {} of {}", summary.rounds.used, summary.rounds.saved));
  }
  line("gradient", summary.gradient ? "yes" : "no");
  line("search", words(summary.path));
  line("cost", fmt::format("{:.2f} ms for {} rows, on one thread",
                           milliseconds_for(*model, kMeasuredRows), kMeasuredRows));
  if (!all.scores.scores.empty()) {
    line("scores", compare_scores(all));
  } else if (!summary.caution.empty()) {
    print_note("note: {}\n", summary.caution);
  } else if (!remote && !summary.program.empty()) {
    recommend_scores(summary.program);
  }
  return kOk;
}

}  // namespace

void add_model(Command& program, Environment& environment) {
  auto options = std::make_shared<ModelCommand>();
  Command command =
      program.add_command("model", "Inspect model files, of croco and of other programs");
  command.require_command();
  command.set_example("croco model inspect pipeline.onnx --training german");
  Command inspector = command.add_command(
      "inspect", "Show a model's inputs and structure, and how croco will search it");
  ModelOptions& model = options->model;
  model.add_remote_to(inspector,
                      inspector.add_option("file", model.model, "Model file").type_name("FILE"));
  model.add_trees_to(inspector);
  model.add_score_to(inspector);
  inspector.add_option("--schema", model.schema, "What the columns of the data mean")
      .type_name("FILE");
  inspector
      .add_option("--training", model.training,
                  "Data that a model of another program was trained on: binds it to its columns")
      .type_name("FILE|NAME");
  inspector.add_flag("--encoded", model.encoded,
                     "The columns of --training are already in the model's input space");
  options->scores.add_to(inspector);
  inspector
      .add_option("--threshold", options->goal.threshold,
                  "With --scores: the model predicts class 1 when its score exceeds this")
      .show_default("0.5");
  inspector.set_callback([options, &environment] { environment.exit_code = inspect(*options); });
}

}  // namespace croco::cli
