// SPDX-License-Identifier: Apache-2.0
// croco audit: who has recourse, at what price, and what blocks the others.
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <apps/cli/answer_options.hpp>
#include <apps/cli/batch_run.hpp>
#include <apps/cli/command.hpp>
#include <apps/cli/json_summary.hpp>
#include <apps/cli/options.hpp>
#include <apps/cli/people.hpp>
#include <apps/cli/print.hpp>
#include <apps/cli/progress.hpp>
#include <apps/cli/run_files.hpp>
#include <croco/audit/audit_report.hpp>
#include <croco/base/error.hpp>
#include <croco/base/in_order.hpp>
#include <croco/base/numbers.hpp>
#include <croco/batch/answer_counts.hpp>
#include <croco/batch/run_outputs.hpp>
#include <croco/loading/people_stream.hpp>
#include <croco/report/narrate.hpp>

namespace croco::cli {
namespace {

struct AuditCommand {
  ModelOptions model;
  SourceOptions source;
  RowOptions rows;
  KeptOptions kept;
  AnswerOptions answers;
  std::vector<std::string> groups;
  std::vector<std::string> references;
  std::size_t strata = GapOptions().strata;
  double group_confidence = GapOptions().confidence;
  std::size_t resamples = GapOptions().replicates;
  std::string premium = "on";
  std::string swap = "on";
  std::optional<std::size_t> batch;
  std::string output;
  bool resume = false;
  bool restart = false;
  bool json = false;

  void add_to(Command& command);
  [[nodiscard]] GapOptions gap_options() const {
    return {.confidence = group_confidence,
            .replicates = resamples,
            .strata = strata,
            .seed = answers.proof.seed,
            .threads = answers.proof.threads};
  }
  [[nodiscard]] Continuation continuation() const noexcept {
    return resume ? Continuation::resume : restart ? Continuation::restart : Continuation::none;
  }
  [[nodiscard]] std::filesystem::path advice_file() const {
    return std::filesystem::path(output) / "advice.jsonl";
  }
};

bool parse_switch(std::string_view option, const std::string& text) {
  if (text == "on") return true;
  if (text == "off") return false;
  throw InvalidArgument(fmt::format("{} is '{}'; it must be on or off", option, text));
}

/// The groups that occur among the people of the run.
std::vector<AuditAttribute> find_attributes(const AuditCommand& options,
                                            const std::vector<GroupBy>& groups,
                                            const Schema& schema, const RowSource& rows,
                                            RowOptions::Range range,
                                            const std::vector<std::string>& kept) {
  GroupFinder finder(groups, parse_references(options.references), schema);
  PeopleStream people(rows, schema, range.begin, range.end, kept);
  while (true) {
    const std::vector<Person> some = people.next(kBatchOfPeople);
    if (some.empty()) return finder.attributes();
    for (const Person& person : some) finder.add(person);
  }
}

/// The columns of groups that are no features go with the people, beside those that --id and --keep
/// name.
std::vector<std::string> columns_to_keep(AuditCommand& options, const std::vector<GroupBy>& groups,
                                         const CsvTable& head, const Schema& schema) {
  std::vector<std::string> out = options.kept.resolve(head, schema);
  KeptOptions beside;
  for (const std::string& column : columns_beside(groups, schema)) {
    if (std::ranges::find(out, column) == out.end()) beside.keep.push_back(column);
  }
  try {
    for (const std::string& column : beside.resolve(head, schema)) out.push_back(column);
  } catch (const InvalidArgument& error) {
    std::string text = error.what();
    if (text.starts_with("keep is")) text.replace(0, 4, "group");
    throw InvalidArgument(text);
  }
  return out;
}

void make_folder_of(const std::filesystem::path& output) {
  std::error_code error;
  std::filesystem::create_directories(output, error);
  if (!error) return;
  throw IoError(fmt::format("{}: cannot make the folder: {}", output.string(), error.message()));
}

/// Answers of a batch on their way to the files.
struct Audited {
  std::size_t asked = 0;
  std::vector<Explanation> answers;
  std::size_t dropped = 0;
  RunOutputs::Pieces pieces;

  [[nodiscard]] std::size_t rows() const { return answers.size() + dropped; }
  [[nodiscard]] bool is_cut() const { return rows() < asked; }
};

Audited audit_batch(const Auditor& auditor, const std::vector<Person>& people,
                    const std::stop_token& stop, const RunOutputs& outputs,
                    const AuditReport& report) {
  Auditor::Answers made = auditor.audit(people, stop);
  Audited out{.asked = people.size(), .answers = {}, .dropped = 0, .pieces = {}};
  std::vector<AuditedPerson> kept;
  for (std::size_t i = 0; i < made.answers.size(); ++i) {
    if (auditor.explainer().options().missing == MissingPolicy::drop && made.answers[i].missing) {
      ++out.dropped;
      continue;
    }
    out.answers.push_back(std::move(made.answers[i]));
    kept.push_back(std::move(made.people[i]));
  }
  out.pieces = outputs.render(out.answers);
  out.pieces.front() = report.piece_of(kept);
  return out;
}

void print_findings(const AuditTable& table, const AuditCommand& options,
                    const AnswerCounts& counts) {
  if (options.json) {
    JsonSummary out;
    out.add("command", "audit");
    out.add("rows", counts.rows);
    out.add("people", table.people);
    out.add("refused", table.refused);
    out.add("certified", counts.of(Status::found));
    out.add("failed", table.failed);
    print_out("{}\n", out.text());
    flush_out();
    return;
  }
  for (const AuditAttribute& attribute : table.attributes) {
    print_out("{}\n", attribute.column);
    for (const std::string& group : attribute.groups) {
      std::string line = fmt::format("  {:<24}", group);
      for (const AuditRow* row : table.of(AuditSection::group, attribute.column)) {
        if (row->group != group) continue;
        if (row->measure == "refused") {
          line += fmt::format("{:>8} people, {:>5.1f} % refused", with_thousands(row->people),
                              100 * row->value);
        } else if (row->measure == "certified") {
          line += fmt::format("; of these {:>5.1f} % certified", 100 * row->value);
        } else if (row->measure == "cost" && row->item == "0.5") {
          line += fmt::format(", median cost {:.3g}", row->value);
        }
      }
      print_out("{}\n", line);
    }
  }
  flush_out();
}

int run(AuditCommand& options, const Command& command, const std::stop_token& stop) {
  options.model.remote.stop = stop;
  const std::vector<GroupBy> groups = parse_groups(options.groups);
  const AuditQuestions questions{.premium = parse_switch("premium", options.premium),
                                 .swap = parse_switch("swap", options.swap)};
  validate(options.gap_options());
  if (options.batch == std::size_t{0}) throw InvalidArgument("batch is 0; it must be at least 1");
  std::vector<std::string> names = AuditReport::names();
  names.push_back(options.advice_file().filename().string());
  files_of(command).writes_into("--output", options.output, names);
  const LoadedModel loaded = options.model.load(&options.source);
  const Schema& schema = loaded.codec.schema();
  const RowSource rows = options.source.rows();
  const RowScan scanned = scan(rows);
  require_rows(scanned);
  const RowOptions::Range range = options.rows.resolve(scanned.rows);
  const std::size_t count = range.end - range.begin;
  const std::vector<std::string> kept = columns_to_keep(options, groups, scanned.head, schema);
  const std::vector<AuditAttribute> attributes =
      find_attributes(options, groups, schema, rows, range, kept);
  const AnswerOptions& asked = options.answers;
  ExplainOptions resolved = asked.resolve(loaded, asked.noise.resolve(loaded.codec), count);
  resolved.models = asked.retraining.load(options.model, &options.source, loaded, resolved.threads);
  const Auditor auditor(loaded, resolved, attributes, questions);
  ReportContext context = report_context(auditor.explainer());
  context.noise_assumed = asked.noise.is_assumed(schema);
  context.kept = kept;
  context.identified = options.kept.has_id();
  context.run = report_run(command, count);
  context.run.command = "explain";  // whose answers advice.jsonl holds, and verify makes again

  make_folder_of(options.output);
  auto made = std::make_unique<AuditReport>(options.output, context, auditor.attributes(),
                                            options.gap_options(),
                                            AuditSources{options.source.data, scanned.fingerprint});
  AuditReport& report = *made;
  std::vector<std::unique_ptr<GrowingReport>> reports;
  reports.push_back(std::move(made));
  reports.push_back(make_report(options.advice_file(), context));
  RunOutputs outputs(std::move(reports),
                     run_identity(command, context, {{"the data", scanned.fingerprint}}), count,
                     options.continuation());
  AnswerCounts counts;
  if (outputs.rows() > 0) {
    counts = answer_counts(outputs.state());
    print_resumed(counts.rows, count);
  }
  const std::size_t begun = counts.rows;
  const std::size_t batch =
      options.batch.value_or(loaded.remote ? options.model.remote.workers : kBatchOfPeople);
  keep_on_failure(outputs, [&] {
    Progress progress("auditing", count, begun);
    PeopleStream people(rows, schema, range.begin + begun, range.end, kept);
    const bool alone = loaded.remote != nullptr || asked.time_limit || asked.prove_time;
    work_in_order<std::vector<Person>, Audited>(
        batches_at_once(asked.proof.threads, alone, (count - begun + batch - 1) / batch),
        [&]() -> std::optional<std::vector<Person>> {
          std::vector<Person> some = people.next(batch);
          if (some.empty()) return std::nullopt;
          return some;
        },
        [&](const std::vector<Person>& some) {
          return audit_batch(auditor, some, stop, outputs, report);
        },
        [&](const Audited& done) {
          for (const Explanation& answer : done.answers) counts.add(answer, asked.alternatives);
          counts.rows += done.rows();
          counts.dropped += done.dropped;
          outputs.add(done.pieces, done.rows(), json_of(counts));
          progress.update(counts.rows);
          return !done.is_cut();
        });
    progress.clear();
  });
  if (counts.rows < count) return end_interrupted(outputs);
  keep_on_failure(outputs, [&] {
    print_findings(report.table(), options, counts);
    outputs.finish();
  });
  print_note("wrote {}\n", (std::filesystem::path(options.output) / "audit.html").string());
  if (report_failed_rows(counts.failures, counts.of(Status::error)) > 0) return kSomeRowsFailed;
  return counts.nobody_helped() ? kNobodyHelped : kOk;
}

void AuditCommand::add_to(Command& command) {
  model.add_to(command);
  model.add_cost_to(command);
  source.add_to(command);
  rows.add_to(command);
  kept.add_to(command);
  command
      .add_option("--group", groups,
                  "Columns whose groups are compared, features or others; numbers have cut points "
                  "behind a colon: sex,age:25,40,60; may be repeated")
      .required()
      .type_name("COLUMN[:CUT,...]");
  command
      .add_option("--reference", references,
                  "The group that the others are compared with, such as sex=Male; may be repeated "
                  "[the largest]")
      .type_name("COLUMN=GROUP");
  command
      .add_option("--score-strata", strata,
                  "Strata of the score for gaps at equal scores; 0 for none")
      .type_name("NUMBER")
      .show_default();
  command
      .add_option("--gap-confidence", group_confidence,
                  "Confidence of the intervals about groups and gaps; --confidence is that of "
                  "certificates")
      .show_default();
  command.add_option("--resamples", resamples, "Resamples of the people, at least 100")
      .type_name("NUMBER")
      .show_default();
  command
      .add_option("--premium", premium,
                  "on or off: also find the cheapest change without noise, to compare costs")
      .show_default();
  command
      .add_option("--swap", swap,
                  "on or off: also ask about the same people as members of other groups, where the "
                  "model reads a category")
      .show_default();
  answers.add_to(command);
  command.add_option("--batch", batch,
                     "People per batch; results do not depend on it [256; remote models: as many "
                     "as --model-workers]");
  command
      .add_option("--output", output,
                  "Folder for audit.html, audit.csv, audit.json, people.csv and advice.jsonl")
      .required()
      .type_name("DIR");
  add_continuation_to(command, resume, restart);
  command.add_flag("--json", json, "Print a summary of the run as JSON");
}

}  // namespace

void add_audit(Command& program, Environment& environment) {
  auto options = std::make_shared<AuditCommand>();
  Command command = program.add_command(
      "audit", "Say which groups have recourse, at what price, and what blocks the others");
  options->add_to(command);
  command.set_example(
      "croco audit --model german.json --data german --target 0.2 \\\n"
      "      --group age:25,40,60,personal_status_sex --output audit\n"
      "The exit code is 7 when people need advice and nobody gets any that meets the "
      "method's rule.");
  command.set_callback([options, command, &environment] {
    environment.exit_code = run(*options, command, environment.stop());
  });
}

}  // namespace croco::cli
