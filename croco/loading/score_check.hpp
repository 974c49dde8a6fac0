// SPDX-License-Identifier: Apache-2.0
/// The user's own scores of the people, compared with the model's before anything is searched: what
/// croco certifies has to be the model that the user runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <croco/data/codec.hpp>
#include <croco/loading/missing_values.hpp>
#include <croco/loading/people.hpp>
#include <croco/loading/score_reader.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// A row whose scores differ.
struct ScoreDifference {
  std::size_t row = 0;
  std::string where;
  double stated = 0.0;
  double model = 0.0;
  int stated_class = 0;
  int model_class = 0;
};

/// A mistake that explains all scores at once.
enum class ScoreMistake : std::uint8_t {
  none,         ///< that is known
  other_class,  ///< they are the probabilities of class 0
  labels,       ///< they are 0 and 1
  half_logit,   ///< the model's logits are twice those of the scores
};

struct ScoreCheck {
  /// The largest difference of two scores, when the decisions are the same.
  static constexpr double kTolerance = 1e-4;
  static constexpr std::size_t kShown = 5;

  std::size_t compared = 0;
  std::size_t skipped = 0;  ///< rows that cannot be read, or miss values
  std::size_t different = 0;
  double largest = 0.0;                ///< difference
  std::vector<ScoreDifference> first;  ///< at most kShown
  ScoreMistake mistake = ScoreMistake::none;

  [[nodiscard]] bool agrees() const noexcept { return different == 0; }
};

/// Compares the people whose records can be encoded under the policy, and whom the model answers
/// without the values that they lack; some people at a time. What it refers to must outlive it.
class ScoreComparison {
 public:
  ScoreComparison(const Model& model, const Codec& codec, const Goal& goal,
                  const MissingValues& missing);
  ~ScoreComparison();
  /// Throws DataError when one of them has no score.
  void add(std::span<const Person> people, const StatedScores& stated);
  /// Throws DataError when there was nobody to compare. Call once.
  [[nodiscard]] ScoreCheck finish();

 private:
  class Mistakes;
  struct State;
  const Model& model_;
  const Codec& codec_;
  const Goal& goal_;
  const MissingValues& missing_;
  std::unique_ptr<State> state_;
};

/// The same in one call.
[[nodiscard]] ScoreCheck compare_scores(const Model& model, const Codec& codec, const Goal& goal,
                                        std::span<const Person> people, const StatedScores& stated,
                                        const MissingValues& missing = {});

/// How many of the people whose records can be read do not have the wanted answer yet.
[[nodiscard]] std::size_t count_refused(const Model& model, const Codec& codec, const Goal& goal,
                                        std::span<const Person> people,
                                        const MissingValues& missing = {});

/// The same for the rows `begin .. end - 1` of a source.
[[nodiscard]] std::size_t count_refused(const Model& model, const Codec& codec, const Goal& goal,
                                        const RowSource& rows, std::size_t begin, std::size_t end,
                                        const MissingValues& missing);

/// That the scores agree, how far and in how many rows; or how many differ with the first rows, a
/// line each, and what explains them all. `scores` and `model_source` are how messages name them.
[[nodiscard]] std::string text_of(const ScoreCheck& check, const Goal& goal,
                                  const std::string& scores, const std::string& model_source);

}  // namespace croco
