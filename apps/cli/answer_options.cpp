// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/answer_options.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <apps/cli/arguments.hpp>
#include <apps/cli/people.hpp>
#include <croco/base/error.hpp>

namespace croco::cli {
namespace {

bool parse_reasons(const std::string& text) {
  if (text == "on") return true;
  if (text == "off") return false;
  throw InvalidArgument(fmt::format("reasons is '{}'; it must be on or off", text));
}

/// Of `explain` and `certify`, what does not decide what an answer says once the model, the people
/// and the encoding are known; their fingerprints are in the manifest.
const std::set<std::string, std::less<>> kElsewhere{"help",
                                                    "help-all",
                                                    "model",
                                                    "model-command",
                                                    "model-url",
                                                    "model-protocol",
                                                    "model-timeout",
                                                    "model-workers",
                                                    "model-batch",
                                                    "model-header-file",
                                                    "run-time-limit",
                                                    "spreadsheet-safe",
                                                    "schema",
                                                    "training",
                                                    "encoded",
                                                    "freeze-immutable",
                                                    "box",
                                                    "cost",
                                                    "data",
                                                    "data-dir",
                                                    "counterfactuals",
                                                    "id",
                                                    "keep",
                                                    "rows",
                                                    "threads",
                                                    "batch",
                                                    "output",
                                                    "print"};

}  // namespace

void AnswerOptions::add_to(CLI::App& command) {
  command.add_option("--method", method, "certified, croco, probe or wachter")
      ->capture_default_str();
  search.add_to(command);
  noise.add_to(command);
  goal.add_to(command);
  proof.add_to(command);
  command.add_flag(
      "--prove", prove,
      "Also prove what meeting the target costs at least, or that nothing can meet it");
  command.add_option("--prove-gap", prove_gap,
                     "With --prove: how near to its own optimum the proof must come [0.005]");
  command.add_option("--prove-draws", prove_draws,
                     "With --prove: draws of its sampled problem; more make the bound higher and "
                     "the proof slower [16384]");
  command
      .add_option("--prove-time", prove_time,
                  "With --prove: at most this long per person; results then depend on the "
                  "machine's speed [no limit but on the work]")
      ->type_name("SECONDS");
  command
      .add_option("--max-changes", max_changes,
                  "Features that advice may change at most [as many as the schema says]")
      ->type_name("NUMBER");
  command
      .add_option("--options", ways,
                  "Up to so many different ways per person, cheapest first; none changes all the "
                  "features of a cheaper one, and their certificates hold together")
      ->type_name("NUMBER")
      ->capture_default_str();
  command.add_flag("--disjoint", disjoint,
                   "With --options: no two of them change the same feature");
  add_missing_option(command, missing);
  command
      .add_option("--reasons", reasons,
                  "on or off: for people without certified advice, find out why and what would "
                  "give it (method certified)")
      ->capture_default_str();
  command
      .add_option("--time-limit", time_limit,
                  "At most this long per person for the search and the reasons (method certified); "
                  "what was best by then is certified. Results then depend on the machine's speed "
                  "[no limit]")
      ->type_name("SECONDS");
}

ExplainOptions AnswerOptions::resolve(const LoadedModel& loaded, Noise resolved_noise,
                                      std::size_t people) const {
  Method resolved = search.resolve(method, proof);
  search.fit_to(loaded, goal.resolve(), resolved);
  return {.method = std::move(resolved),
          .noise = std::move(resolved_noise),
          .goal = goal.resolve(),
          .certify = proof.resolve(people),
          .prove = resolve_prove(),
          .missing = parse_missing(missing),
          .models = loaded.models,
          .shared_draws = !proof.own_draws,
          .seed = proof.seed,
          .threads = proof.threads,
          .reasons = parse_reasons(reasons),
          .time_limit = time_limit,
          .max_changes = max_changes,
          .options = ways,
          .disjoint = disjoint};
}

std::optional<ProveOptions> AnswerOptions::resolve_prove() const {
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

ReportRun report_run(const CLI::App& command, std::size_t asked) {
  ReportRun out{.command = command.get_name(), .options = {}, .asked = asked};
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_single_name();
    if (option->count() == 0 || kElsewhere.contains(name)) continue;
    for (const std::string& value : option->results()) out.options.emplace_back(name, value);
  }
  return out;
}

AnswerOptions answer_options(const ReportRun& run, const std::string& source) {
  AnswerOptions out;
  CLI::App parser;
  out.add_to(parser);
  add_number_checks(parser);
  std::vector<std::string> words;
  for (const auto& [name, value] : run.options) {
    const CLI::Option* option = parser.get_option_no_throw("--" + name);
    if (option == nullptr || kElsewhere.contains(name)) {
      throw DataError(
          fmt::format("{}: 'options' has '{}', which is no option of croco explain", source, name));
    }
    const bool flag = option->get_items_expected_max() == 0;
    words.push_back(flag ? "--" + name : fmt::format("--{}={}", name, value));
  }
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    parser.parse(words);
  } catch (const CLI::ParseError& error) {
    throw DataError(fmt::format("{}: 'options': {}", source, error.what()));
  }
  return out;
}

}  // namespace croco::cli
