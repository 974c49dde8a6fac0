// SPDX-License-Identifier: Apache-2.0
// croco evaluate: methods and counterfactuals side by side, in a table.
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/options.hpp>
#include <apps/cli/people.hpp>
#include <apps/cli/print.hpp>
#include <apps/cli/progress.hpp>
#include <apps/cli/remote_watch.hpp>
#include <apps/cli/retraining_options.hpp>
#include <apps/cli/scores.hpp>
#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/numbers.hpp>
#include <croco/experiment/summary.hpp>
#include <croco/explain/assess.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/explain/model_change_answers.hpp>
#include <croco/explain/pairing.hpp>
#include <croco/loading/people.hpp>

namespace croco::cli {
namespace {

struct Options {
  ModelOptions model;
  SourceOptions source;
  RowOptions rows;
  ScoreOptions scores;
  NoiseOptions noise;
  GoalOptions goal;
  ProofOptions proof;
  MethodOptions search;
  RetrainingOptions retraining;
  std::vector<std::string> methods;
  std::vector<std::string> counterfactuals;
  std::string missing = "error";
  std::string output;
};

using Row = std::vector<std::string>;

/// The cost is named by its kind: cost_l1, cost_mad or cost_percentile.
const Row kHeader{"method",
                  "people",
                  "advice",
                  "rule_met",
                  "validity",
                  "l0",
                  "l1",
                  "l1_median",
                  "l2",
                  "linf",
                  "cost",
                  "rate",
                  "rate_upper",
                  "rate_above_target",
                  "bound_above_target",
                  "ms_per_person"};

std::string optional_text(const std::optional<double>& value, double factor, int decimals) {
  return value ? format_fixed(*value * factor, decimals) : "";
}

Row table_row(const Summary& summary) {
  return {summary.name,
          std::to_string(summary.people - summary.already - summary.errors),
          std::to_string(summary.advised),
          std::to_string(summary.rule_met),
          format_fixed(summary.validity, 4),
          format_fixed(summary.l0, 2),
          format_fixed(summary.l1, 4),
          format_fixed(summary.l1_median, 4),
          format_fixed(summary.l2, 4),
          format_fixed(summary.linf, 4),
          format_fixed(summary.cost, 4),
          format_fixed(summary.rate, 5),
          format_fixed(summary.upper, 5),
          optional_text(summary.rate_above_target, 1, 4),
          optional_text(summary.bound_above_target, 1, 4),
          optional_text(summary.seconds_per_person, 1e3, 2)};
}

/// With --models, the panel below: what undoes advice, noise on the model in use, retraining alone,
/// or both.
const Row kModelsHeader{"method", "cost", "noise", "retraining", "both", "both_upper"};

Row models_row(const Summary& summary) {
  return {summary.name,
          format_fixed(summary.cost, 4),
          format_fixed(summary.rate, 5),
          optional_text(summary.retraining_rate, 1, 5),
          optional_text(summary.joint_rate, 1, 5),
          optional_text(summary.joint_upper, 1, 5)};
}

/// The columns of the panel that the table does not have.
void add_models_columns(const std::vector<Row>& panel, std::vector<Row>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t c = 3; c < kModelsHeader.size(); ++c) {
      rows[i].push_back(i == 0 ? "models_" + panel[i][c] : panel[i][c]);
    }
  }
}

void print_table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows[0].size());
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += c == 0 ? fmt::format("{:<{}}", row[c], widths[c])
                     : fmt::format("  {:>{}}", row[c], widths[c]);
    }
    print_out("{}\n", line);
  }
}

/// What one method asks of a remote model.
RemoteWork work_of(const Explainer& explainer, std::span<const Person> people) {
  const ExplainOptions& options = explainer.options();
  const LoadedModel& loaded = explainer.model();
  return {.people = count_refused(*loaded.model, loaded.codec, options.goal, people,
                                  {options.missing, loaded.models}),
          .rows = rows_of_person(options),
          .shorter = "--search-rows, --samples and fewer --rows"};
}

int run(const Options& options, const std::stop_token& stop) {
  if (options.methods.empty() && options.counterfactuals.empty()) {
    throw InvalidArgument("evaluate was given neither --method nor --counterfactuals");
  }
  require_open_unit("target", options.search.target);
  const MissingPolicy missing = parse_missing(options.missing);
  const LoadedModel loaded = options.model.load(&options.source);
  require_threshold(loaded, options.goal.resolve(loaded).threshold());
  const CsvTable table = options.source.read();
  require_rows(table);
  const RowOptions::Range range = options.rows.resolve(table.rows.size());
  const std::vector<Person> people =
      read_people(table, loaded.codec.schema(), range.begin, range.end);
  const Noise noise = options.noise.resolve(loaded.codec);
  const Goal goal = options.goal.resolve(loaded);
  options.scores.check(loaded, goal, table, people, missing);
  const CertifyOptions certify_options = options.proof.resolve_fixed();
  std::vector<Row> rows{kHeader};
  std::ranges::replace(rows[0], "cost", fmt::format("cost_{}", name_of(loaded.codec.cost_kind())));
  std::vector<std::string> failures;
  const auto drop = [&](std::vector<Explanation>& answers) {
    if (missing == MissingPolicy::drop) std::erase_if(answers, &Explanation::missing);
  };
  Progress progress("evaluating", 0);
  RemoteWatch watch(loaded, 0, progress);
  const auto models =
      options.retraining.load(options.model, &options.source, loaded, options.proof.threads);
  const ModelChangeOptions change = options.retraining.resolve();
  std::vector<Row> panel{kModelsHeader};
  const auto add = [&](const Summary& summary) {
    rows.push_back(table_row(summary));
    panel.push_back(models_row(summary));
  };
  // The certified method twice: for the model in use alone, and for retrained ones too.
  struct Entry {
    std::string name;
    bool with_models;
  };
  std::vector<Entry> entries;
  for (const std::string& name : options.methods) {
    entries.push_back({name, false});
    if (models && name == "certified") entries.push_back({name, true});
  }
  for (const auto& [name, with_models] : entries) {
    const auto start = std::chrono::steady_clock::now();
    ExplainOptions asked{.method = options.search.resolve_one_of_several(name, options.proof),
                         .noise = noise,
                         .goal = goal,
                         .certify = certify_options,
                         .missing = missing,
                         .shared_draws = !options.proof.independent_samples,
                         .seed = options.proof.seed,
                         .threads = options.proof.threads,
                         .reasons = false};
    if (with_models) {
      asked.models = models;
      asked.model_change = change;
    }
    const Explainer explainer(loaded, std::move(asked));
    if (watch.is_remote()) watch.estimate(work_of(explainer, people));
    std::vector<Explanation> answers = explainer.explain(people, stop);
    if (answers.size() < people.size()) return kInterrupted;
    drop(answers);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (failures.empty()) {
      for (const Explanation& answer : answers) {
        if (answer.status == Status::error) failures.push_back(answer.reason);
      }
    }
    if (models && !with_models) {  // points that were found without them
      std::vector<Explanation*> all;
      for (Explanation& answer : answers) all.push_back(&answer);
      ModelChangeOptions judging = change;
      judging.target = options.search.target;
      add_model_changes(explainer.problem(), certifying_models(*models), judging,
                        options.proof.threads, all, stop);
      if (stop.stop_requested()) return kInterrupted;
    }
    add(summarize(with_models ? name + "+models" : name, answers, options.search.target,
                  elapsed.count()));
  }
  const AssessOptions judged{.target = options.search.target,
                             .noise = noise,
                             .goal = goal,
                             .certify = certify_options,
                             .models = models,
                             .model_change = change,
                             .missing = missing,
                             .shared_draws = !options.proof.independent_samples,
                             .seed = options.proof.seed,
                             .threads = options.proof.threads};
  for (const std::string& text : options.counterfactuals) {
    const auto [name, file] = parse_named_file(text);
    std::vector<AdvisedPerson> pairs = pair_up(table, read_csv(file), loaded.codec.schema());
    std::erase_if(pairs, [&](const AdvisedPerson& pair) {
      return pair.before.row < range.begin || pair.before.row >= range.end;
    });
    watch.estimate({.people = pairs.size(),
                    .rows = {certify_options.samples, certify_options.samples},
                    .batch = kFullBatch,
                    .advice = false,
                    .shorter = "--samples and fewer --rows"});
    std::vector<Explanation> answers = assess(loaded, pairs, judged, stop);
    if (stop.stop_requested()) return kInterrupted;
    drop(answers);
    for (const Explanation& answer : answers) {
      if (answer.status == Status::error) failures.push_back(answer.reason);
    }
    add(summarize(name, answers, options.search.target, std::nullopt));
  }
  watch.finish();
  print_table(rows);
  if (models) {
    print_out(
        "\nFailure rates: noise on the model in use; retraining alone ({} models that no "
        "search saw); both\n",
        models->certify.size());
    print_table(panel);
    add_models_columns(panel, rows);
  }
  flush_out();
  if (!options.output.empty()) {
    std::string text;
    for (const Row& row : rows) text += csv_record(row);
    write_file(options.output, text);
  }
  return report_failed_rows(failures) > 0 ? kSomeRowsFailed : kOk;
}

}  // namespace

void add_evaluate(Command& program, Environment& environment) {
  auto options = std::make_shared<Options>();
  Command command = program.add_command(
      "evaluate", "Compare methods, or counterfactuals of other tools, on the same people");
  options->model.add_to(command);
  options->model.add_cost_to(command);
  options->source.add_to(command);
  options->rows.add_to(command);
  options->scores.add_to(command);
  command
      .add_option("--method", options->methods,
                  "certified, croco, probe or wachter; may be repeated")
      .delimiter(',');
  command
      .add_option("--counterfactuals", options->counterfactuals,
                  "Advice of another tool, as in `croco certify`; may be repeated")
      .type_name("NAME=FILE");
  options->search.add_to(command);
  options->noise.add_to(command);
  options->goal.add_to(command);
  options->proof.add_fixed_to(command);
  options->retraining.add_to(command);
  add_missing_option(command, options->missing);
  command.add_option("--output", options->output, "Write the table as CSV").type_name("FILE");
  command.set_example(
      "croco evaluate --model german.json --data german --method croco,wachter \\\n"
      "      --noise gaussian:sd=0.05 --noise-on continuous --target 0.2");
  command.set_callback([options, &environment] {
    options->model.remote.stop = environment.stop();
    environment.exit_code = run(*options, environment.stop());
  });
}

}  // namespace croco::cli
