// SPDX-License-Identifier: Apache-2.0
// croco retrain: the models that the one in use might be replaced by.
#include <croco/loading/retrain.hpp>

#include <chrono>
#include <memory>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/people.hpp>
#include <apps/cli/print.hpp>
#include <apps/cli/progress.hpp>
#include <apps/cli/training_options.hpp>
#include <croco/base/error.hpp>

namespace croco::cli {
namespace {

struct RetrainCommand {
  SourceOptions source;
  std::string schema;
  std::string like;
  std::string resample = "bootstrap";
  std::string output;
  RetrainOptions retrain;
  TrainingOptions training;
};

int run(RetrainCommand& options, const std::stop_token& stop) {
  RetrainOptions& retrain_options = options.retrain;
  retrain_options.train.resample = parse_resample(options.resample);
  retrain_options.missing = options.training.resolve(retrain_options.train);
  LoadModelOptions loading;
  if (!options.schema.empty()) loading.schema = read_schema(options.schema);
  const LoadedModel like = load_model(options.like, loading);
  const CsvTable table = options.source.read();
  require_rows(table);
  const auto start = std::chrono::steady_clock::now();
  Progress progress("training", retrain_options.count);
  const Retrained done = retrain(
      table, like, options.output, retrain_options,
      [&](std::size_t there) { progress.update(there); }, stop);
  progress.clear();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (!done.finished) {
    print_err("croco: interrupted; {} models are in {}, and the same command goes on from there\n",
              done.kept + done.trained, options.output);
    return kInterrupted;
  }
  print_out("{} models trained in {:.1f} s, {} were there already\n", done.trained, elapsed.count(),
            done.kept);
  flush_out();
  print_err("wrote {}\n", options.output);
  return kOk;
}

}  // namespace

void add_retrain(Command& program, Environment& environment) {
  auto options = std::make_shared<RetrainCommand>();
  TrainOptions& train = options->retrain.train;
  Command command = program.add_command(
      "retrain", "Train the models that a network of croco might be replaced by");
  options->source.add_to(command);
  command.add_option("--like", options->like, "Model in use, from croco train")
      .required()
      .type_name("FILE");
  command.add_option("--schema", options->schema, "Schema that replaces the model's own")
      .type_name("FILE");
  command.add_option("--output", options->output, "Folder of the models and their manifest")
      .required()
      .type_name("DIR");
  command.add_option("--count", options->retrain.count, "Number of models").show_default();
  command
      .add_option("--resample", options->resample,
                  "What differs from model to model: seed (initial weights and batches alone), "
                  "bootstrap (rows with replacement too) or half (half of the rows too)")
      .show_default();
  options->training.add_to(command, train);
  command.add_option("--seed", train.seed, "Seed of the models' own seeds").show_default();
  command
      .add_option("--threads", options->retrain.threads,
                  "Number of threads; 0 for all cores. The models do not depend on it")
      .show_default();
  command.set_example(
      "croco retrain --data german --like german.json --count 150 --output retrained\n"
      "  croco explain --model german.json --data german --models 'retrained/*' --target 0.1");
  command.set_callback(
      [options, &environment] { environment.exit_code = run(*options, environment.stop()); });
}

}  // namespace croco::cli
