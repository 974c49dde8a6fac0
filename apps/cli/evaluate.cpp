// SPDX-License-Identifier: Apache-2.0
// croco evaluate: methods and counterfactuals side by side, in a table.
#include <algorithm>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include <apps/cli/batch_run.hpp>
#include <apps/cli/command.hpp>
#include <apps/cli/evaluation_state.hpp>
#include <apps/cli/evaluation_table.hpp>
#include <apps/cli/options.hpp>
#include <apps/cli/people.hpp>
#include <apps/cli/print.hpp>
#include <apps/cli/progress.hpp>
#include <apps/cli/remote_watch.hpp>
#include <apps/cli/retraining_options.hpp>
#include <apps/cli/scores.hpp>
#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/in_order.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/stopwatch.hpp>
#include <croco/batch/run_outputs.hpp>
#include <croco/data/record_reader.hpp>
#include <croco/experiment/evaluation_store.hpp>
#include <croco/explain/advice_stream.hpp>
#include <croco/explain/assess.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/explain/model_change_answers.hpp>
#include <croco/loading/people_stream.hpp>

namespace croco::cli {
namespace {

struct EvaluateCommand {
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
  bool resume = false;
  bool restart = false;

  [[nodiscard]] Continuation continuation() const noexcept {
    if (resume) return Continuation::resume;
    return restart ? Continuation::restart : Continuation::none;
  }
};

/// What one method asks of a remote model, which takes a look at every person.
RemoteWork comparison_work(const Explainer& explainer, const RowSource& rows,
                           RowOptions::Range range) {
  const ExplainOptions& options = explainer.options();
  const LoadedModel& loaded = explainer.model();
  return {.people = count_refused(*loaded.model, loaded.codec, options.goal, rows, range.begin,
                                  range.end, {options.missing, loaded.models}),
          .rows = rows_of_person(options),
          .shorter = "--search-rows, --samples and fewer --rows"};
}

/// A comparison from its first line to its last, batch by batch.
class Evaluation {
 public:
  Evaluation(const EvaluateCommand& options, const Command& command, const std::stop_token& stop)
      : options_(options),
        command_(command),
        stop_(stop),
        missing_(parse_missing(options.missing)),
        loaded_(options.model.load(&options.source)),
        rows_(options.source.rows()) {}

  int run();

 private:
  /// Answers of a batch; fewer than `asked` when the run was stopped.
  struct Answered {
    std::size_t asked = 0;
    std::size_t rows = 0;
    std::vector<Explanation> answers;  ///< without those that are dropped
    GrowingReport::Piece piece;
  };

  [[nodiscard]] Answered answered(std::size_t entry, std::size_t asked,
                                  std::vector<Explanation> answers) const;
  /// Takes the answers of an entry, behind those that were there; false when the run was stopped.
  template <typename Item>
  bool answer(std::size_t entry, std::size_t batches,
              const std::function<std::vector<Item>()>& next,
              const std::function<std::vector<Explanation>(const std::vector<Item>&)>& work);
  [[nodiscard]] bool run_method(std::size_t entry, std::size_t skipped, RemoteWatch& watch);
  [[nodiscard]] bool judge_advice(std::size_t entry, std::size_t skipped, RemoteWatch& watch);
  [[nodiscard]] std::size_t rows_of(std::size_t entry) const;
  [[nodiscard]] Summary summary(std::size_t entry) const;
  /// The table, and with --models the panel below.
  void make_tables(std::vector<TableRow>& rows, std::vector<TableRow>& panel) const;
  [[nodiscard]] std::string csv() const;

  const EvaluateCommand& options_;
  const Command& command_;
  std::stop_token stop_;
  MissingPolicy missing_;
  LoadedModel loaded_;
  RowSource rows_;
  RowOptions::Range range_{0, 0};
  std::optional<Noise> noise_;
  Goal goal_;
  CertifyOptions certify_;
  std::shared_ptr<const ModelPopulation> models_;
  ModelChangeOptions change_;
  std::vector<EvaluatedEntry> entries_;
  std::vector<std::unique_ptr<AdviceStream>> advice_;  ///< by entry; null for methods
  std::unique_ptr<EvaluationStore> own_store_;         ///< without a file
  EvaluationStore* store_ = nullptr;
  std::unique_ptr<RunOutputs> outputs_;
  EvaluationState progressed_;
};

Evaluation::Answered Evaluation::answered(std::size_t entry, std::size_t asked,
                                          std::vector<Explanation> answers) const {
  Answered out{.asked = asked, .rows = answers.size(), .answers = std::move(answers), .piece = {}};
  if (missing_ == MissingPolicy::drop) std::erase_if(out.answers, &Explanation::missing);
  out.piece = EvaluationStore::piece_of(entry, out.answers);
  return out;
}

template <typename Item>
bool Evaluation::answer(
    std::size_t entry, std::size_t batches, const std::function<std::vector<Item>()>& next,
    const std::function<std::vector<Explanation>(const std::vector<Item>&)>& work) {
  bool whole = true;
  const Stopwatch watch;
  const double before = progressed_.seconds[entry];
  work_in_order<std::vector<Item>, Answered>(
      batches_at_once(options_.proof.threads, loaded_.remote != nullptr, batches),
      [&]() -> std::optional<std::vector<Item>> {
        std::vector<Item> some = next();
        if (some.empty()) return std::nullopt;
        return some;
      },
      [&](const std::vector<Item>& some) { return answered(entry, some.size(), work(some)); },
      [&](const Answered& done) {
        whole = done.rows == done.asked;
        if (!whole) return false;
        progressed_.seconds[entry] = before + watch.read().elapsed;
        progressed_.add_failures(entry, !entries_[entry].method.empty(), done.answers);
        if (outputs_) {
          outputs_->add({done.piece}, done.asked, progressed_.json());
        } else {
          store_->add(done.piece);
        }
        return true;
      });
  return whole && !stop_.stop_requested();
}

bool Evaluation::run_method(std::size_t entry, std::size_t skipped, RemoteWatch& watch) {
  const bool with_models = entries_[entry].with_models;
  ExplainOptions asked{
      .method = options_.search.resolve_one_of_several(entries_[entry].method, options_.proof),
      .noise = noise_,
      .goal = goal_,
      .certify = certify_,
      .missing = missing_,
      .shared_draws = !options_.proof.independent_samples,
      .seed = options_.proof.seed,
      .threads = options_.proof.threads,
      .reasons = false};
  if (with_models) {
    asked.models = models_;
    asked.model_change = change_;
  }
  const Explainer explainer(loaded_, std::move(asked));
  if (watch.is_remote()) watch.estimate(comparison_work(explainer, rows_, range_));
  PeopleStream people(rows_, loaded_.codec.schema(), range_.begin + skipped, range_.end);
  const std::size_t left = range_.end - range_.begin - skipped;
  return answer<Person>(
      entry, (left + kBatchOfPeople - 1) / kBatchOfPeople,
      [&] { return people.next(kBatchOfPeople); },
      [&](const std::vector<Person>& some) {
        std::vector<Explanation> answers = explainer.explain(some, stop_);
        if (!models_ || with_models || answers.size() < some.size()) return answers;
        // Points that were found without retrained models.
        std::vector<Explanation*> all;
        for (Explanation& one : answers) {
          if (missing_ != MissingPolicy::drop || !one.missing) all.push_back(&one);
        }
        ModelChangeOptions judging = change_;
        judging.target = options_.search.target;
        add_model_changes(explainer.problem(), certifying_models(*models_), judging,
                          options_.proof.threads, all, stop_);
        if (stop_.stop_requested()) answers.clear();
        return answers;
      });
}

bool Evaluation::judge_advice(std::size_t entry, std::size_t skipped, RemoteWatch& watch) {
  const AssessOptions judged{.target = options_.search.target,
                             .noise = noise_,
                             .goal = goal_,
                             .certify = certify_,
                             .models = models_,
                             .model_change = change_,
                             .missing = missing_,
                             .shared_draws = !options_.proof.independent_samples,
                             .seed = options_.proof.seed,
                             .threads = options_.proof.threads};
  AdviceStream& pairs = *advice_[entry];
  pairs.skip(skipped);
  watch.estimate({.people = pairs.count() - skipped,
                  .rows = {certify_.samples, certify_.samples},
                  .batch = kFullBatch,
                  .advice = false,
                  .shorter = "--samples and fewer --rows"});
  return answer<AdvisedPerson>(
      entry, (pairs.count() - skipped + kBatchOfPeople - 1) / kBatchOfPeople,
      [&] { return pairs.next(kBatchOfPeople); },
      [&](const std::vector<AdvisedPerson>& some) { return assess(loaded_, some, judged, stop_); });
}

std::size_t Evaluation::rows_of(std::size_t entry) const {
  return advice_[entry] ? advice_[entry]->count() : range_.end - range_.begin;
}

Summary Evaluation::summary(std::size_t entry) const {
  const bool method = !entries_[entry].method.empty();
  return store_->of(entry).finish(
      entries_[entry].name, method ? std::optional(progressed_.seconds[entry]) : std::nullopt);
}

void Evaluation::make_tables(std::vector<TableRow>& rows, std::vector<TableRow>& panel) const {
  rows = {table_header(loaded_.codec.cost_kind())};
  panel = {models_header()};
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Summary one = summary(i);
    rows.push_back(table_row(one));
    panel.push_back(models_row(one));
  }
}

std::string Evaluation::csv() const {
  std::vector<TableRow> rows;
  std::vector<TableRow> panel;
  make_tables(rows, panel);
  if (models_) add_models_columns(panel, rows);
  std::string text;
  for (const TableRow& row : rows) text += csv_record(row);
  return text;
}

int Evaluation::run() {
  require_threshold(loaded_, options_.goal.resolve(loaded_).threshold());
  const RowScan scanned = scan(rows_);
  require_rows(scanned);
  range_ = options_.rows.resolve(scanned.rows);
  static_cast<void>(RecordReader(loaded_.codec.schema(), scanned.head));
  noise_ = options_.noise.resolve(loaded_.codec);
  goal_ = options_.goal.resolve(loaded_);
  options_.scores.check(loaded_, goal_, rows_, range_.begin, range_.end, missing_);
  certify_ = options_.proof.resolve_fixed();
  Progress progress("evaluating", 0);
  RemoteWatch watch(loaded_, 0, progress);
  models_ =
      options_.retraining.load(options_.model, &options_.source, loaded_, options_.proof.threads);
  change_ = options_.retraining.resolve();
  entries_ = evaluated_entries(options_.methods, options_.counterfactuals, models_ != nullptr);
  progressed_.seconds.resize(entries_.size());
  std::vector<std::pair<std::string, std::string>> things{{"the data", scanned.fingerprint}};
  std::size_t all = 0;
  for (const EvaluatedEntry& entry : entries_) {
    advice_.emplace_back();
    if (!entry.file.empty()) {
      const RowSource file = RowSource::file(entry.file);
      advice_.back() =
          std::make_unique<AdviceStream>(rows_, file, loaded_.codec.schema(),
                                         std::span<const std::string>(), range_.begin, range_.end);
      things.emplace_back("the advice of " + entry.name, scan(file).fingerprint);
    }
    all += rows_of(advice_.size() - 1);
  }
  ReportContext context =
      report_context(loaded_, *noise_, goal_, "evaluate", options_.search.target);
  context.models = models_;
  auto store = std::make_unique<EvaluationStore>(options_.output, context, entries_.size(),
                                                 options_.search.target, [this] { return csv(); });
  store_ = store.get();
  std::size_t skipped = 0;
  if (options_.output.empty()) {
    own_store_ = std::move(store);
  } else {
    std::vector<std::unique_ptr<GrowingReport>> reports;
    reports.push_back(std::move(store));
    outputs_ = std::make_unique<RunOutputs>(std::move(reports),
                                            run_identity(command_, context, std::move(things)), all,
                                            options_.continuation());
    skipped = outputs_->rows();
    if (skipped > 0) {
      progressed_.read(outputs_->state());
      print_resumed(skipped, all);
    }
  }
  bool whole = true;
  const auto evaluate_all = [&] {
    for (std::size_t i = 0; i < entries_.size() && whole; ++i) {
      const std::size_t done = std::min(skipped, rows_of(i));
      skipped -= done;
      if (done == rows_of(i)) continue;
      whole = advice_[i] ? judge_advice(i, done, watch) : run_method(i, done, watch);
    }
    watch.finish();
  };
  const auto print_tables = [&] {
    std::vector<TableRow> rows;
    std::vector<TableRow> panel;
    make_tables(rows, panel);
    print_table(rows);
    if (models_) {
      print_out(
          "\nFailure rates: noise on the model in use; retraining alone ({} models that no "
          "search saw); both\n",
          models_->certify.size());
      print_table(panel);
    }
    flush_out();
  };
  if (!outputs_) {
    evaluate_all();
    if (!whole) return kInterrupted;
    print_tables();
  } else {
    keep_on_failure(*outputs_, evaluate_all);
    if (!whole) return end_interrupted(*outputs_);
    keep_on_failure(*outputs_, [&] {
      print_tables();
      outputs_->finish();
    });
  }
  return report_failed_rows(progressed_.failures, progressed_.failed) > 0 ? kSomeRowsFailed : kOk;
}

int run(const EvaluateCommand& options, const Command& command, const std::stop_token& stop) {
  if (options.methods.empty() && options.counterfactuals.empty()) {
    throw InvalidArgument("evaluate was given neither --method nor --counterfactuals");
  }
  require_open_unit("target", options.search.target);
  return Evaluation(options, command, stop).run();
}

}  // namespace

void add_evaluate(Command& program, Environment& environment) {
  auto options = std::make_shared<EvaluateCommand>();
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
  add_continuation_to(command, options->resume, options->restart);
  command.set_example(
      "croco evaluate --model german.json --data german --method croco,wachter \\\n"
      "      --noise gaussian:sd=0.05 --noise-on continuous --target 0.2");
  command.set_callback([options, command, &environment] {
    options->model.remote.stop = environment.stop();
    environment.exit_code = run(*options, command, environment.stop());
  });
}

}  // namespace croco::cli
