// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/scores.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <apps/cli/print.hpp>
#include <croco/base/error.hpp>
#include <croco/loading/people_stream.hpp>

namespace croco::cli {
namespace {

/// What makes an exported model another one, when nothing about the scores says more.
std::string hint_on(const LoadedModel& loaded) {
  if (!loaded.caution.empty()) return "\n" + loaded.caution;
  if (loaded.program != "ONNX") return {};
  return "\nThe model here is the ONNX file, which computes in single precision. If onnxruntime "
         "gives croco's scores for these rows, the export is not your model: a tree behind a "
         "scaler "
         "often ends in another leaf, so leave the scaler out (trees need none) and export again, "
         "or "
         "query the model itself with --model-command";
}

/// Passes over the scores of the first rows.
void skip(ScoreReader& reader, std::size_t rows) {
  constexpr std::size_t kAtOnce = 4096;
  while (rows > 0) {
    const std::size_t got = reader.next(std::min(rows, kAtOnce)).scores.size();
    if (got == 0) return;
    rows -= got;
  }
}

}  // namespace

void ScoreOptions::add_to(Command& command) {
  command
      .add_option("--scores", scores,
                  "Your own program's probabilities of class 1 for the same rows: a column of the "
                  "data, or a CSV file with one per row. Where the model's differ, the run stops "
                  "(see docs/reference/models.md)")
      .type_name("FILE|COLUMN");
}

std::string ScoreOptions::compare(const LoadedModel& loaded, const Goal& goal,
                                  const RowSource& rows, std::size_t begin, std::size_t end,
                                  MissingPolicy missing) const {
  constexpr std::size_t kAtOnce = 4096;
  ScoreReader reader(scores, rows);
  skip(reader, begin);
  const MissingValues values{missing, loaded.models};
  ScoreComparison comparison(*loaded.model, loaded.codec, goal, values);
  PeopleStream people(rows, loaded.codec.schema(), begin, end);
  while (true) {
    const std::vector<Person> some = people.next(kAtOnce);
    if (some.empty()) break;
    comparison.add(some, reader.next(some.size()));
  }
  const ScoreCheck check = comparison.finish();
  std::string text = text_of(check, goal, reader.source(), loaded.source);
  if (check.agrees()) return text;
  if (check.mistake == ScoreMistake::none) text += hint_on(loaded);
  throw ModelError(text);
}

void ScoreOptions::check(const LoadedModel& loaded, const Goal& goal, const RowSource& rows,
                         std::size_t begin, std::size_t end, MissingPolicy missing) const {
  if (!scores.empty()) {
    print_note("note: {}\n", compare(loaded, goal, rows, begin, end, missing));
  } else if (!loaded.caution.empty()) {
    print_note("note: {}\n", loaded.caution);
  } else if (!loaded.program.empty()) {
    recommend_scores(loaded.program);
  }
}

void recommend_scores(const std::string& program) {
  print_note(
      "note: --scores compares this model of {} with the probabilities that your own program "
      "gives for the same rows, so that what is certified is the model that you run\n",
      program);
}

}  // namespace croco::cli
