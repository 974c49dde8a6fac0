// SPDX-License-Identifier: Apache-2.0
// croco certify: how often does noise undo advice that any tool made?
#include <memory>

#include <fmt/format.h>

#include <apps/cli/answer_options.hpp>
#include <apps/cli/batch_run.hpp>
#include <apps/cli/command.hpp>
#include <apps/cli/json_summary.hpp>
#include <apps/cli/options.hpp>
#include <apps/cli/people.hpp>
#include <apps/cli/print.hpp>
#include <apps/cli/progress.hpp>
#include <apps/cli/remote_watch.hpp>
#include <apps/cli/scores.hpp>
#include <croco/base/error.hpp>
#include <croco/base/in_order.hpp>
#include <croco/base/numbers.hpp>
#include <croco/batch/answer_counts.hpp>
#include <croco/batch/run_outputs.hpp>
#include <croco/explain/advice_stream.hpp>
#include <croco/explain/assess.hpp>
#include <croco/explain/spending.hpp>
#include <croco/report/writer.hpp>

namespace croco::cli {
namespace {

struct CertifyCommand {
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
  std::optional<std::size_t> query_budget;
  std::string missing = "error";
  OutputOptions output;
  bool print = false;
  bool json = false;
};

/// Judged pairs on their way to the files.
struct Judged {
  std::size_t asked = 0;
  std::vector<Explanation> answers;  ///< without those that are dropped
  std::size_t dropped = 0;
  bool stopped = false;
  RunOutputs::Pieces pieces;
};

void print_json(const AnswerCounts& counts, std::optional<double> target) {
  JsonSummary summary;
  summary.add("command", "certify");
  summary.add("rows", counts.rows);
  summary.add("dropped", counts.dropped);
  summary.add("error", counts.of(Status::error));
  summary.add("valid", counts.valid);
  summary.add("break_rules", counts.broken);
  summary.add("target", target);
  summary.add("certified", target ? std::optional(counts.target_met) : std::nullopt);
  print_out("{}\n", summary.text());
  flush_out();
}

void print_summary(const AnswerCounts& counts, std::optional<double> target) {
  print_note(
      "{} of {} valid{}{}\n", counts.valid, counts.rows - counts.dropped,
      counts.dropped > 0 ? fmt::format(", {} dropped for missing values", counts.dropped) : "",
      target ? fmt::format("; {} certified to meet the target of {}", counts.target_met,
                           percent(*target))
             : "");
  if (counts.broken > 0) {
    print_note("note: {} of them {} rules of the schema; the reports name the rules\n",
               counts.broken, counts.broken == 1 ? "breaks" : "break");
  }
}

CertifyOptions certificates(const CertifyCommand& options, const LoadedModel& loaded,
                            std::size_t people) {
  CertifyOptions out = options.proof.resolve(people);
  if (!options.query_budget) return out;
  if (options.proof.samples) {
    throw InvalidArgument(
        "samples is given with query-budget, which sets them; one of them must go");
  }
  return certificates_within(loaded, out, options.target, *options.query_budget);
}

int run(const CertifyCommand& options, const Command& command, const std::stop_token& stop) {
  const MissingPolicy missing = parse_missing(options.missing);
  const LoadedModel loaded = options.model.load(&options.source);
  const RowSource rows = options.source.rows();
  const RowScan scanned = scan(rows);
  const std::vector<std::string> kept = options.kept.resolve(scanned.head, loaded.codec.schema());
  const RowSource advised = RowSource::file(options.counterfactuals);
  AdviceStream pairs(rows, advised, loaded.codec.schema(), kept);
  options.scores.check(loaded, options.goal.resolve(loaded), rows, 0, scanned.rows, missing);
  const AssessOptions asked{.target = options.target,
                            .noise = options.noise.resolve(loaded.codec),
                            .goal = options.goal.resolve(loaded),
                            .certify = certificates(options, loaded, pairs.count()),
                            .models = options.retraining.load(options.model, &options.source,
                                                              loaded, options.proof.threads),
                            .model_change = options.retraining.resolve(),
                            .missing = missing,
                            .shared_draws = !options.proof.independent_samples,
                            .seed = options.proof.seed,
                            .threads = options.proof.threads};
  ReportContext context =
      report_context(loaded, *asked.noise, asked.goal, options.counterfactuals, options.target);
  context.run = report_run(command, pairs.count());
  context.judged = true;
  context.models = asked.models;
  context.noise_assumed = options.noise.is_assumed(loaded.codec.schema());
  context.kept = kept;
  context.identified = options.kept.has_id();
  RunOutputs outputs(
      options.output.make_reports(context),
      run_identity(command, context,
                   {{"the data", scanned.fingerprint}, {"the advice", scan(advised).fingerprint}}),
      pairs.count(), options.output.continuation());
  AnswerCounts counts;
  if (outputs.rows() > 0) {
    counts = answer_counts(outputs.state());
    pairs.skip(counts.rows);
    print_resumed(counts.rows, pairs.count());
  }
  const bool print = options.print || (options.output.paths.empty() && !options.json);
  bool stopped = false;
  keep_on_failure(outputs, [&] {
    const bool remote = loaded.remote != nullptr;
    Progress progress("certifying", remote ? 0 : pairs.count(), counts.rows);
    RemoteWatch watch(loaded, 0, progress);
    // An estimate asks the model too, which a query budget does not pay for.
    if (!options.query_budget) {
      watch.estimate({.people = pairs.count() - counts.rows,
                      .rows = {asked.certify.samples, asked.certify.samples},
                      .batch = kFullBatch,
                      .advice = false,
                      .shorter = "--max-samples and a higher --target"});
    }
    const std::size_t left = (pairs.count() - counts.rows + kBatchOfPeople - 1) / kBatchOfPeople;
    work_in_order<std::vector<AdvisedPerson>, Judged>(
        batches_at_once(options.proof.threads, remote, left),
        [&]() -> std::optional<std::vector<AdvisedPerson>> {
          std::vector<AdvisedPerson> some = pairs.next(kBatchOfPeople);
          if (some.empty() || stop.stop_requested()) return std::nullopt;
          return some;
        },
        [&](const std::vector<AdvisedPerson>& some) {
          Judged out;
          out.asked = some.size();
          out.answers = assess(loaded, some, asked, stop);
          out.stopped = out.answers.size() < some.size();
          if (missing == MissingPolicy::drop) {
            out.dropped = std::erase_if(out.answers, &Explanation::missing);
          }
          out.pieces = outputs.render(out.answers);
          return out;
        },
        [&](const Judged& done) {
          if (done.stopped) return false;
          progress.clear();
          for (const Explanation& answer : done.answers) {
            counts.add(answer, 1);
            if (print) print_out("{}\n", text_block(context, answer));
          }
          counts.rows += done.asked;
          counts.dropped += done.dropped;
          outputs.add(done.pieces, done.asked, json_of(counts));
          if (!remote) progress.update(counts.rows);
          return true;
        });
    stopped = stop.stop_requested() && counts.rows < pairs.count();
    watch.finish();
  });
  if (stopped) return end_interrupted(outputs);
  keep_on_failure(outputs, [&] {
    flush_out();  // what cannot be printed completes no files either
    outputs.finish();
  });
  if (options.json) print_json(counts, options.target);
  print_summary(counts, options.target);
  if (report_failed_rows(counts.failures, counts.of(Status::error)) > 0) return kSomeRowsFailed;
  return options.target && counts.target_met == 0 && counts.rows > 0 ? kNobodyHelped : kOk;
}

}  // namespace

void add_certify(Command& program, Environment& environment) {
  auto options = std::make_shared<CertifyCommand>();
  Command command = program.add_command(
      "certify", "State how often noise undoes counterfactuals that any tool made");
  options->model.add_to(command);
  options->model.add_cost_to(command);
  options->source.add_to(command);
  options->kept.add_to(command);
  options->scores.add_to(command);
  command
      .add_option(
          "--counterfactuals", options->counterfactuals,
          "CSV with the advised records, also .gz or .zst; paired by its column 'row', else in "
          "order")
      .required()
      .type_name("FILE");
  command.add_option("--target", options->target, "Compare the bounds with this rate");
  command
      .add_option("--query-budget", options->query_budget,
                  "Never ask the model for more than N rows per person [no limit]")
      .type_name("N");
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
