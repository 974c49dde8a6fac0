// SPDX-License-Identifier: Apache-2.0
// croco explain: what each rejected person can change, with a certificate.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

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
#include <croco/base/deadline.hpp>
#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/parallel.hpp>
#include <croco/base/stopwatch.hpp>
#include <croco/kernels/instruction_set.hpp>
#include <croco/loading/people.hpp>
#include <croco/report/table_report.hpp>
#include <croco/report/writer.hpp>

namespace croco::cli {
namespace {

struct Options {
  ModelOptions model;
  SourceOptions source;
  RowOptions rows;
  KeptOptions kept;
  ScoreOptions scores;
  AnswerOptions answers;
  std::optional<std::size_t> batch;
  std::optional<double> run_time_limit;
  OutputOptions output;
  bool print = false;
  bool table = false;
  bool json = false;
  std::size_t words = 0;
};

/// How many answers of each kind a run gave.
struct Counts {
  std::size_t by_status[kStatuses] = {};
  std::size_t target_met = 0;
  std::size_t all_alternatives = 0;  ///< people with as many as were asked for
  std::size_t dropped = 0;
  std::vector<std::string> failures;

  void add(const Explanation& answer) {
    ++by_status[static_cast<std::size_t>(answer.status)];
    target_met += answer.target_met.value_or(false) ? 1U : 0U;
    if (answer.status == Status::error) failures.push_back(answer.reason);
  }
  [[nodiscard]] std::size_t of(Status status) const {
    return by_status[static_cast<std::size_t>(status)];
  }
  /// Whether there were people who need advice, and none got any that meets the method's rule.
  [[nodiscard]] bool nobody_helped() const {
    return of(Status::found) == 0 &&
           of(Status::unmet) + of(Status::infeasible) + of(Status::undecided) > 0;
  }
};

void print_summary(const Counts& counts, std::optional<double> target, std::size_t alternatives) {
  std::string text = fmt::format(
      "{} with advice, {} with advice that misses the method's own rule, {} infeasible, {} already "
      "accepted",
      counts.of(Status::found), counts.of(Status::unmet), counts.of(Status::infeasible),
      counts.of(Status::already));
  if (counts.of(Status::undecided) > 0) {
    text += fmt::format(", {} undecided with these samples", counts.of(Status::undecided));
  }
  if (counts.dropped > 0) text += fmt::format(", {} dropped for missing values", counts.dropped);
  if (counts.of(Status::error) > 0) {
    text += fmt::format(", {} that could not be read", counts.of(Status::error));
  }
  if (target) {
    text +=
        fmt::format("; {} certified to meet the target of {}", counts.target_met, percent(*target));
  }
  if (alternatives > 1) {
    text += fmt::format("; {} with {} alternatives", counts.all_alternatives, alternatives);
  }
  print_note("{}\n", text);
}

JsonSummary json_summary(const Counts& counts, std::size_t rows, std::optional<double> target) {
  JsonSummary out;
  out.add("command", "explain");
  out.add("rows", rows);
  for (std::size_t i = 0; i < kStatuses; ++i) {
    out.add(std::string(name_of(static_cast<Status>(i))), counts.by_status[i]);
  }
  out.add("dropped", counts.dropped);
  out.add("target", target);
  out.add("certified", target ? std::optional(counts.target_met) : std::nullopt);
  return out;
}

/// People whose answers are made together. Those of a remote model take long, so that no more
/// are begun than its workers can serve: what is finished is written before the next begin.
std::size_t batch_of(const Options& options, const LoadedModel& loaded) {
  constexpr std::size_t kBatch = 256;
  if (options.batch == std::size_t{0}) throw InvalidArgument("batch is 0; it must be at least 1");
  return options.batch.value_or(loaded.remote ? options.model.remote.workers : kBatch);
}

/// Requests a stop with `stop`, or when the whole run has had its time.
std::unique_ptr<Deadline> run_deadline(const Options& options, const std::stop_token& stop) {
  if (!options.run_time_limit) return nullptr;
  if (!(*options.run_time_limit > 0)) {
    throw InvalidArgument(
        fmt::format("run-time-limit is {} s; it must be more than 0", *options.run_time_limit));
  }
  return std::make_unique<Deadline>(*options.run_time_limit, stop);
}

/// With --verbose: where the time went.
void print_times(const Duration& all, double loading, std::size_t people, unsigned threads) {
  const double answering = all.elapsed - loading;
  print_detail(
      "{:.3f} s to load the model, {:.3f} s for {} people ({:.2f} ms each), {:.3f} s of processor "
      "time; {} threads, {} instructions\n",
      loading, answering, people,
      people == 0 ? 0.0 : 1000 * answering / static_cast<double>(people), all.processor,
      thread_count(threads), instruction_set());
}

/// Says that a run ended early, and why.
int end_early(const Options& options, std::size_t done, std::size_t people, bool interrupted) {
  if (interrupted) {
    print_err("croco: interrupted; finished rows have been written\n");
    return kInterrupted;
  }
  print_err(
      "croco: the run's time limit of {:.4g} s was reached after {} of {} rows; they have "
      "been written\n",
      *options.run_time_limit, done, people);
  return kSomeRowsFailed;
}

RemoteWork work_of(const Explainer& explainer, std::span<const Person> people) {
  const ExplainOptions& options = explainer.options();
  const LoadedModel& loaded = explainer.model();
  return {.people = count_refused(*loaded.model, loaded.codec, options.goal, people,
                                  {options.missing, loaded.models}),
          .rows = rows_of_person(options),
          .reasons = options.reasons,
          .shorter =
              "--search-rows, --max-samples, --reasons off, --time-limit and "
              "--run-time-limit"};
}

int run(Options& options, const Command& command, const std::stop_token& interrupt) {
  const std::unique_ptr<Deadline> deadline = run_deadline(options, interrupt);
  const std::stop_token stop = deadline ? deadline->token() : interrupt;
  options.model.remote.stop = stop;
  if (options.words > 0 && !options.table) {
    throw InvalidArgument("words is for --table, which is not given");
  }
  const Stopwatch watch_all;
  const LoadedModel loaded = options.model.load(&options.source);
  const double loading = watch_all.read().elapsed;
  const CsvTable table = options.source.read();
  require_rows(table);
  const RowOptions::Range range = options.rows.resolve(table.rows.size());
  const std::vector<std::string> kept = options.kept.resolve(table, loaded.codec.schema());
  const std::vector<Person> people =
      read_people(table, loaded.codec.schema(), range.begin, range.end, kept);
  const AnswerOptions& asked = options.answers;
  ExplainOptions resolved = asked.resolve(loaded, asked.noise.resolve(loaded.codec), people.size());
  resolved.models = asked.retraining.load(options.model, &options.source, loaded, resolved.threads);
  const Explainer explainer(loaded, std::move(resolved));
  const MissingPolicy missing = explainer.options().missing;
  options.scores.check(loaded, explainer.options().goal, table, people, missing);
  const std::optional<double> target = target_of(explainer.options().method);
  ReportContext context = report_context(explainer);
  context.noise_assumed = asked.noise.is_assumed(loaded.codec.schema());
  context.kept = kept;
  context.identified = options.kept.has_id();
  context.run = report_run(command, people.size());
  const auto writers = options.output.make_writers(context);

  const bool print =
      options.print || (options.output.paths.empty() && !options.table && !options.json);
  TableReport people_table(context);
  std::vector<std::string> in_words;
  Counts counts;
  Progress progress("explaining", people.size());
  RemoteWatch watch(loaded, people.size(), progress);
  if (watch.is_remote()) watch.estimate(work_of(explainer, people));
  const std::size_t batch = batch_of(options, loaded);
  std::size_t done = 0;
  for (bool ended = false; done < people.size() && !ended;) {
    const auto part = std::span(people).subspan(done, std::min(batch, people.size() - done));
    const std::vector<Explanation> answers = explainer.explain(part, stop);
    ended = answers.size() < part.size();
    progress.clear();
    for (const Explanation& answer : answers) {
      if (answer.missing && missing == MissingPolicy::drop) {
        ++counts.dropped;
        continue;
      }
      counts.add(answer);
      counts.all_alternatives +=
          answer.alternatives.size() + 1 == asked.alternatives && answer.alternative > 0 ? 1U : 0U;
      for (const auto& writer : writers) writer->write(answer);
      // Nobody needs a sentence about each of the many who need no advice.
      if (answer.status == Status::already) continue;
      if (options.table) people_table.add(answer);
      if (in_words.size() < options.words) in_words.push_back(brief_text_block(context, answer));
      if (print) print_out("{}\n", text_block(context, answer));
    }
    done += answers.size();
    watch.set_done(done);
    progress.update(done);
  }
  progress.clear();
  watch.finish();
  if (options.table) print_out("{}", people_table.text());
  for (const std::string& text : in_words) print_out("\n{}", text);
  if (options.json) print_out("{}\n", json_summary(counts, done, target).text());
  flush_out();  // what cannot be printed leaves no files either
  for (const auto& writer : writers) writer->finish();
  if (!options.json) print_summary(counts, target, asked.alternatives);
  print_times(watch_all.read(), loading, done, asked.proof.threads);
  if (done < people.size()) {
    return end_early(options, done, people.size(), interrupt.stop_requested());
  }
  if (report_failed_rows(counts.failures) > 0) return kSomeRowsFailed;
  return counts.nobody_helped() ? kNobodyHelped : kOk;
}

}  // namespace

void add_explain(Command& program, Environment& environment) {
  auto options = std::make_shared<Options>();
  Command command = program.add_command(
      "explain", "Say what each person can change to get the wanted answer, and certify it");
  options->model.add_to(command);
  options->model.add_cost_to(command);
  options->source.add_to(command);
  options->rows.add_to(command);
  options->kept.add_to(command);
  options->scores.add_to(command);
  options->answers.add_to(command);
  command.add_option("--batch", options->batch,
                     "People per batch; results do not depend on it [256; remote models: as many "
                     "as --model-workers]");
  command
      .add_option("--run-time-limit", options->run_time_limit,
                  "Time limit for the whole run: the people finished by then are written, the "
                  "others are left out [no limit]")
      .type_name("SECONDS");
  options->output.add_to(command);
  command.add_flag("--print", options->print, "Print the answers even when writing files");
  command.add_flag("--table", options->table,
                   "Print a table: the noise once, then what each person changes, the cost and the "
                   "certified failure rate");
  command.add_flag("--json", options->json,
                   "Print a summary of the run as JSON, and answers with --print only");
  command
      .add_option("--words", options->words,
                  "With --table: also print the first N answers in words")
      .type_name("N")
      .show_default();
  command.set_example(
      "croco explain --model german.json --data german --rows 0:20 --target 0.2 \\\n"
      "      --noise gaussian --noise-scale duration=1 --noise-scale credit_amount=250 \\\n"
      "      --noise-on continuous --output advice.csv\n"
      "The exit code is 7 when people need advice and nobody gets any that meets the "
      "method's rule.");
  command.set_callback([options, command, &environment] {
    environment.exit_code = run(*options, command, environment.stop());
  });
}

}  // namespace croco::cli
