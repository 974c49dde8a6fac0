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
#include <croco/loading/encoded_examples.hpp>
#include <croco/remote/secrets.hpp>

namespace croco::cli {
namespace {

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

void ModelOptions::add_to(Command& command) {
  const Option file =
      command
          .add_option("--model", model,
                      "Model file: from croco train, ONNX, XGBoost (JSON or UBJSON), "
                      "LightGBM (text) or CatBoost "
                      "(JSON)")
          .type_name("FILE");
  add_remote_to(command, file);
  add_trees_to(command);
  command.add_option("--schema", schema, "Schema that replaces the model's own").type_name("FILE");
  command
      .add_option("--training", training,
                  "For models of other programs: the data they were trained on; its ranges are the "
                  "units of noise and cost [the data of the people]. For --reason-codes and "
                  "--plausibility also of "
                  "croco's own models")
      .type_name("FILE|NAME");
  add_score_to(command);
  command.add_flag("--encoded", encoded, "The columns are already in the model's input space");
  command.add_flag("--freeze-immutable", freeze_immutable,
                   "With --encoded: freeze the columns that the model file marks immutable");
  command.add_option("--box", box, "With --encoded: keep numeric columns within LOWER:UPPER")
      .type_name("LOWER:UPPER");
}

void ModelOptions::add_score_to(Command& command) {
  command
      .add_option("--score", score,
                  "For ONNX files whose output is ambiguous: logit or probability")
      .type_name("KIND");
  command
      .add_option("--decision", decision,
                  "For ONNX files whose label and probabilities may disagree (support vector "
                  "machines): label or probability")
      .type_name("OUTPUT");
}

void ModelOptions::add_remote_to(Command& command, Option file) {
  const Option remote_command =
      command
          .add_option("--model-command", program,
                      "Instead of a file: a program, with its arguments, that reads records and "
                      "writes probabilities (run without a shell; see docs/howto/remote-models.md)")
          .type_name("COMMAND")
          .excludes(file);
  command
      .add_option(
          "--model-url", url,
          "Instead of a file: a server that takes records as JSON and returns probabilities")
      .type_name("URL")
      .excludes(file)
      .excludes(remote_command);
  command
      .add_option("--model-header-file", header_file,
                  "With --model-url: file of HTTP headers, one per line, such as Authorization: "
                  "Bearer ...; the variable CROCO_MODEL_HEADER may hold another")
      .type_name("FILE");
  command
      .add_option("--model-protocol", protocol,
                  "csv or binary for a command, dataframe or instances for a URL [csv, dataframe]")
      .type_name("NAME");
  command
      .add_option("--model-timeout", remote.seconds, "Remote models: timeout for a batch of rows")
      .type_name("SECONDS")
      .show_default();
  command
      .add_option(
          "--model-workers", remote.workers,
          "Remote models: maximum number of processes or connections; results do not depend on it")
      .show_default();
  command
      .add_option("--model-batch", remote.batch, "Remote models: maximum number of rows per batch")
      .show_default();
}

void ModelOptions::add_trees_to(Command& command) {
  command
      .add_option(
          "--rounds", rounds,
          "XGBoost, LightGBM, CatBoost: use the rounds up to the best one, the first N, or all "
          "[all, unless the file names an earlier one as the best]")
      .type_name("NUMBER|best|all");
  command
      .add_option("--category-order", category_orders,
                  "XGBoost and LightGBM, where the file does not store its categories: a level's "
                  "code is its position in the schema, or the number that it spells; for all such "
                  "features or for one; may be repeated")
      .type_name("[FEATURE=]schema|numbers");
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
    throw InvalidArgument("one of --model, --model-command and --model-url must name the model");
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

void ModelOptions::add_cost_to(Command& command) {
  command
      .add_option("--cost", cost,
                  "Cost metric for numeric changes: l1 (share of the training data's range), mad "
                  "(median absolute deviations) or percentile (share of the training data passed)")
      .show_default();
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
    print_note(
        "note: --training does not name the data that the model was trained on; the ranges "
        "of {} are the units of noise and cost\n",
        source.data);
  }
  return {schema.empty() ? catalog_schema(*entry) : read_schema(schema), source.read()};
}

LoadModelOptions ModelOptions::loading(const SourceOptions* people) const {
  LoadModelOptions options = reading();
  options.training = [this, people] { return training_data(people); };
  options.encoded = encoded;
  if (people != nullptr)
    options.columns = [people] { return people->rows().read()->table().header; };
  options.freeze_immutable = freeze_immutable;
  options.cost = parse_cost_kind(cost);
  if (!box.empty()) options.box = parse_box(box);
  return options;
}

LoadedModel ModelOptions::load(const SourceOptions* people) const {
  const std::optional<RemoteOptions> remote_model = remote_options();
  const LoadModelOptions options = loading(people);
  LoadedModel loaded =
      remote_model ? load_remote_model(*remote_model, options) : load_model(model, options);
  if (!loaded.unfrozen.empty()) {
    print_note("note: the model file calls {} immutable; --freeze-immutable keeps {}\n",
               fmt::join(loaded.unfrozen, ", "), loaded.unfrozen.size() == 1 ? "it" : "them");
  }
  if (loaded.columns_by_order) {
    print_note("note: {} has no names of its columns; those of {} are taken in order: {}\n",
               loaded.source, people->data, fmt::join(loaded.codec.column_names(), ", "));
  }
  if (!loaded.examples && !training.empty()) {
    const SourceOptions source{.data = training, .data_dir = people_dir(people)};
    loaded.reference = [source, codec = loaded.codec] {
      return std::make_shared<const Matrix>(encoded_examples(codec, source.read()));
    };
  }
  return loaded;
}

void GoalOptions::add_to(Command& command) {
  command
      .add_option("--threshold", threshold,
                  "The model predicts class 1 when its score exceeds this")
      .show_default("0.5");
  command.add_option("--want", wanted, "Desired class, 1 or 0").show_default("1");
}

Goal GoalOptions::resolve(const LoadedModel& loaded) const {
  const Goal usual = loaded.goal.value_or(Goal());
  return Goal(threshold.value_or(usual.threshold()), wanted.value_or(usual.wanted()));
}

void ProofOptions::add_to(Command& command) {
  const Option exactly =
      command.add_option("--samples", samples,
                         "Use exactly N fresh samples per certificate [no more than are needed]");
  command
      .add_option("--max-samples", max_samples, "Maximum number of fresh samples per certificate")
      .show_default()
      .positive()
      .excludes(exactly);
  command
      .add_option("--family", family,
                  "Number of people whose certificates hold jointly at the confidence, or all for "
                  "the rows of this run; each gets an equal share of the error")
      .show_default()
      .type_name("NUMBER|all");
  add_common_to(command);
}

void ProofOptions::add_fixed_to(Command& command) {
  command.add_option("--samples", samples, "Fresh samples per person [100000]");
  add_common_to(command);
}

void ProofOptions::add_common_to(Command& command) {
  command.add_option("--confidence", confidence, "Confidence of each certificate").show_default();
  command.add_option("--bound", bound,
                     "Bound the rate from samples even where it has a closed form: "
                     "clopper-pearson, hoeffding or empirical-bernstein [clopper-pearson]");
  command.add_flag("--independent-samples,--own-draws", independent_samples,
                   "Draw separate certificate samples for every person, so that certificates are "
                   "independent of each other");
  command.add_option("--seed", seed, "Seed of all samples").show_default();
  command.add_option("--threads", threads, "Number of threads; 0 for all cores").show_default();
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

void MethodOptions::add_to(Command& command) {
  command.add_option("--target", target, "Highest acceptable invalidation rate").show_default();
  command
      .add_option("--search", search,
                  "Certified: gradient, gradient-free (from model queries alone), or auto")
      .show_default();
  command
      .add_option("--search-rows", search_rows,
                  "Certified, gradient-free: query budget per person, in rows [4000000; remote "
                  "models 1600000, and 200000 where they suffice]")
      .positive();
  command.add_flag("--as-published", settings.as_published,
                   "Run the published algorithm: lambda may turn negative, no bounds or immutable "
                   "features, CROCO stops as soon as the class flips");
  command.add_option("--margin", settings.margin,
                     "CROCO: margin m of its bound [planned; 0.1 as published]");
  command.add_option("--bound-samples,--draws", settings.draws,
                     "CROCO: K, the samples that evaluate its bound [planned; 500 as published]");
  command.add_option("--step-samples,--step-draws", settings.step_draws,
                     "CROCO: samples per gradient step [500]");
  command.add_option("--learning-rate", settings.learning_rate, "Adam's learning rate [by method]");
  command.add_option("--lambda", settings.lambda, "Initial weight of the distance [by method]");
  command.add_option("--block-steps", settings.block_steps,
                     "Steps before lambda is reduced [by method]");
  command.add_option("--max-blocks", settings.max_blocks,
                     "Maximum number of blocks of steps [by method]");
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
  Method made = make_method(method, with_search(), target, proof.confidence);
  if (auto* certified = std::get_if<Certified>(&made)) certified->search_budget = search_rows;
  return made;
}

MethodSettings MethodOptions::with_search() const {
  MethodSettings out = settings;
  out.search = parse_search(search);
  return out;
}

NamedFile parse_named_file(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw InvalidArgument(
        fmt::format("counterfactuals is '{}'; it must be NAME=FILE, such as dice=cf.csv", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace croco::cli
