// SPDX-License-Identifier: Apache-2.0
// croco train: fit logistic regression or a network on a CSV.
#include <croco/models/training/train.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/people.hpp>
#include <apps/cli/print.hpp>
#include <apps/cli/progress.hpp>
#include <apps/cli/training_options.hpp>
#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/data/infer.hpp>
#include <croco/loading/fitted_model.hpp>

namespace croco::cli {
namespace {

struct TrainCommand {
  SourceOptions source;
  std::string schema;
  std::string label;
  std::string favourable;
  std::string kind = "mlp";
  std::string activation = "relu";
  std::string output;
  TrainOptions train;
  TrainingOptions training;
};

Schema find_schema(const TrainCommand& options, const CsvTable& table) {
  if (!options.schema.empty()) return read_schema(options.schema);
  if (!options.label.empty()) {
    Inference inference =
        infer_schema(table, {.label = options.label, .favourable = options.favourable});
    for (const std::string& note : inference.notes) print_note("note: {}\n", note);
    return std::move(inference.schema);
  }
  if (const CatalogEntry* entry = options.source.entry()) return catalog_schema(*entry);
  throw InvalidArgument(
      "train was given neither --schema nor --label; one must say which column is predicted");
}

void print_metrics(std::string_view name, const ClassificationMetrics& metrics,
                   const LabelColumn& label) {
  if (metrics.count == 0) return;
  const auto& c = metrics.confusion;
  const std::size_t width =
      std::max({label.favourable.size(), label.unfavourable.size(), std::size_t{8}});
  print_out("{}: {} rows, accuracy {:.4f}, AUC {:.4f}\n", name, metrics.count, metrics.accuracy,
            metrics.auc);
  print_out("  {:>{}}  {:>{}}  {:>{}}\n", "actual \\ predicted", width + 7, label.unfavourable,
            width, label.favourable, width);
  print_out("  {:>{}}  {:>{}}  {:>{}}\n", label.unfavourable, width + 11, c[0][0], width, c[0][1],
            width);
  print_out("  {:>{}}  {:>{}}  {:>{}}\n", label.favourable, width + 11, c[1][0], width, c[1][1],
            width);
}

int run(TrainCommand& options, const std::stop_token& stop) {
  options.train.activation = parse_activation(options.activation);
  if (options.kind != "mlp" && options.kind != "logistic") {
    throw InvalidArgument(fmt::format("kind is '{}'; it must be mlp or logistic", options.kind));
  }
  if (options.kind == "logistic") options.train.hidden.clear();
  validate(options.train);

  const MissingPolicy missing = options.training.resolve(options.train);
  const CsvTable table = options.source.read();
  require_rows(table);
  const auto start = std::chrono::steady_clock::now();
  Progress progress("training", options.train.epochs);
  const FittedModel fitted = fit_model(
      table, find_schema(options, table), missing, options.train,
      std::filesystem::path(options.source.data).stem().string(),
      [&](const TrainProgress& epoch) {
        progress.update(epoch.epoch, fmt::format("validation loss {:.4f}", epoch.validation_loss));
      },
      stop);
  progress.clear();
  if (stop.stop_requested()) {
    print_err("croco: interrupted; no model was written\n");
    return kInterrupted;
  }
  if (fitted.dropped > 0) {
    print_note("{} rows dropped for missing values\n", fitted.dropped);
  }
  const TrainResult& result = fitted.result;
  const LabelColumn& label = fitted.codec.schema().label;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  print_out("{} parameters, best of {} epochs was number {}, {:.1f} s\n",
            result.model->parameter_count(), result.epochs, result.best_epoch, elapsed.count());
  print_metrics("training", result.train, label);
  print_metrics("test", result.test, label);
  flush_out();
  write_file(options.output, fitted.file);
  print_note("wrote {}\n", options.output);
  return kOk;
}

}  // namespace

void add_train(Command& program, Environment& environment) {
  auto options = std::make_shared<TrainCommand>();
  TrainOptions& train = options->train;
  Command command = program.add_command("train", "Fit logistic regression or a network on a CSV");
  options->source.add_to(command);
  command.add_option("--schema", options->schema, "Schema of the columns").type_name("FILE");
  command.add_option("--label", options->label,
                     "Column to predict; the rest of the schema is inferred");
  command.add_option(
      "--favourable", options->favourable,
      "With --label: its value that is class 1 [guessed where the name and values suggest it]");
  command.add_option("--output", options->output, "Model file to write")
      .required()
      .type_name("FILE");
  command.add_option("--kind", options->kind, "mlp or logistic").show_default();
  command.add_option("--hidden", train.hidden, "Units of each hidden layer, such as 64,32")
      .delimiter(',')
      .show_default();
  command
      .add_option("--activation", options->activation,
                  "relu, leaky_relu, tanh, sigmoid, elu or gelu")
      .show_default();
  options->training.add_to(command, train);
  command.add_option("--seed", train.seed, "Seed of splits, weights and batches").show_default();
  command.set_example("croco train --data german --output german.json");
  command.set_callback(
      [options, &environment] { environment.exit_code = run(*options, environment.stop()); });
}

}  // namespace croco::cli
