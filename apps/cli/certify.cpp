// SPDX-License-Identifier: Apache-2.0
// croco certify: how often does noise undo advice that any tool made?
#include <memory>

#include <fmt/format.h>

#include <apps/cli/answer_options.hpp>
#include <apps/cli/command.hpp>
#include <apps/cli/json_summary.hpp>
#include <apps/cli/options.hpp>
#include <apps/cli/people.hpp>
#include <apps/cli/print.hpp>
#include <apps/cli/progress.hpp>
#include <apps/cli/remote_watch.hpp>
#include <apps/cli/scores.hpp>
#include <croco/base/numbers.hpp>
#include <croco/explain/assess.hpp>
#include <croco/explain/pairing.hpp>
#include <croco/loading/people.hpp>
#include <croco/report/writer.hpp>

namespace croco::cli {
namespace {

struct Options {
  ModelOptions model;
  SourceOptions source;
  KeptOptions kept;
  ScoreOptions scores;
  NoiseOptions noise;
  GoalOptions goal;
  ProofOptions proof;
  RetrainingOptions retraining;
  std::string counterfactuals;
  std::optional<double> target;
  std::string missing = "error";
  OutputOptions output;
  bool print = false;
  bool json = false;
};

int run(const Options& options, const Command& command, const std::stop_token& stop) {
  const MissingPolicy missing = parse_missing(options.missing);
  const LoadedModel loaded = options.model.load(&options.source);
  const CsvTable table = options.source.read();
  const std::vector<std::string> kept = options.kept.resolve(table, loaded.codec.schema());
  const std::vector<AdvisedPerson> pairs =
      pair_up(table, read_csv(options.counterfactuals), loaded.codec.schema(), kept);
  options.scores.check(loaded, options.goal.resolve(loaded), table,
                       read_people(table, loaded.codec.schema(), 0, table.rows.size()), missing);
  const AssessOptions asked{.target = options.target,
                            .noise = options.noise.resolve(loaded.codec),
                            .goal = options.goal.resolve(loaded),
                            .certify = options.proof.resolve(pairs.size()),
                            .models = options.retraining.load(options.model, &options.source,
                                                              loaded, options.proof.threads),
                            .model_change = options.retraining.resolve(),
                            .missing = missing,
                            .shared_draws = !options.proof.independent_samples,
                            .seed = options.proof.seed,
                            .threads = options.proof.threads};
  Progress progress("certifying", 0);
  RemoteWatch watch(loaded, 0, progress);
  watch.estimate({.people = pairs.size(),
                  .rows = {asked.certify.samples, asked.certify.samples},
                  .batch = kFullBatch,
                  .advice = false,
                  .shorter = "--max-samples and a higher --target"});
  const std::vector<Explanation> answers = assess(loaded, pairs, asked, stop);
  watch.finish();
  if (stop.stop_requested()) {
    print_err("croco: interrupted; nothing was written\n");
    return kInterrupted;
  }
  ReportContext context =
      report_context(loaded, *asked.noise, asked.goal, options.counterfactuals, options.target);
  context.run = report_run(command, pairs.size());
  context.judged = true;
  context.models = asked.models;
  context.noise_assumed = options.noise.is_assumed(loaded.codec.schema());
  context.kept = kept;
  context.identified = options.kept.has_id();
  const auto writers = options.output.make_writers(context);
  std::vector<std::string> failures;
  std::size_t met = 0;
  std::size_t valid = 0;
  std::size_t broken = 0;
  std::size_t dropped = 0;
  for (const Explanation& answer : answers) {
    if (answer.missing && missing == MissingPolicy::drop) {
      ++dropped;
      continue;
    }
    for (const auto& writer : writers) writer->write(answer);
    if (options.print || (writers.empty() && !options.json))
      print_out("{}\n", text_block(context, answer));
    if (answer.status == Status::error) failures.push_back(answer.reason);
    met += answer.target_met.value_or(false) ? 1U : 0U;
    valid += answer.valid ? 1U : 0U;
    broken += answer.broken && answer.broken->any() ? 1U : 0U;
  }
  flush_out();  // what cannot be printed leaves no files either
  for (const auto& writer : writers) writer->finish();
  if (options.json) {
    JsonSummary summary;
    summary.add("command", "certify");
    summary.add("rows", answers.size());
    summary.add("dropped", dropped);
    summary.add("error", failures.size());
    summary.add("valid", valid);
    summary.add("break_rules", broken);
    summary.add("target", options.target);
    summary.add("certified", options.target ? std::optional(met) : std::nullopt);
    print_out("{}\n", summary.text());
    flush_out();
  }
  print_note("{} of {} valid{}{}\n", valid, answers.size() - dropped,
             dropped > 0 ? fmt::format(", {} dropped for missing values", dropped) : "",
             options.target ? fmt::format("; {} certified to meet the target of {}", met,
                                          percent(*options.target))
                            : "");
  if (broken > 0) {
    print_note("note: {} of them {} rules of the schema; the reports name the rules\n", broken,
               broken == 1 ? "breaks" : "break");
  }
  if (report_failed_rows(failures) > 0) return kSomeRowsFailed;
  return options.target && met == 0 && !answers.empty() ? kNobodyHelped : kOk;
}

}  // namespace

void add_certify(Command& program, Environment& environment) {
  auto options = std::make_shared<Options>();
  Command command = program.add_command(
      "certify", "State how often noise undoes counterfactuals that any tool made");
  options->model.add_to(command);
  options->model.add_cost_to(command);
  options->source.add_to(command);
  options->kept.add_to(command);
  options->scores.add_to(command);
  command
      .add_option("--counterfactuals", options->counterfactuals,
                  "CSV with the advised records; paired by its column 'row', else in order")
      .required()
      .type_name("FILE");
  command.add_option("--target", options->target, "Compare the bounds with this rate");
  options->noise.add_to(command);
  options->goal.add_to(command);
  options->proof.add_to(command);
  options->retraining.add_to(command);
  add_missing_option(command, options->missing);
  options->output.add_to(command);
  command.add_flag("--print", options->print, "Print the answers even when writing files");
  command.add_flag("--json", options->json,
                   "Print a summary of the run as JSON, and answers with --print only");
  command.set_example(
      "croco certify --model german.json --data german --counterfactuals advice.csv \\\n"
      "      --noise gaussian:sd=0.02 --noise-on continuous --confidence 0.999");
  command.set_callback([options, command, &environment] {
    options->model.remote.stop = environment.stop();
    environment.exit_code = run(*options, command, environment.stop());
  });
}

}  // namespace croco::cli
