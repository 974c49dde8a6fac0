// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/option_effects.hpp>

#include <algorithm>
#include <array>

namespace croco::cli {
namespace {

using namespace std::string_view_literals;

/// They name files, say how a run goes, or what it prints.
constexpr std::array kNoEffect{"help"sv,
                               "help-all"sv,
                               "model"sv,
                               "models"sv,
                               "model-command"sv,
                               "model-url"sv,
                               "model-protocol"sv,
                               "model-timeout"sv,
                               "model-workers"sv,
                               "model-batch"sv,
                               "model-header-file"sv,
                               "schema"sv,
                               "training"sv,
                               "data-dir"sv,
                               "scores"sv,
                               "run-time-limit"sv,
                               "threads"sv,
                               "batch"sv,
                               "output"sv,
                               "print"sv,
                               "table"sv,
                               "words"sv,
                               "json"sv,
                               "resume"sv,
                               "restart"sv};
/// Answers depend on what is in these files.
constexpr std::array kNoiseFiles{"noise-file"sv, "noise-covariance"sv};
/// They choose people, their encoding and how files are written.
constexpr std::array kPeopleAndFiles{"spreadsheet-safe"sv,
                                     "encoded"sv,
                                     "freeze-immutable"sv,
                                     "box"sv,
                                     "cost"sv,
                                     "data"sv,
                                     "counterfactuals"sv,
                                     "id"sv,
                                     "keep"sv,
                                     "rows"sv,
                                     "group"sv,
                                     "reference"sv,
                                     "score-strata"sv,
                                     "gap-confidence"sv,
                                     "resamples"sv,
                                     "premium"sv,
                                     "swap"sv};

template <std::size_t N>
bool has(const std::array<std::string_view, N>& options, std::string_view option) noexcept {
  return std::ranges::find(options, option) != options.end();
}

}  // namespace

bool changes_outputs(std::string_view option) noexcept {
  return !has(kNoEffect, option) && !has(kNoiseFiles, option);
}

bool decides_answers(std::string_view option) noexcept {
  return !has(kNoEffect, option) && !has(kPeopleAndFiles, option);
}

}  // namespace croco::cli
