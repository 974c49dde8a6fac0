// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/help_topics.hpp>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace croco::cli {
namespace {

/// Behind a command's name where commands differ, as in "train batch".
struct Topic {
  std::string_view title;
  std::vector<std::string_view> common;
  std::vector<std::string_view> rest;
};

const std::vector<Topic>& topics() {
  static const std::vector<Topic> out{
      {"Model",
       {"model", "model-command", "model-url", "schema", "training", "train kind", "train hidden",
        "train label", "train favourable", "retrain like", "retrain count", "retrain resample"},
       {"threshold",
        "want",
        "scores",
        "rounds",
        "category-order",
        "score",
        "decision",
        "model-header-file",
        "model-protocol",
        "model-timeout",
        "model-workers",
        "model-batch",
        "train activation",
        "train epochs",
        "train batch",
        "train learning-rate",
        "train weight-decay",
        "train test-share",
        "train validation-share",
        "train patience",
        "train class-weights",
        "retrain epochs",
        "retrain batch",
        "retrain learning-rate",
        "retrain weight-decay",
        "retrain test-share",
        "retrain validation-share",
        "retrain patience",
        "retrain class-weights"}},
      {"Groups",
       {"audit group", "audit reference", "audit score-strata"},
       {"audit gap-confidence", "audit resamples", "audit premium", "audit swap"}},
      {"Data",
       {"data", "rows", "id", "counterfactuals", "reproduce experiment", "reproduce quick",
        "verify row"},
       {"missing", "keep", "data-dir", "encoded", "freeze-immutable", "box", "alternative",
        "manifest", "datasets", "people", "models", "published"}},
      {"Noise",
       {"noise", "noise-scale", "flip"},
       {"noise-on", "falls-short", "noise-file", "noise-covariance", "variances"}},
      {"Promise",
       {"target", "confidence", "prove", "again"},
       {"family", "samples", "max-samples", "bound", "independent-samples", "prove-gap",
        "prove-samples", "prove-time", "targets"}},
      {"Search",
       {"method", "methods", "alternatives", "max-changes"},
       {"disjoint",       "cost",          "reasons",      "reason-codes",   "plausibility",
        "search",         "search-rows",   "query-budget", "shared-queries", "time-limit",
        "run-time-limit", "batch",         "as-published", "margin",         "bound-samples",
        "step-samples",   "learning-rate", "lambda",       "block-steps",    "max-blocks"}},
      {"Retrained models",
       {"explain models", "certify models", "evaluate models", "verify models",
        "verify fresh-models"},
       {"search-models", "model-confidence", "model-samples", "model-limit"}},
      {"Server",
       {"serve host", "serve port"},
       {"serve allow-host", "serve token-file", "serve tls-cert", "serve tls-key", "serve workers",
        "serve queue", "serve connections", "serve time-limit", "serve cache", "serve log"}},
      {"Output",
       {"output", "resume", "print", "table", "json", "extract"},
       {"restart", "words", "spreadsheet-safe", "seed", "threads", "print-experiment", "prepare",
        "no-times"}},
  };
  return out;
}

bool lists(const std::vector<std::string_view>& keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

void sort_option(const std::string& command, Option option) {
  const std::string key = option.key();
  for (const std::string& name : {fmt::format("{} {}", command, key), key}) {
    for (const Topic& topic : topics()) {
      const bool common = lists(topic.common, name);
      if (!common && !lists(topic.rest, name)) continue;
      option.topic(std::string(topic.title), common);
      return;
    }
  }
}

}  // namespace

std::vector<std::string> help_topics() {
  std::vector<std::string> out;
  for (const Topic& topic : topics()) out.emplace_back(topic.title);
  return out;
}

void sort_help(const Command& program) {
  constexpr std::size_t kFew = 12;
  for (const Command& command : program.commands()) {
    sort_help(command);
    const std::vector<Option> options = command.options();
    if (options.size() <= kFew) continue;
    for (const Option& option : options) sort_option(command.name(), option);
  }
}

}  // namespace croco::cli
