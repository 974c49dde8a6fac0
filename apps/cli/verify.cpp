// SPDX-License-Identifier: Apache-2.0
// croco verify: does a certificate that somebody handed over hold?
#include <croco/verify/verify.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/json_summary.hpp>
#include <apps/cli/options.hpp>
#include <apps/cli/people.hpp>
#include <apps/cli/print.hpp>
#include <apps/cli/rerun.hpp>
#include <apps/cli/retraining_options.hpp>
#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/stopped.hpp>
#include <croco/loading/people.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/manifest.hpp>
#include <croco/report/report_lines.hpp>
#include <croco/report/row_check.hpp>
#include <croco/report/verification_report.hpp>

namespace croco::cli {
namespace {

struct VerifyCommand {
  ModelOptions model;
  VerifyOptions verify;
  std::string file;
  std::string manifest;
  SourceOptions source;
  bool again = false;
  std::optional<std::size_t> row;
  std::optional<std::size_t> option;
  std::string extract;
  bool json = false;
  std::vector<std::string> models;
  std::vector<std::string> fresh_models;
};

/// What a file is verified with.
struct Sources {
  LoadedModel loaded;
  std::optional<StatedRun> run;
  std::map<std::size_t, Person> people;                   ///< of --data
  std::map<std::size_t, std::vector<std::string>> again;  ///< of --again
};

/// The manifest beside a report, or the one that is named; checked against all of the report.
std::vector<Finding> read_run(const VerifyCommand& options, std::string_view bytes,
                              Sources& sources) {
  if (options.manifest == "none") {
    return {{Check::manifest, true, "NOT CHECKED, as asked: lines may be missing", true}};
  }
  const std::filesystem::path path = options.manifest.empty()
                                         ? manifest_path(options.file)
                                         : std::filesystem::path(options.manifest);
  if (options.manifest.empty() && !std::filesystem::exists(path)) {
    const std::string missing = fmt::format(
        "there is no {}, so that nothing says whether lines are missing", path.string());
    if (options.row) return {{Check::manifest, true, "NOT CHECKED: " + missing, true}};
    return {{Check::manifest, false, missing + " (--manifest FILE names it, none goes without)"}};
  }
  const std::string json = read_file(path, kMaxReportBytes);
  sources.run = read_manifest(json, path.string());
  return manifest_findings(json, bytes, *sources.run, sources.loaded);
}

/// The people with the columns that the report passes through.
void read_data(const VerifyCommand& options, std::span<const ReportLine> lines, Sources& sources) {
  if (options.source.data.empty()) return;
  const CsvTable table = options.source.read();
  std::vector<std::string> kept;
  for (const auto& [name, value] : lines.front().kept) kept.push_back(name);
  for (Person& person :
       read_people(table, sources.loaded.codec.schema(), 0, table.rows.size(), kept)) {
    const std::size_t row = person.row;
    sources.people.emplace(row, std::move(person));
  }
}

/// Makes the rows again where that says more than the check of each.
void make_again(const VerifyCommand& options, std::span<const ReportLine> lines, Sources& sources,
                const std::stop_token& stop) {
  if (!options.again) return;
  if (!sources.run) {
    throw InvalidArgument("again: a run is made again from its manifest, and there is none");
  }
  if (sources.run->run.command != "explain") return;  // nothing was searched for
  std::map<std::size_t, Person> people;
  for (const ReportLine& line : lines) {
    if (!line.row) continue;
    const auto known = sources.people.find(*line.row);
    if (known != sources.people.end()) {
      people.emplace(*line.row, known->second);
    } else if (auto person = stated_person(line, sources.loaded.codec.schema())) {
      people.emplace(*line.row, std::move(*person));
    }
  }
  std::vector<Person> list;
  for (auto& [row, person] : people) list.push_back(std::move(person));
  try {
    sources.again = rerun(*sources.run, sources.loaded, options.verify.models, list,
                          options.verify.threads, stop);
  } catch (const Stopped&) {
    if (!stop.stop_requested()) throw;
  }
}

/// Rows of which the run gives more alternatives than the report has.
std::vector<Finding> missing_options(std::span<const ReportLine> all, const Sources& sources) {
  std::map<std::size_t, std::size_t> counts;
  for (const ReportLine& line : all) {
    if (line.row) ++counts[*line.row];
  }
  std::vector<Finding> out;
  for (const auto& [row, lines] : sources.again) {
    if (counts[row] >= lines.size()) continue;
    out.push_back({Check::again, false,
                   fmt::format("row {} has {} of the {} alternatives that the run gives", row,
                               counts[row], lines.size())});
  }
  return out;
}

/// The lines that --row and --alternative choose. Throws DataError when there is none to check.
std::vector<ReportLine> chosen(const VerifyCommand& options, std::vector<ReportLine> lines,
                               bool run) {
  std::erase_if(lines, [&](const ReportLine& line) {
    return (options.row && line.row != options.row) ||
           (options.option && line.alternative.value_or(1) != *options.option) ||
           (!line.stated && !run);
  });
  if (lines.empty()) {
    std::string what = fmt::format("{}: there is no certificate", options.file);
    if (options.row) what += fmt::format(" of row {}", *options.row);
    if (options.option) what += fmt::format(" of alternative {}", *options.option);
    throw DataError(options.row || options.option ? what : what + " in it");
  }
  return lines;
}

const ReportLine* to_extract(const VerifyCommand& options, std::span<const ReportLine> lines) {
  if (options.extract.empty()) return nullptr;
  const ReportLine* out = nullptr;
  std::size_t count = 0;
  for (const ReportLine& line : lines) {
    if (!line.stated) continue;
    out = &line;
    ++count;
  }
  if (count == 1) return out;
  throw InvalidArgument(fmt::format(
      "extract is '{}'; it takes one certificate, and {} has {}: choose one with --row{}",
      options.extract, options.file, count, lines.front().alternative ? " and --alternative" : ""));
}

/// How many there are, and of how many.
struct Tallied {
  std::size_t certificates = 0;
  std::size_t certificates_hold = 0;
  std::size_t rows = 0;
  std::size_t rows_hold = 0;
  std::size_t missed = 0;
  std::map<std::string, std::vector<std::string>> unchecked;  ///< the rows, by what

  [[nodiscard]] bool hold() const { return certificates_hold == certificates && rows_hold == rows; }
  void print() const {
    print_note("{} of {} certificates hold\n", certificates_hold, certificates);
    if (rows > 0) print_note("{} of {} rows hold\n", rows_hold, rows);
    if (missed > 0) print_note("{} state that their target is not met\n", missed);
  }
};

JsonSummary json_summary(const Tallied& tallied, bool whole) {
  JsonSummary out;
  out.add("command", "verify");
  out.add("holds", whole && tallied.hold());
  out.add("whole", whole);
  out.add("certificates", tallied.certificates);
  out.add("certificates_hold", tallied.certificates_hold);
  out.add("rows", tallied.rows);
  out.add("rows_hold", tallied.rows_hold);
  out.add("targets_missed", tallied.missed);
  return out;
}

/// The line that --again made, among the alternatives of a row.
std::optional<std::string> line_again(const ReportLine& line, const Sources& sources) {
  if (!line.row || !sources.again.contains(*line.row)) return std::nullopt;
  const std::vector<std::string>& lines = sources.again.at(*line.row);
  const std::size_t option = line.alternative.value_or(1);
  return option >= 1 && option <= lines.size() ? lines[option - 1] : std::string("{}");
}

void check_line(const ReportLine& line, const Sources& sources, const VerifyCommand& options,
                const std::stop_token& stop, Tallied& tallied) {
  std::optional<Verification> verification;
  if (line.stated) {
    verification = verify(*line.stated, sources.loaded, options.verify, stop);
    if (stop.stop_requested()) return;
    check_statement(*line.stated, sources.loaded, *verification);
    ++tallied.certificates;
    tallied.certificates_hold += verification->holds() ? 1U : 0U;
    tallied.missed += verification->misses_target() ? 1U : 0U;
  }
  std::optional<RowCheck> row;
  if (line.answer) {
    const auto person = sources.people.find(line.row.value_or(0));
    const bool known = person != sources.people.end();
    row = check_row(line.text, {.loaded = sources.loaded,
                                .run = sources.run ? &*sources.run : nullptr,
                                .certificate = verification ? &*verification : nullptr,
                                .stated = line.stated ? &*line.stated : nullptr,
                                .person = known ? &person->second : nullptr,
                                .again = line_again(line, sources),
                                .models = options.verify.models});
    if (!sources.people.empty() && !known) {
      row->findings.push_back({Check::data, false, "the data have no such row"});
    }
    ++tallied.rows;
    tallied.rows_hold += row->holds() ? 1U : 0U;
    for (const std::string& what : row->unchecked) {
      tallied.unchecked[what].push_back(std::to_string(line.row.value_or(0)));
    }
  }
  if (options.json) return;
  print_out("{}\n", line_text(line, sources.loaded, verification ? &*verification : nullptr,
                              row ? &*row : nullptr));
}

/// The retrained models, split as the certificates say; whether that is right is checked.
void load_models(VerifyCommand& options, std::span<const ReportLine> lines,
                 const LoadedModel& loaded) {
  const SourceOptions* people = options.source.data.empty() ? nullptr : &options.source;
  const auto load = [&](const std::string& option, const std::vector<std::string>& patterns,
                        std::size_t search) -> std::shared_ptr<const ModelPopulation> {
    if (patterns.empty()) return nullptr;
    return std::make_shared<const ModelPopulation>(
        load_population(matching_files(option, patterns), loaded, options.model.loading(people),
                        {.search_models = search, .threads = options.verify.threads}));
  };
  std::size_t search = 0;
  for (const ReportLine& line : lines) {
    if (!line.stated || !line.stated->models) continue;
    search = line.stated->models->search.size();
    break;
  }
  options.verify.models = load("models", options.models, search);
  options.verify.fresh_models = load("fresh-models", options.fresh_models, 0);
}

int run(VerifyCommand& options, const std::stop_token& stop) {
  // As in the run itself, the people are the training data of a remote model.
  Sources sources{
      options.model.load(options.source.data.empty() ? nullptr : &options.source), {}, {}, {}};
  const std::string bytes = read_file(options.file, kMaxReportBytes);
  const std::vector<ReportLine> all = read_report(bytes, options.file);
  load_models(options, all, sources.loaded);
  std::vector<Finding> findings;
  if (std::ranges::any_of(all, &ReportLine::answer)) {
    findings = read_run(options, bytes, sources);
    const bool disjoint =
        sources.run && std::ranges::any_of(sources.run->run.options,
                                           [](const auto& one) { return one.first == "disjoint"; });
    for (std::string& fault : alternative_faults(all, disjoint)) {
      findings.push_back({Check::row, false, std::move(fault)});
    }
  }
  const std::vector<ReportLine> lines = chosen(options, all, sources.run.has_value());
  const ReportLine* extracted = to_extract(options, lines);
  read_data(options, lines, sources);
  make_again(options, lines, sources, stop);
  std::ranges::move(missing_options(all, sources), std::back_inserter(findings));
  Tallied tallied;
  for (const ReportLine& line : lines) {
    if (!stop.stop_requested()) check_line(line, sources, options, stop, tallied);
  }
  if (stop.stop_requested()) {
    print_err("croco: interrupted; not everything was checked\n");
    return kInterrupted;
  }
  const bool whole = std::ranges::all_of(findings, &Finding::holds);
  if (!findings.empty() && !options.json) {
    print_out("{}: {}\n{}\n", options.file,
              whole ? "the report as a whole" : "THE REPORT IS NOT WHOLE", findings_text(findings));
  }
  if (!options.json) print_out("{}", unchecked_text(tallied.unchecked));
  const bool holds = whole && tallied.hold();
  if (holds && extracted != nullptr) {
    write_file(options.extract, indented_certificate(extracted->text));
  }
  print_out("{}",
            options.json ? json_summary(tallied, whole).text() + "\n" : certificate_scope(lines));
  flush_out();
  if (holds && extracted != nullptr) print_note("wrote {}\n", options.extract);
  tallied.print();
  return holds ? kOk : kDoesNotHold;
}

}  // namespace

void add_verify(Command& program, Environment& environment) {
  auto options = std::make_shared<VerifyCommand>();
  Command command = program.add_command(
      "verify",
      "Check certificates and reports: redraw their samples, and draw fresh ones of your own");
  command
      .add_option("certificate", options->file,
                  "One certificate (JSON), or the .jsonl of explain or certify")
      .required()
      .type_name("FILE");
  options->model.add_to(command);
  command
      .add_option(
          "--models", options->models,
          "The retrained models of certificates that speak of some, such as 'folder/*'; may "
          "be repeated")
      .type_name("GLOB");
  command
      .add_option("--fresh-models", options->fresh_models,
                  "Further models of the same recipe: do they contradict the certificates?")
      .type_name("GLOB");
  command.add_option("--row", options->row, "Only the certificate of this row");
  command.add_option("--alternative,--option", options->option,
                     "Only the certificates of this alternative");
  command
      .add_option("--manifest", options->manifest,
                  "Manifest of a .jsonl report, or none to do without [the file beside it]")
      .type_name("FILE|none");
  command
      .add_option("--data", options->source.data,
                  "Also compare the rows of a report with the people that it is about")
      .type_name("FILE|NAME");
  command
      .add_option("--data-dir", options->source.data_dir,
                  "Folder with the files of named data sets")
      .type_name("DIR");
  command.add_flag("--again", options->again,
                   "Also recompute every row of a report of explain: search, reasons and proofs");
  command
      .add_option("--extract", options->extract,
                  "If it holds, write the one certificate to a file that can be handed over")
      .type_name("FILE");
  command.add_option("--seed", options->verify.seed,
                     "Seed of the fresh samples, ideally one that the issuer could not know [the "
                     "certificate's + 1]");
  command.add_option("--samples", options->verify.samples, "Fresh samples per certificate")
      .show_default()
      .positive();
  command
      .add_option("--max-samples", options->verify.max_samples,
                  "Refuse certificates that planned more samples than this")
      .show_default();
  options->verify.threads = 0;
  command.add_flag("--json", options->json, "Print a summary as JSON instead of the checks");
  command.add_option("--threads", options->verify.threads, "Number of threads; 0 for all cores")
      .show_default();
  command.set_example(
      "croco explain --model german.json --data german --output advice.jsonl\n"
      "  croco verify advice.jsonl --model german.json --row 35 --seed 90210 \\\n"
      "      --extract certificate.json");
  command.set_callback([options, &environment] {
    options->model.remote.stop = environment.stop();
    environment.exit_code = run(*options, environment.stop());
  });
}

}  // namespace croco::cli
