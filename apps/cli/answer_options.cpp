// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/answer_options.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <apps/cli/arguments.hpp>
#include <apps/cli/option_effects.hpp>
#include <apps/cli/people.hpp>
#include <croco/base/error.hpp>

namespace croco::cli {
namespace {

bool parse_reasons(const std::string& text) {
  if (text == "on") return true;
  if (text == "off") return false;
  throw InvalidArgument(fmt::format("reasons is '{}'; it must be on or off", text));
}

}  // namespace

void AnswerOptions::add_to(Command& command) {
  command.add_option("--method", method, "certified, croco, probe or wachter").show_default();
  search.add_to(command);
  noise.add_to(command);
  goal.add_to(command);
  proof.add_to(command);
  retraining.add_to(command);
  command.add_flag(
      "--prove", prove,
      "Also prove a lower bound on the cost of meeting the target, or that nothing can meet it");
  command.add_option("--prove-gap", prove_gap,
                     "With --prove: optimality gap at which the proof may stop [0.005]");
  command.add_option("--prove-samples,--prove-draws", prove_samples,
                     "With --prove: samples of its sampled problem; more raise the bound and slow "
                     "down the proof [16384]");
  command
      .add_option("--prove-time", prove_time,
                  "With --prove: time limit per person; results then depend on the machine's speed "
                  "[none, but the work is limited]")
      .type_name("SECONDS");
  command
      .add_option("--max-changes", max_changes,
                  "Maximum number of features that advice may change [as many as the schema says]")
      .type_name("NUMBER");
  command
      .add_option("--alternatives,--options", alternatives,
                  "Up to N alternatives per person, cheapest first; none changes all the features "
                  "of a cheaper one, and their certificates hold jointly")
      .type_name("NUMBER")
      .show_default();
  command.add_flag("--disjoint", disjoint,
                   "With --alternatives: no two of them change the same feature");
  add_missing_option(command, missing);
  command
      .add_option("--reasons", reasons,
                  "on or off: for people without certified advice, find out why and what would "
                  "allow it (method certified)")
      .show_default();
  command
      .add_option("--reason-codes", reason_codes,
                  "Name up to N reason codes of the schema for every refused person, ranked by the "
                  "score that accepted people's values would gain; croco's own models need "
                  "--training [none]")
      .type_name("NUMBER");
  command.add_flag("--plausibility", plausibility,
                   "Say how unusual recommended records are among accepted people of the training "
                   "data; croco's own models need --training");
  command
      .add_option(
          "--time-limit", time_limit,
          "Time limit per person for the search and the reasons (method certified); the best "
          "result by then is certified. Results then depend on the machine's speed [no limit]")
      .type_name("SECONDS");
  command
      .add_option("--query-budget", query_budget,
                  "Never ask the model for more than N rows per person: a surrogate is searched, "
                  "and few samples certify. For models that are expensive to ask, such as 2000 "
                  "[no limit]")
      .type_name("N");
  command
      .add_option(
          "--shared-queries", shared_queries,
          "With --query-budget: rows that the model is asked for once for everybody, to fit "
          "the surrogate [20000]")
      .type_name("N");
}

ExplainOptions AnswerOptions::resolve(const LoadedModel& loaded, Noise resolved_noise,
                                      std::size_t people) const {
  return {.method = search.resolve(method, proof),
          .noise = std::move(resolved_noise),
          .goal = goal.resolve(loaded),
          .certify = proof.resolve(people),
          .prove = resolve_prove(),
          .missing = parse_missing(missing),
          .shared_draws = !proof.independent_samples,
          .seed = proof.seed,
          .threads = proof.threads,
          .reasons = parse_reasons(reasons),
          .reason_codes = reason_codes,
          .plausibility = plausibility,
          .time_limit = time_limit,
          .query_budget = resolve_budget(),
          .max_changes = max_changes,
          .alternatives = alternatives,
          .disjoint = disjoint,
          .model_change = retraining.resolve()};
}

std::optional<QueryBudget> AnswerOptions::resolve_budget() const {
  if (!query_budget) {
    if (!shared_queries) return std::nullopt;
    throw InvalidArgument("shared-queries is for --query-budget, which is not given");
  }
  QueryBudget out{.rows = *query_budget};
  out.shared_rows = shared_queries.value_or(out.shared_rows);
  return out;
}

std::optional<ProveOptions> AnswerOptions::resolve_prove() const {
  if (!prove) {
    const auto refuse = [](bool given, std::string_view option) {
      if (!given) return;
      throw InvalidArgument(fmt::format("{} is for --prove, which is not given", option));
    };
    refuse(prove_time.has_value(), "prove-time");
    refuse(prove_gap.has_value(), "prove-gap");
    refuse(prove_samples.has_value(), "prove-samples");
    return std::nullopt;
  }
  ProveOptions out{.confidence = proof.confidence, .seconds = prove_time};
  out.gap = prove_gap.value_or(out.gap);
  out.samples = prove_samples.value_or(out.samples);
  return out;
}

ReportRun report_run(const Command& command, std::size_t asked) {
  ReportRun out{.command = command.name(), .options = {}, .asked = asked};
  for (const Option& option : command.options()) {
    const std::string name = option.key();
    if (!option.is_given() || !decides_answers(name)) continue;
    for (const std::string& value : option.values()) out.options.emplace_back(name, value);
  }
  return out;
}

AnswerOptions answer_options(const ReportRun& run, const std::string& source) {
  AnswerOptions out;
  Program program;
  Command parser = program.root();
  out.add_to(parser);
  add_number_checks(parser);
  std::vector<std::string> words;
  for (const auto& [name, value] : run.options) {
    const std::optional<Option> option = parser.find_option("--" + name);
    if (!option || !decides_answers(name)) {
      throw DataError(
          fmt::format("{}: 'options' has '{}', which is no option of croco explain", source, name));
    }
    words.push_back(option->takes_value() ? fmt::format("--{}={}", name, value) : "--" + name);
  }
  if (const std::optional<ParseEnd> end = program.parse(std::move(words))) {
    throw DataError(fmt::format("{}: 'options': {}", source, end->message));
  }
  return out;
}

}  // namespace croco::cli
