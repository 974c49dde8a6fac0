// SPDX-License-Identifier: Apache-2.0
// croco explain: what each rejected person can change, with a certificate.
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

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
#include <croco/base/deadline.hpp>
#include <croco/base/error.hpp>
#include <croco/base/in_order.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/parallel.hpp>
#include <croco/base/stopped.hpp>
#include <croco/base/stopwatch.hpp>
#include <croco/batch/answer_counts.hpp>
#include <croco/batch/run_outputs.hpp>
#include <croco/data/record_reader.hpp>
#include <croco/kernels/instruction_set.hpp>
#include <croco/loading/people_stream.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/table_report.hpp>
#include <croco/report/writer.hpp>

namespace croco::cli {
namespace {

struct ExplainCommand {
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

void print_summary(const AnswerCounts& counts, std::optional<double> target,
                   std::size_t alternatives) {
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

/// Within a query budget: what the model was asked for.
void print_queries(const AnswerCounts& counts, std::size_t shared) {
  if (counts.asked == 0) return;
  print_note("{} rows asked once for everybody; {} for {} people, {} for one at most\n",
             with_thousands(shared), with_thousands(counts.queries), counts.asked,
             with_thousands(counts.most_queries));
}

JsonSummary json_summary(const AnswerCounts& counts, std::optional<double> target) {
  JsonSummary out;
  out.add("command", "explain");
  out.add("rows", counts.rows);
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
std::size_t batch_of(const ExplainCommand& options, const LoadedModel& loaded) {
  if (options.batch == std::size_t{0}) throw InvalidArgument("batch is 0; it must be at least 1");
  return options.batch.value_or(loaded.remote ? options.model.remote.workers : kBatchOfPeople);
}

/// Requests a stop with `stop`, or when the whole run has had its time.
std::unique_ptr<Deadline> run_deadline(const ExplainCommand& options, const std::stop_token& stop) {
  if (!options.run_time_limit) return nullptr;
  if (!(*options.run_time_limit > 0)) {
    throw InvalidArgument(
        fmt::format("run-time-limit is {} s; it must be more than 0", *options.run_time_limit));
  }
  return std::make_unique<Deadline>(*options.run_time_limit, stop);
}

/// None when `stop` was requested meanwhile, which a surrogate for a query budget leaves time for.
std::optional<Explainer> make_explainer(const LoadedModel& loaded, ExplainOptions options,
                                        const std::stop_token& stop) {
  try {
    return Explainer(loaded, std::move(options), stop);
  } catch (const Stopped&) {
    if (!stop.stop_requested()) throw;
    return std::nullopt;
  }
}

/// Of a run that was stopped before the first person was asked about; the exit code.
int end_unbegun(const ExplainCommand& options, const std::stop_token& interrupt) {
  if (interrupt.stop_requested()) {
    print_err("croco: interrupted; nothing was written\n");
    return kInterrupted;
  }
  print_err(
      "croco: the run's time limit of {:.4g} s was reached before the first row; nothing was "
      "written\n",
      *options.run_time_limit);
  return kSomeRowsFailed;
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

/// What a remote model is going to be asked, which takes a look at every person.
RemoteWork advice_work(const Explainer& explainer, const RowSource& rows, RowOptions::Range range) {
  const ExplainOptions& options = explainer.options();
  const LoadedModel& loaded = explainer.model();
  return {.people = count_refused(*loaded.model, loaded.codec, options.goal, rows, range.begin,
                                  range.end, {options.missing, loaded.models}),
          .rows = rows_of_person(options),
          .reasons = options.reasons,
          .shorter =
              "--search-rows, --max-samples, --reasons off, --time-limit and "
              "--run-time-limit"};
}

/// What the options about printing exclude. A table is made in memory, and about all people.
void require_printable(const ExplainCommand& options, std::size_t people) {
  if (options.words > 0 && !options.table) {
    throw InvalidArgument("words is for --table, which is not given");
  }
  if (options.table && people > kMostOnPage) {
    throw InvalidArgument(
        fmt::format("table is for at most {} people, and this run has {}; choose some with --rows",
                    with_thousands(kMostOnPage), with_thousands(people)));
  }
  if (options.table && options.output.resume) {
    throw InvalidArgument(
        "table is about all people of a run, and --resume answers the rest of them");
  }
  if (options.output.has_standard_output() && (options.print || options.table || options.json)) {
    throw InvalidArgument(
        "output is '-', so that standard output is the report; --print, --table and --json cannot "
        "use it");
  }
}

/// Answers of a batch, on their way from the search to the files.
struct Answered {
  std::size_t asked = 0;
  std::vector<Explanation> answers;  ///< without those that are dropped
  std::size_t dropped = 0;
  RunOutputs::Pieces pieces;

  [[nodiscard]] std::size_t rows() const { return answers.size() + dropped; }
  /// Whether the run was stopped inside the batch.
  [[nodiscard]] bool is_cut() const { return rows() < asked; }
};

/// What is printed about answers, beside the files.
class Printer {
 public:
  Printer(const ExplainCommand& options, const ReportContext& context)
      : options_(options),
        context_(context),
        table_(context),
        print_(options.print || (options.output.paths.empty() && !options.table && !options.json)) {
  }

  void add(const Explanation& answer) {
    // Nobody needs a sentence about each of the many who need no advice.
    if (answer.status == Status::already) return;
    if (options_.table) table_.add(answer);
    if (words_.size() < options_.words) words_.push_back(brief_text_block(context_, answer));
    if (print_) print_out("{}\n", text_block(context_, answer));
  }
  void finish(const AnswerCounts& counts) {
    if (options_.table) print_out("{}", table_.text());
    for (const std::string& text : words_) print_out("\n{}", text);
    if (options_.json) print_out("{}\n", json_summary(counts, context_.target).text());
    flush_out();  // what cannot be printed completes no files either
  }

 private:
  const ExplainCommand& options_;
  const ReportContext& context_;
  TableReport table_;
  std::vector<std::string> words_;
  bool print_;
};

/// Reads, answers and writes batch by batch, several at a time.
void answer_all(const Explainer& explainer, PeopleStream& people, std::size_t batch,
                std::size_t at_once, const std::stop_token& stop, const RunOutputs& outputs,
                const std::function<bool(Answered)>& take) {
  work_in_order<std::vector<Person>, Answered>(
      at_once,
      [&]() -> std::optional<std::vector<Person>> {
        std::vector<Person> some = people.next(batch);
        if (some.empty()) return std::nullopt;
        return some;
      },
      [&](const std::vector<Person>& some) {
        Answered out;
        out.asked = some.size();
        out.answers = explainer.explain(some, stop);
        if (explainer.options().missing == MissingPolicy::drop) {
          out.dropped = std::erase_if(out.answers, &Explanation::missing);
        }
        out.pieces = outputs.render(out.answers);
        return out;
      },
      take);
}

int run(ExplainCommand& options, const Command& command, const std::stop_token& interrupt) {
  const std::unique_ptr<Deadline> deadline = run_deadline(options, interrupt);
  const std::stop_token stop = deadline ? deadline->token() : interrupt;
  options.model.remote.stop = stop;
  require_printable(options, 0);
  const Stopwatch watch_all;
  const LoadedModel loaded = options.model.load(&options.source);
  const double loading = watch_all.read().elapsed;
  const Schema& schema = loaded.codec.schema();
  const RowSource rows = options.source.rows();
  const RowScan scanned = scan(rows);
  require_rows(scanned);
  const RowOptions::Range range = options.rows.resolve(scanned.rows);
  const std::size_t count = range.end - range.begin;
  require_printable(options, count);
  const std::vector<std::string> kept = options.kept.resolve(scanned.head, schema);
  static_cast<void>(RecordReader(schema, scanned.head));  // before anything that takes long
  const AnswerOptions& asked = options.answers;
  ExplainOptions resolved = asked.resolve(loaded, asked.noise.resolve(loaded.codec), count);
  resolved.models = asked.retraining.load(options.model, &options.source, loaded, resolved.threads);
  if (resolved.query_budget) {
    print_note(
        "note: the model is asked for about {} rows once, and a surrogate is fitted on them\n",
        with_thousands(resolved.query_budget->shared_rows));
  }
  const std::optional<Explainer> made = make_explainer(loaded, std::move(resolved), stop);
  if (!made) return end_unbegun(options, interrupt);
  const Explainer& explainer = *made;
  options.scores.check(loaded, explainer.options().goal, rows, range.begin, range.end,
                       explainer.options().missing);
  const std::size_t batch = batch_of(options, loaded);
  ReportContext context = report_context(explainer);
  context.noise_assumed = asked.noise.is_assumed(schema);
  context.kept = kept;
  context.identified = options.kept.has_id();
  context.run = report_run(command, count);
  RunOutputs outputs(options.output.make_reports(context),
                     run_identity(command, context, {{"the data", scanned.fingerprint}}), count,
                     options.output.continuation());
  AnswerCounts counts;
  if (outputs.rows() > 0) {
    counts = answer_counts(outputs.state());
    print_resumed(counts.rows, count);
  }
  const std::size_t begun = counts.rows;
  Printer printer(options, context);
  keep_on_failure(outputs, [&] {
    Progress progress("explaining", count, begun);
    RemoteWatch watch(loaded, count, progress);
    // An estimate would ask the model about everybody, which a query budget does not pay for.
    const bool estimated = watch.is_remote() && !explainer.options().query_budget;
    if (estimated) watch.estimate(advice_work(explainer, rows, range));
    PeopleStream people(rows, schema, range.begin + begun, range.end, kept);
    // People with a limit on their time share the processors with nobody else.
    const bool alone = loaded.remote != nullptr || asked.time_limit || asked.prove_time;
    const std::size_t at_once =
        batches_at_once(asked.proof.threads, alone, (count - begun + batch - 1) / batch);
    answer_all(explainer, people, batch, at_once, stop, outputs, [&](const Answered& done) {
      progress.clear();
      for (const Explanation& answer : done.answers) {
        counts.add(answer, asked.alternatives);
        printer.add(answer);
      }
      counts.rows += done.rows();
      counts.dropped += done.dropped;
      outputs.add(done.pieces, done.rows(), json_of(counts));
      watch.set_done(counts.rows);
      progress.update(counts.rows);
      return !done.is_cut();
    });
    progress.clear();
    watch.finish();
  });
  if (counts.rows < count && interrupt.stop_requested() && outputs.can_resume()) {
    return end_interrupted(outputs);
  }
  keep_on_failure(outputs, [&] {
    printer.finish(counts);
    outputs.finish();
  });
  if (!options.json) {
    print_summary(counts, context.target, asked.alternatives);
    print_queries(counts, explainer.shared_queries());
  }
  print_times(watch_all.read(), loading, counts.rows - begun, asked.proof.threads);
  if (counts.rows < count) {
    if (interrupt.stop_requested()) {
      print_err("croco: interrupted; finished rows have been written\n");
      return kInterrupted;
    }
    print_err(
        "croco: the run's time limit of {:.4g} s was reached after {} of {} rows; they have "
        "been written\n",
        *options.run_time_limit, counts.rows, count);
    return kSomeRowsFailed;
  }
  if (report_failed_rows(counts.failures, counts.of(Status::error)) > 0) return kSomeRowsFailed;
  return counts.nobody_helped() ? kNobodyHelped : kOk;
}

}  // namespace

void add_explain(Command& program, Environment& environment) {
  auto options = std::make_shared<ExplainCommand>();
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
