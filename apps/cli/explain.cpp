// SPDX-License-Identifier: Apache-2.0
// croco explain: what each rejected person can change, with a certificate.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/options.hpp>
#include <apps/cli/people.hpp>
#include <apps/cli/progress.hpp>
#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/explain/people.hpp>
#include <croco/report/writer.hpp>

namespace croco::cli {
namespace {

struct Options {
  ModelOptions model;
  SourceOptions source;
  RowOptions rows;
  NoiseOptions noise;
  GoalOptions goal;
  ProofOptions proof;
  MethodOptions search;
  std::string method = "certified";
  std::string missing = "error";
  std::string reasons = "on";
  std::optional<double> time_limit;
  std::optional<std::size_t> max_changes;
  std::size_t ways = 1;
  bool disjoint = false;
  std::size_t batch = 256;
  std::vector<std::string> outputs;
  bool print = false;
  bool prove = false;
  std::optional<double> prove_time;
  std::optional<double> prove_gap;
  std::optional<std::size_t> prove_draws;

  /// Throws InvalidArgument when a setting is given without --prove.
  [[nodiscard]] std::optional<ProveOptions> resolve_prove() const {
    if (!prove) {
      const auto refuse = [](bool given, std::string_view option) {
        if (!given) return;
        throw InvalidArgument(fmt::format("{} is for --prove, which is not given", option));
      };
      refuse(prove_time.has_value(), "prove-time");
      refuse(prove_gap.has_value(), "prove-gap");
      refuse(prove_draws.has_value(), "prove-draws");
      return std::nullopt;
    }
    ProveOptions out{.confidence = proof.confidence, .seconds = prove_time};
    out.gap = prove_gap.value_or(out.gap);
    out.samples = prove_draws.value_or(out.samples);
    return out;
  }
};

/// How many answers of each kind a run gave.
struct Counts {
  std::size_t by_status[kStatuses] = {};
  std::size_t target_met = 0;
  std::size_t all_options = 0;  ///< people with as many options as were asked for
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
};

bool parse_reasons(const std::string& text) {
  if (text == "on") return true;
  if (text == "off") return false;
  throw InvalidArgument(fmt::format("reasons is '{}'; it must be on or off", text));
}

void print_summary(const Counts& counts, std::optional<double> target, std::size_t ways) {
  std::string text = fmt::format(
      "{} with advice, {} with advice that misses the method's own rule, {} infeasible, {} already "
      "accepted",
      counts.of(Status::found), counts.of(Status::unmet), counts.of(Status::infeasible),
      counts.of(Status::already));
  if (counts.of(Status::undecided) > 0) {
    text += fmt::format(", {} undecided with these draws", counts.of(Status::undecided));
  }
  if (counts.dropped > 0) text += fmt::format(", {} dropped for missing values", counts.dropped);
  if (counts.of(Status::error) > 0) {
    text += fmt::format(", {} that could not be read", counts.of(Status::error));
  }
  if (target) {
    text += fmt::format("; {} certified to meet the target of {}", counts.target_met,
                        percent(*target));
  }
  if (ways > 1) text += fmt::format("; {} with {} options", counts.all_options, ways);
  fmt::print(stderr, "{}\n", text);
}

int run(const Options& options, const std::stop_token& stop) {
  if (options.batch == 0) throw InvalidArgument("batch is 0; it must be at least 1");
  const LoadedModel loaded = options.model.load(&options.source);
  const CsvTable table = options.source.read();
  require_rows(table);
  const RowOptions::Range range = options.rows.resolve(table.rows.size());
  const std::vector<Person> people =
      read_people(table, loaded.codec.schema(), range.begin, range.end);
  const MissingPolicy missing = parse_missing(options.missing);
  Method method = options.search.resolve(options.method, options.proof);
  options.search.fit_to(loaded, options.goal.resolve(), method);
  const Explainer explainer(loaded.model, loaded.codec,
                            {.method = std::move(method),
                             .noise = options.noise.resolve(loaded.codec),
                             .goal = options.goal.resolve(),
                             .certify = options.proof.resolve(people.size()),
                             .prove = options.resolve_prove(),
                             .missing = missing,
                             .shared_draws = !options.proof.own_draws,
                             .seed = options.proof.seed,
                             .threads = options.proof.threads,
                             .reasons = parse_reasons(options.reasons),
                             .time_limit = options.time_limit,
                             .max_changes = options.max_changes,
                             .options = options.ways,
                             .disjoint = options.disjoint});
  const std::optional<double> target = target_of(explainer.options().method);
  ReportContext context = report_context(loaded, explainer.problem(), options.method, target);
  context.proofs = options.prove;
  context.options = options.ways;
  const auto writers = make_writers(options.outputs, context);

  const bool print = options.print || options.outputs.empty();
  Counts counts;
  Progress progress("explaining", people.size());
  bool interrupted = false;
  for (std::size_t begin = 0; begin < people.size() && !interrupted; begin += options.batch) {
    const auto part =
        std::span(people).subspan(begin, std::min(options.batch, people.size() - begin));
    const std::vector<Explanation> answers = explainer.explain(part, stop);
    interrupted = answers.size() < part.size();
    progress.clear();
    for (const Explanation& answer : answers) {
      if (answer.missing && missing == MissingPolicy::drop) {
        ++counts.dropped;
        continue;
      }
      counts.add(answer);
      counts.all_options += answer.others.size() + 1 == options.ways && answer.option > 0 ? 1U : 0U;
      for (const auto& writer : writers) writer->write(answer);
      // Nobody needs a sentence about each of the many who need no advice.
      if (print && answer.status != Status::already) {
        fmt::print("{}\n", text_block(context, answer));
      }
    }
    progress.update(begin + answers.size());
  }
  progress.clear();
  for (const auto& writer : writers) writer->finish();
  std::fflush(stdout);
  print_summary(counts, target, options.ways);
  if (interrupted) {
    fmt::print(stderr, "croco: interrupted; the rows that were finished have been written\n");
    return kInterrupted;
  }
  return report_failed_rows(counts.failures) > 0 ? kSomeRowsFailed : kOk;
}

}  // namespace

void add_explain(CLI::App& program, Environment& environment) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand(
      "explain", "Say what each person can change to get the wanted answer, and certify it");
  options->model.add_to(*command);
  options->model.add_cost_to(*command);
  options->source.add_to(*command);
  options->rows.add_to(*command);
  command->add_option("--method", options->method, "certified, croco, probe or wachter")
      ->capture_default_str();
  options->search.add_to(*command);
  options->noise.add_to(*command);
  options->goal.add_to(*command);
  options->proof.add_to(*command);
  command->add_flag(
      "--prove", options->prove,
      "Also prove what meeting the target costs at least, or that nothing can meet it");
  command->add_option("--prove-gap", options->prove_gap,
                      "With --prove: how near to its own optimum the proof must come [0.005]");
  command->add_option("--prove-draws", options->prove_draws,
                      "With --prove: draws of its sampled problem; more make the bound higher and "
                      "the proof slower [16384]");
  command
      ->add_option("--prove-time", options->prove_time,
                   "With --prove: at most this long per person; results then depend on the "
                   "machine's speed [no limit but on the work]")
      ->type_name("SECONDS");
  command
      ->add_option("--max-changes", options->max_changes,
                   "Features that advice may change at most [as many as the schema says]")
      ->type_name("NUMBER");
  command
      ->add_option("--options", options->ways,
                   "Up to so many different ways per person, cheapest first; none changes all the "
                   "features of a cheaper one, and their certificates hold together")
      ->type_name("NUMBER")
      ->capture_default_str();
  command->add_flag("--disjoint", options->disjoint,
                    "With --options: no two of them change the same feature");
  command->add_option("--missing", options->missing, "Missing values: error, drop or impute")
      ->capture_default_str();
  command
      ->add_option("--reasons", options->reasons,
                   "on or off: for people without certified advice, find out why and what would "
                   "give it (method certified)")
      ->capture_default_str();
  command
      ->add_option(
          "--time-limit", options->time_limit,
          "At most this long per person for the search and the reasons (method certified); "
          "what was best by then is certified. Results then depend on the machine's speed "
          "[no limit]")
      ->type_name("SECONDS");
  command->add_option("--batch", options->batch, "People per batch; no result depends on it")
      ->capture_default_str();
  command
      ->add_option("--output", options->outputs,
                   "File to write, ending in .csv, .jsonl or .html; may be repeated")
      ->type_name("FILE");
  command->add_flag("--print", options->print, "Print the answers even when writing files");
  set_example(*command,
              "croco explain --model german.json --data german --rows 0:20 --target 0.2 \\\n"
              "      --noise gaussian --noise-scale duration=1 --noise-scale credit_amount=250 \\\n"
              "      --noise-on continuous --output advice.csv");
  command->callback(
      [options, &environment] { environment.exit_code = run(*options, environment.stop); });
}

}  // namespace croco::cli
