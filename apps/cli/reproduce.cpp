// SPDX-License-Identifier: Apache-2.0
// croco reproduce: the paper's experiment, or one's own, as tables and as a page.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/options.hpp>
#include <apps/cli/people.hpp>
#include <apps/cli/print.hpp>
#include <apps/cli/progress.hpp>
#include <apps/cli/run_files.hpp>
#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/stopwatch.hpp>
#include <croco/data/catalog.hpp>
#include <croco/data/suggest.hpp>
#include <croco/experiment/findings.hpp>
#include <croco/experiment/page.hpp>
#include <croco/experiment/published.hpp>
#include <croco/experiment/run.hpp>

namespace croco::cli {
namespace {

namespace fs = std::filesystem;

struct ReproduceCommand {
  std::string experiment;
  std::string output;
  std::string data_dir;
  std::string models;
  std::vector<std::string> people;
  std::vector<std::string> datasets;
  std::vector<double> variances;
  std::vector<double> targets;
  std::vector<std::string> methods;
  std::vector<std::string> counterfactuals;
  std::string published;
  bool quick = false;
  bool prepare = false;
  bool print = false;
  bool no_times = false;
  unsigned threads = 0;
};

/// `wanted` of the parts, in the order of the experiment.
template <typename Part>
void keep(std::string_view what, const std::vector<std::string>& wanted, std::vector<Part>& parts) {
  if (wanted.empty()) return;
  std::vector<std::string> names;
  for (const Part& part : parts) names.push_back(part.name);
  for (const std::string& name : wanted) {
    if (std::ranges::find(names, name) != names.end()) continue;
    throw InvalidArgument(fmt::format("{} '{}' is not in the experiment{}; it has {}", what, name,
                                      did_you_mean(name, names), quoted_list(names)));
  }
  std::erase_if(parts, [&](const Part& part) {
    return std::ranges::find(wanted, part.name) == wanted.end();
  });
}

/// `gsc` and `give-me-some-credit` are the data set `give_me_some_credit`.
std::vector<std::string> full_names(const std::vector<std::string>& wanted,
                                    const std::vector<ExperimentDataset>& datasets) {
  std::vector<std::string> out;
  for (const std::string& name : wanted) {
    const CatalogEntry* entry = find_entry(name);
    const auto same = std::ranges::find_if(datasets, [&](const ExperimentDataset& dataset) {
      return dataset.name == name || (entry != nullptr && find_entry(dataset.name) == entry);
    });
    out.push_back(same == datasets.end() ? name : same->name);
  }
  return out;
}

void set_variances(const std::vector<double>& variances, Experiment& experiment) {
  if (variances.empty()) return;
  const NoiseScope scope = experiment.noises.front().noise.scope;
  experiment.noises.clear();
  for (const double variance : variances) {
    const std::string text = format_number(variance);
    ExperimentNoise noise{.name = text, .label = "variance " + text};
    noise.noise = parse_noise("gaussian:variance=" + text);
    noise.noise.scope = scope;
    experiment.noises.push_back(std::move(noise));
  }
}

/// `name=file`, a new method or one more file of it.
void add_counterfactuals(const std::vector<std::string>& given, Experiment& experiment) {
  for (const std::string& text : given) {
    const auto [name, file] = parse_named_file(text);
    auto method = std::ranges::find(experiment.methods, name, &ExperimentMethod::name);
    if (method == experiment.methods.end()) {
      experiment.methods.push_back({.name = name, .note = "Counterfactuals given as a file."});
      method = std::prev(experiment.methods.end());
    } else if (!method->is_advice()) {
      throw InvalidArgument(fmt::format(
          "counterfactuals '{}': the experiment has a method of that name; choose another", name));
    }
    method->counterfactuals.emplace_back(file);
  }
}

/// `--people` is a number, a folder, or both.
void set_people(const ReproduceCommand& options, Experiment& experiment) {
  std::string folder;
  for (const std::string& text : options.people) {
    if (const auto number = parse_number(text); number && !fs::is_directory(text)) {
      constexpr double kMost = 1e15;
      if (!(*number >= 1 && *number <= kMost) || *number != std::floor(*number)) {
        throw InvalidArgument(fmt::format(
            "people is '{}'; it must be a whole number of at least 1, or a folder", text));
      }
      experiment.people = static_cast<std::size_t>(*number);
    } else {
      folder = text;
    }
  }
  if (folder.empty() != options.models.empty()) {
    throw InvalidArgument("--models and a folder of --people go together; one of them is missing");
  }
  if (folder.empty()) return;
  for (ExperimentDataset& dataset : experiment.datasets) {
    dataset.model = fs::path(options.models) / (dataset.name + ".json");
    dataset.people = fs::path(folder) / (dataset.name + ".csv");
  }
}

Experiment experiment_of(const ReproduceCommand& options) {
  Experiment experiment =
      options.experiment.empty() ? paper_experiment() : read_experiment(options.experiment);
  if (options.quick) experiment = quick(std::move(experiment));
  keep("dataset", full_names(options.datasets, experiment.datasets), experiment.datasets);
  keep("method", options.methods, experiment.methods);
  set_variances(options.variances, experiment);
  if (!options.targets.empty()) {
    experiment.targets = options.targets;
    std::ranges::sort(experiment.targets);
  }
  set_people(options, experiment);
  add_counterfactuals(options.counterfactuals, experiment);
  try {
    validate(experiment);
  } catch (const DataError& error) {
    throw InvalidArgument(error.what());  // the file was valid: it is what the options made of it
  }
  return experiment;
}

/// Results must not be written over what the experiment reads.
void require_separate_files(const ReproduceCommand& options, const Experiment& experiment) {
  RunFiles files;
  files.reads("--experiment", options.experiment);
  files.reads("--published", options.published);
  std::vector<std::string> names{"manifest.json", "summary.csv", "findings.csv", "times.csv",
                                 "report.html",   "results",     "times"};
  for (const ExperimentDataset& dataset : experiment.datasets) {
    const std::string what = fmt::format("data set '{}'", dataset.name);
    for (const fs::path& path :
         {fs::path(dataset.data), dataset.schema, dataset.model, dataset.people}) {
      files.reads(what, path);
    }
    if (dataset.model.empty()) {
      names.push_back("models/" + dataset.name + ".json");
      names.push_back("models/" + dataset.name + ".training.json");
    }
    if (dataset.people.empty()) names.push_back("people/" + dataset.name + ".csv");
  }
  for (const ExperimentMethod& method : experiment.methods) {
    for (const fs::path& path : method.counterfactuals) {
      files.reads(fmt::format("method '{}'", method.name), path);
    }
  }
  files.writes_into("--output", options.output, names);
}

/// A bar on a terminal; in a file a line for each data set and noise.
class Display {
 public:
  void training(const ExperimentDataset& dataset, const TrainProgress& progress) {
    if (trained_ != dataset.name) {
      trained_ = dataset.name;
      if (!terminal_) print_note("training a model for {}\n", dataset.name);
      bar_.emplace("training " + dataset.name, dataset.train.epochs);
    }
    bar_->update(progress.epoch);
  }
  void update(const RunProgress& progress) {
    if (!bar_ || progress.done == 0) bar_.emplace("running", progress.total);
    bar_->update(progress.done, progress.configuration, progress.seconds_left);
    const std::string block = fs::path(progress.configuration).parent_path().parent_path().string();
    if (!terminal_ && block != block_ && progress.done > 0) {
      print_note("{} of {} configurations{}\n", progress.done, progress.total,
                 progress.seconds_left
                     ? fmt::format(", about {} left", duration_text(*progress.seconds_left))
                     : "");
    }
    block_ = block;
  }
  void clear() { bar_.reset(); }

 private:
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  std::string trained_;
  std::string block_;
  std::optional<Progress> bar_;
};

void print_findings(const std::vector<ClaimFinding>& findings) {
  for (const ClaimFinding& finding : findings) {
    print_out("{:<13}  {}: {}{}\n", name_of(finding.verdict), finding.claim, finding.number,
              finding.detail.empty() ? "" : fmt::format(" ({})", finding.detail));
  }
}

int run_experiment(const ReproduceCommand& options, const std::stop_token& stop) {
  if (options.print) {
    print_out("{}", paper_experiment_text());
    return kOk;
  }
  if (options.output.empty()) {
    throw InvalidArgument("output is missing; reproduce needs --output DIR for its results");
  }
  const Experiment experiment = experiment_of(options);
  require_separate_files(options, experiment);
  std::vector<PublishedPoint> published;
  if (!options.published.empty()) {
    published = read_published(read_csv(options.published), experiment);
  }
  const ResultStore store(options.output);
  Display display;
  RunOptions run_options;
  if (!options.data_dir.empty()) run_options.data_dir = options.data_dir;
  run_options.threads = options.threads;
  run_options.times = !options.no_times;
  run_options.prepare_only = options.prepare;
  run_options.progress = [&](const RunProgress& progress) { display.update(progress); };
  run_options.training = [&](const ExperimentDataset& dataset, const TrainProgress& progress) {
    display.training(dataset, progress);
  };
  const Stopwatch watch;
  const std::optional<ExperimentResult> result = run(experiment, store, run_options, stop);
  display.clear();
  if (!result) {
    print_err("croco: interrupted; run the same command to resume\n");
    return kInterrupted;
  }
  const fs::path& folder = store.folder();
  if (options.prepare) {
    print_note("wrote models and people to {}\n", folder.string());
    return report_failed_rows(result->failures, result->failures.size()) > 0 ? kSomeRowsFailed
                                                                             : kOk;
  }
  const std::vector<ClaimFinding> findings = findings_of(*result);
  write_file(folder / "summary.csv",
             summary_csv(experiment, result->configurations, result->aggregates));
  write_file(folder / "findings.csv", findings_csv(findings));
  if (!options.no_times) {
    write_file(folder / "times.csv",
               times_csv(experiment, result->configurations, result->aggregates));
  }
  if (has_page()) {
    const unsigned threads =
        options.threads == 0 ? std::thread::hardware_concurrency() : options.threads;
    write_file(folder / "report.html", page_html(page_json(*result, findings, published, threads)));
  }
  print_findings(findings);
  flush_out();
  print_note("{} configurations ({} were there already), {}; wrote {}\n",
             result->configurations.size(), result->resumed, duration_text(watch.read().elapsed),
             (folder / (has_page() ? "report.html" : "summary.csv")).string());
  return report_failed_rows(result->failures, result->failures.size()) > 0 ? kSomeRowsFailed : kOk;
}

}  // namespace

void add_reproduce(Command& program, Environment& environment) {
  auto options = std::make_shared<ReproduceCommand>();
  Command command = program.add_command(
      "reproduce", "Run the paper's experiment, or your own, and write tables and a page");
  command.add_option("--output", options->output, "Folder for results; an interrupted run resumes")
      .type_name("DIR");
  command
      .add_option("--experiment", options->experiment,
                  "Description of the experiment [the paper's section 5]")
      .type_name("FILE");
  command.add_flag("--print-experiment", options->print,
                   "Print the paper's description, to copy and edit, and exit");
  command.add_flag(
      "--quick", options->quick,
      "A version that takes about two minutes: fewer people, targets and noise levels");
  command.add_option("--datasets", options->datasets, "Only these data sets").delimiter(',');
  command
      .add_option("--variances", options->variances,
                  "Use these variances of Gaussian noise instead")
      .delimiter(',');
  command.add_option("--targets", options->targets, "Use these targets instead").delimiter(',');
  command.add_option("--methods", options->methods, "Only these methods").delimiter(',');
  command
      .add_option("--people", options->people,
                  "Maximum number of people per data set; or a folder of given people, "
                  "DATASET.csv, to go with --models; may be repeated for both")
      .type_name("N|DIR");
  command
      .add_option("--models", options->models,
                  "Folder of given models, DATASET.json, instead of training")
      .type_name("DIR");
  command
      .add_option("--counterfactuals", options->counterfactuals,
                  "Compare another tool's advice too; may be repeated")
      .type_name("NAME=FILE");
  command
      .add_option("--published", options->published,
                  "Published figures to overlay on the report's, as CSV")
      .type_name("FILE");
  command.add_option("--data-dir", options->data_dir, "Folder with the files of named data sets")
      .type_name("DIR");
  command.add_flag("--prepare", options->prepare, "Only train the models and choose the people");
  command.add_flag("--no-times", options->no_times,
                   "Record no times, so that every run writes identical files");
  command.add_option("--threads", options->threads, "Number of threads; 0 for all cores")
      .show_default();
  command.set_example("croco reproduce --quick --datasets compas --output results");
  command.set_callback([options, &environment] {
    environment.exit_code = run_experiment(*options, environment.stop());
  });
}

}  // namespace croco::cli
