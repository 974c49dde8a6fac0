// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/scores.hpp>

#include <fmt/format.h>

#include <apps/cli/print.hpp>
#include <croco/base/error.hpp>

namespace croco::cli {

void ScoreOptions::add_to(Command& command) {
  command
      .add_option("--scores", scores,
                  "Your own program's probabilities of class 1 for the same rows: a column of the "
                  "data, or a CSV file with one per row. Where the model's differ, the run stops "
                  "(see docs/models.md)")
      .type_name("FILE|COLUMN");
}

std::string ScoreOptions::compare(const LoadedModel& loaded, const Goal& goal,
                                  const CsvTable& table, std::span<const Person> people,
                                  MissingPolicy missing) const {
  const StatedScores stated = read_scores(scores, table);
  const ScoreCheck check =
      compare_scores(*loaded.model, loaded.codec, goal, people, stated, {missing, loaded.models});
  std::string text = text_of(check, goal, stated, loaded.source);
  if (!check.agrees()) throw ModelError(text);
  return text;
}

void ScoreOptions::check(const LoadedModel& loaded, const Goal& goal, const CsvTable& table,
                         std::span<const Person> people, MissingPolicy missing) const {
  if (!scores.empty()) {
    print_err("note: {}\n", compare(loaded, goal, table, people, missing));
  } else if (!loaded.program.empty()) {
    recommend_scores(loaded.program);
  }
}

void recommend_scores(const std::string& program) {
  print_err(
      "note: --scores compares this model of {} with the probabilities that your own program "
      "gives for the same rows, so that what is certified is the model that you run\n",
      program);
}

}  // namespace croco::cli
