// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/options.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include <apps/cli/people.hpp>
#include <apps/cli/print.hpp>
#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/sha256.hpp>
#include <croco/explain/donors.hpp>
#include <croco/remote/secrets.hpp>
#include <croco/report/spreadsheet.hpp>

namespace croco::cli {
namespace {

/// Of models elsewhere, whose rows are dear: what the search asks for if that is enough, at most,
/// and calibrates on.
constexpr std::size_t kRemoteThriftyRows = 200'000;
constexpr std::size_t kRemoteSearchRows = 1'600'000;
constexpr std::size_t kRemoteCalibration = 8192;

Interval parse_box(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto lower = parse_number(text.substr(0, colon));
  const auto upper =
      colon == std::string::npos ? std::nullopt : parse_number(text.substr(colon + 1));
  if (!lower || !upper) {
    throw InvalidArgument(fmt::format("box is '{}'; it must be LOWER:UPPER, such as 0:1", text));
  }
  return {*lower, *upper};
}

std::size_t parse_family(const std::string& text) {
  const auto number = parse_number(text);
  if (!number || *number < 1 || *number != std::floor(*number) || *number > 1e15) {
    throw InvalidArgument(
        fmt::format("family is '{}'; it must be a whole number of at least 1, or all", text));
  }
  return static_cast<std::size_t>(*number);
}

std::string people_dir(const SourceOptions* people) {
  return people == nullptr ? std::string() : people->data_dir;
}

}  // namespace

void ModelOptions::add_to(CLI::App& command) {
  CLI::Option* file =
      command
          .add_option("--model", model,
                      "Model file: of croco train, ONNX, XGBoost (JSON or UBJSON) or LightGBM "
                      "(text)")
          ->type_name("FILE");
  add_remote_to(command, file);
  add_trees_to(command);
  command.add_option("--schema", schema, "Schema that replaces the model's own")->type_name("FILE");
  command
      .add_option("--training", training,
                  "For a model of another program: data that it was trained on, whose ranges are "
                  "the units of noise and cost [the people's]")
      ->type_name("FILE|NAME");
  command
      .add_option("--score", score,
                  "An ONNX file whose output could be either: logit or probability")
      ->type_name("KIND");
  command
      .add_option("--decision", decision,
                  "An ONNX file whose label and probabilities may disagree (support vector "
                  "machines): label or probability")
      ->type_name("OUTPUT");
  command.add_flag("--encoded", encoded, "The columns are already in the model's space");
  command.add_flag("--freeze-immutable", freeze_immutable,
                   "With --encoded: keep the columns that the model file calls immutable");
  command.add_option("--box", box, "With --encoded: keep numeric columns within LOWER:UPPER")
      ->type_name("LOWER:UPPER");
}

void ModelOptions::add_remote_to(CLI::App& command, CLI::Option* file) {
  CLI::Option* elsewhere =
      command
          .add_option("--model-command", program,
                      "Instead of a file: a program that reads records and writes probabilities, "
                      "with its arguments (no shell; see docs/models.md)")
          ->type_name("COMMAND")
          ->excludes(file);
  command
      .add_option("--model-url", url,
                  "Instead of a file: a server that takes records as JSON and answers with "
                  "probabilities")
      ->type_name("URL")
      ->excludes(file)
      ->excludes(elsewhere);
  command
      .add_option("--model-header-file", header_file,
                  "A URL: file with headers for the server, such as Authorization: Bearer ..., one "
                  "per line; the variable CROCO_MODEL_HEADER may hold one too")
      ->type_name("FILE");
  command
      .add_option("--model-protocol", protocol,
                  "csv or binary for a command, dataframe or instances for a URL [csv, dataframe]")
      ->type_name("NAME");
  command
      .add_option("--model-timeout", remote.seconds,
                  "A command or URL: longest time for a batch of rows")
      ->type_name("SECONDS")
      ->capture_default_str();
  command
      .add_option("--model-workers", remote.workers,
                  "A command or URL: processes or connections at most; no result depends on it")
      ->capture_default_str();
  command.add_option("--model-batch", remote.batch, "A command or URL: rows in a batch at most")
      ->capture_default_str();
}

void ModelOptions::add_trees_to(CLI::App& command) {
  command
      .add_option("--rounds", rounds,
                  "XGBoost and LightGBM: use the rounds up to the best one, the first so many, or "
                  "all [all, when the file names no earlier one as the best]")
      ->type_name("NUMBER|best|all");
  command
      .add_option(
          "--category-order", category_orders,
          "XGBoost and LightGBM, where the file does not hold its categories: the code of a "
          "level is its place in the schema, or the number that it is; for all such "
          "features or for one; may be repeated")
      ->type_name("[FEATURE=]schema|numbers");
}

LoadModelOptions ModelOptions::reading() const {
  LoadModelOptions out;
  if (!schema.empty()) out.schema = read_schema(schema);
  if (!rounds.empty()) out.rounds = parse_rounds(rounds);
  out.category_orders = parse_category_orders(category_orders);
  out.score = {parse_score_kind(score), parse_decided_by(decision)};
  return out;
}

std::optional<RemoteOptions> ModelOptions::remote_options() const {
  if (program.empty() && url.empty()) {
    if (!model.empty()) return std::nullopt;
    throw InvalidArgument("one of --model, --model-command and --model-url must say the model");
  }
  RemoteOptions out = remote;
  out.kind = url.empty() ? RemoteOptions::Kind::command : RemoteOptions::Kind::url;
  out.address = url.empty() ? program : url;
  out.protocol = parse_remote_protocol(protocol);
  if (!header_file.empty()) out.headers = read_headers(header_file);
  constexpr const char* kVariable = "CROCO_MODEL_HEADER";
  if (const char* text = std::getenv(kVariable); text != nullptr && !url.empty()) {
    std::ranges::move(parse_headers(text, kVariable), std::back_inserter(out.headers));
  }
  return validated(out);
}

void ModelOptions::add_cost_to(CLI::App& command) {
  command
      .add_option("--cost", cost,
                  "What the way of a number costs: l1 (share of the training data's range), mad "
                  "(median absolute deviations) or percentile (share of the data passed)")
      ->capture_default_str();
}

TrainingData ModelOptions::training_data(const SourceOptions* people) const {
  if (training.empty() && people == nullptr) {
    throw InvalidArgument(
        "this model is of another program, so --training must name the data that it was trained "
        "on");
  }
  const SourceOptions source =
      training.empty() ? *people : SourceOptions{.data = training, .data_dir = people_dir(people)};
  const CatalogEntry* entry = source.entry();
  if (schema.empty() && entry == nullptr) {
    throw InvalidArgument(
        "this model is of another program, so --schema must say what its columns mean (croco "
        "inspect writes one)");
  }
  if (training.empty()) {
    print_err(
        "note: --training does not name the data that the model was trained on; the ranges "
        "of {} are the units of noise and cost\n",
        source.data);
  }
  return {schema.empty() ? catalog_schema(*entry) : read_schema(schema), source.read()};
}

LoadedModel ModelOptions::load(const SourceOptions* people) const {
  const std::optional<RemoteOptions> elsewhere = remote_options();
  LoadModelOptions options = reading();
  options.training = [&] { return training_data(people); };
  options.encoded = encoded;
  if (people != nullptr) options.columns = [people] { return people->read().header; };
  options.freeze_immutable = freeze_immutable;
  options.cost = parse_cost_kind(cost);
  if (!box.empty()) options.box = parse_box(box);
  LoadedModel loaded =
      elsewhere ? load_remote_model(*elsewhere, options) : load_model(model, options);
  if (!loaded.unfrozen.empty()) {
    print_err("note: the model file calls {} immutable; --freeze-immutable keeps {}\n",
              fmt::join(loaded.unfrozen, ", "), loaded.unfrozen.size() == 1 ? "it" : "them");
  }
  if (loaded.columns_by_order) {
    print_err("note: {} has no names of its columns; those of {} are taken in order: {}\n",
              loaded.source, people->data, fmt::join(loaded.codec.column_names(), ", "));
  }
  return loaded;
}

void GoalOptions::add_to(CLI::App& command) {
  command.add_option("--threshold", threshold, "The model says 1 when its score is above")
      ->capture_default_str();
  command.add_option("--want", wanted, "The class that is wanted, 1 or 0")->capture_default_str();
}

void ProofOptions::add_to(CLI::App& command) {
  CLI::Option* exactly = command.add_option(
      "--samples", samples,
      "Make exactly so many fresh draws per certificate [no more than are needed]");
  command.add_option("--max-samples", max_samples, "Fresh draws per certificate at most")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->excludes(exactly);
  command
      .add_option("--family", family,
                  "People of whom all certificates hold together at the confidence: a number, or "
                  "all for the rows of this run; each gets that part of the error")
      ->capture_default_str()
      ->type_name("NUMBER|all");
  add_common_to(command);
}

void ProofOptions::add_fixed_to(CLI::App& command) {
  command.add_option("--samples", samples, "Fresh draws per person [100000]");
  add_common_to(command);
}

void ProofOptions::add_common_to(CLI::App& command) {
  command.add_option("--confidence", confidence, "Confidence of each certificate")
      ->capture_default_str();
  command.add_option("--bound", bound,
                     "From draws even where the rate has a closed form: clopper-pearson, hoeffding "
                     "or empirical-bernstein [clopper-pearson]");
  command.add_flag("--own-draws", own_draws,
                   "Give every person certificate draws of their own, so that certificates are "
                   "independent of each other");
  command.add_option("--seed", seed, "Seed of all draws")->capture_default_str();
  command.add_option("--threads", threads, "Threads; 0 for all there are")->capture_default_str();
}

BoundKind ProofOptions::resolve_bound() const {
  return bound.empty() ? BoundKind::clopper_pearson : parse_bound(bound);
}

CertifyOptions ProofOptions::resolve(std::size_t people) const {
  CertifyOptions options{
      .bound = resolve_bound(), .samples = samples.value_or(max_samples), .confidence = confidence};
  options.exact = !samples && bound.empty();
  options.sequential = !samples.has_value();
  options.family = family == "all" ? people : parse_family(family);
  validate(options);
  return options;
}

CertifyOptions ProofOptions::resolve_fixed() const {
  const CertifyOptions options{.bound = resolve_bound(),
                               .samples = samples.value_or(CertifyOptions{}.samples),
                               .confidence = confidence,
                               .exact = !samples && bound.empty(),
                               .sequential = false};
  validate(options);
  return options;
}

void MethodOptions::add_to(CLI::App& command) {
  command.add_option("--target", target, "Highest acceptable invalidation rate")
      ->capture_default_str();
  command
      .add_option("--search", search,
                  "Certified: gradient, gradient-free (from the model's answers alone), or auto")
      ->capture_default_str();
  command
      .add_option("--search-rows", search_rows,
                  "Certified, gradient-free: rows that the search of one person may ask the model "
                  "for [4000000; of a command or URL 1600000, and 200000 where they are enough]")
      ->check(CLI::PositiveNumber);
  command.add_flag("--as-published", settings.as_published,
                   "Run the published loop: lambda may turn negative, no bounds or immutables, "
                   "CROCO ends as soon as the class flips");
  command.add_option("--margin", settings.margin,
                     "CROCO: m of its bound [planned; .1 as published]");
  command.add_option("--draws", settings.draws,
                     "CROCO: K, the draws that judge its bound [planned; 500 as published]");
  command.add_option("--step-draws", settings.step_draws, "CROCO: draws per gradient step [500]");
  command.add_option("--learning-rate", settings.learning_rate, "Adam's learning rate [by method]");
  command.add_option("--lambda", settings.lambda,
                     "Weight of the distance at the start [by method]");
  command.add_option("--block-steps", settings.block_steps,
                     "Steps before lambda is lowered [by method]");
  command.add_option("--max-blocks", settings.max_blocks, "Blocks of steps at most [by method]");
}

Method MethodOptions::resolve(const std::string& method, const ProofOptions& proof) const {
  Method resolved = resolve_one_of_several(method, proof);
  require_own_settings(method, with_search());
  if (search_rows && method != "certified") {
    throw InvalidArgument(fmt::format("search-rows is for method certified; method is {}", method));
  }
  return resolved;
}

Method MethodOptions::resolve_one_of_several(const std::string& method,
                                             const ProofOptions& proof) const {
  return make_method(method, with_search(), target, proof.confidence);
}

void MethodOptions::fit_to(const LoadedModel& loaded, const Goal& goal, Method& method) const {
  auto* certified = std::get_if<Certified>(&method);
  if (certified == nullptr) return;
  certified->donors = accepted_examples(loaded, goal);
  if (is_remote(*loaded.model)) {
    certified->thrifty_rows = kRemoteThriftyRows;
    certified->search_rows = kRemoteSearchRows;
    certified->calibration_samples = kRemoteCalibration;
  }
  certified->search_rows = search_rows.value_or(certified->search_rows);
}

MethodSettings MethodOptions::with_search() const {
  MethodSettings out = settings;
  out.search = parse_search(search);
  return out;
}

ReportContext report_context(const LoadedModel& model, const Problem& problem, std::string method,
                             std::optional<double> target) {
  return {.codec = model.codec,
          .method = std::move(method),
          .target = target,
          .noise = problem.noise,
          .goal = problem.goal,
          .model_name = model.name.empty() ? model.source : model.name,
          .model_fingerprint = model.fingerprint,
          .schema_fingerprint = sha256(model.codec.json())};
}

void OutputOptions::add_to(CLI::App& command) {
  command
      .add_option("--output", paths,
                  "File to write, ending in .csv, .jsonl or .html; may be repeated")
      ->type_name("FILE");
  command.add_flag("--spreadsheet-safe", spreadsheet_safe,
                   "In .csv files, put an apostrophe before cells of text that a spreadsheet would "
                   "take for formulas");
}

std::vector<std::unique_ptr<ReportWriter>> OutputOptions::make_writers(
    const ReportContext& context) const {
  const auto is_csv = [](const std::string& path) { return path.ends_with(".csv"); };
  if (spreadsheet_safe && std::ranges::none_of(paths, is_csv)) {
    throw InvalidArgument("spreadsheet-safe is about .csv files; no --output is one");
  }
  std::vector<std::unique_ptr<ReportWriter>> writers;
  writers.reserve(paths.size());
  for (const std::string& path : paths) {
    writers.push_back(spreadsheet_safe ? make_spreadsheet_writer(path, context)
                                       : make_writer(path, context));
  }
  return writers;
}

}  // namespace croco::cli
