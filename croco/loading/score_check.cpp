// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/score_check.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/loading/people_stream.hpp>

namespace croco {
namespace {

/// People with the models that answer them.
class AskedPeople {
 public:
  AskedPeople(const Model& model, const Codec& codec, const MissingValues& missing)
      : model_(model), codec_(codec), missing_(missing) {}

  /// Throws Error when the record cannot be read, or the model does not take what is missing.
  void add(const Person& person) {
    if (!person.problem.empty()) throw DataError(person.problem);
    std::vector<std::size_t> features;
    if (missing_.policy == MissingPolicy::keep) features = codec_.missing_features(person.record);
    const PartialModel* partial = features.empty() ? nullptr : &partial_of(features);
    const Codec& codec = partial == nullptr ? codec_ : partial->codec;
    people_.push_back({partial, codec.encode(person.record, person.where, missing_.policy)});
  }

  [[nodiscard]] Vector logits() const {
    Matrix complete(0, codec_.width());
    for (const One& one : people_) {
      if (one.partial == nullptr) complete.append(one.point);
    }
    Vector known(complete.count());
    model_.logits(complete.rows(), known);
    Vector out;
    auto next = known.begin();
    for (const One& one : people_) {
      out.push_back(one.partial == nullptr ? *next++ : one.partial->model->logit(one.point));
    }
    return out;
  }

 private:
  struct One {
    const PartialModel* partial;  ///< null when nothing is missing
    Vector point;
  };

  const PartialModel& partial_of(const std::vector<std::size_t>& features) {
    const auto found = partial_.find(features);
    if (found != partial_.end()) return found->second;
    return partial_.emplace(features, partial_model(missing_.models, codec_, features))
        .first->second;
  }

  const Model& model_;
  const Codec& codec_;
  const MissingValues& missing_;
  std::map<std::vector<std::size_t>, PartialModel> partial_;
  std::vector<One> people_;
};

std::string_view advice_on(ScoreMistake mistake) {
  switch (mistake) {
    case ScoreMistake::other_class:
      return "Your scores are the probabilities of class 0: write those of the model's class 1, "
             "such "
             "as predict_proba(X)[:, 1]";
    case ScoreMistake::labels:
      return "Your scores are all 0 or 1: write probabilities (predict_proba) and not labels "
             "(predict)";
    case ScoreMistake::half_logit:
      return "The model's logits are twice those of your scores: skl2onnx exports "
             "LinearDiscriminantAnalysis in this way. Query the model itself with --model-command";
    case ScoreMistake::none:
      break;
  }
  return {};
}

std::string number_text(double value) { return fmt::format("{:.8g}", value); }

}  // namespace

/// What the scores of all rows have in common, when they differ.
class ScoreComparison::Mistakes {
 public:
  void add(double stated, double model) {
    ++count_;
    other_class_ = other_class_ && std::abs(1 - stated - model) <= ScoreCheck::kTolerance;
    labels_ = labels_ && (stated == 0 || stated == 1);
    const double odds = stated / (1 - stated);
    half_logit_ =
        half_logit_ && std::abs(odds * odds / (1 + odds * odds) - model) <= ScoreCheck::kTolerance;
  }
  [[nodiscard]] ScoreMistake found() const noexcept {
    constexpr std::size_t kEnough = 3;  // fewer agree by chance
    if (count_ < kEnough) return ScoreMistake::none;
    if (other_class_) return ScoreMistake::other_class;
    if (labels_) return ScoreMistake::labels;
    return half_logit_ ? ScoreMistake::half_logit : ScoreMistake::none;
  }

 private:
  std::size_t count_ = 0;
  bool other_class_ = true;
  bool labels_ = true;
  bool half_logit_ = true;
};

struct ScoreComparison::State {
  ScoreCheck check;
  Mistakes mistakes;
  std::size_t people = 0;
  std::string source;
};

ScoreComparison::ScoreComparison(const Model& model, const Codec& codec, const Goal& goal,
                                 const MissingValues& missing)
    : model_(model),
      codec_(codec),
      goal_(goal),
      missing_(missing),
      state_(std::make_unique<State>()) {}

ScoreComparison::~ScoreComparison() = default;

void ScoreComparison::add(std::span<const Person> people, const StatedScores& stated) {
  state_->people += people.size();
  state_->source = stated.source;
  ScoreCheck& out = state_->check;
  AskedPeople asked(model_, codec_, missing_);
  std::vector<const Person*> compared;
  for (const Person& person : people) {
    try {
      asked.add(person);
    } catch (const Error&) {
      ++out.skipped;
      continue;
    }
    const std::size_t place = person.row - stated.first;
    if (person.row < stated.first || place >= stated.scores.size() || !stated.scores[place]) {
      throw DataError(
          fmt::format("{}: row {} ({}) has no score", stated.source, person.row, place_of(person)));
    }
    compared.push_back(&person);
  }
  out.compared += compared.size();
  const Vector logits = asked.logits();
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const Person& person = *compared[i];
    const double score = stated.scores[person.row - stated.first].value();
    const ScoreDifference one{.row = person.row,
                              .where = place_of(person),
                              .stated = score,
                              .model = sigmoid(logits[i]),
                              .stated_class = score > goal_.threshold() ? 1 : 0,
                              .model_class = logits[i] > goal_.logit_threshold() ? 1 : 0};
    state_->mistakes.add(one.stated, one.model);
    const double difference = std::abs(one.stated - one.model);
    out.largest = std::isnan(difference) ? 1 : std::max(out.largest, difference);
    // What is no number is another score.
    if (difference <= ScoreCheck::kTolerance && one.stated_class == one.model_class) continue;
    if (out.different++ < ScoreCheck::kShown) out.first.push_back(one);
  }
}

ScoreCheck ScoreComparison::finish() {
  ScoreCheck& out = state_->check;
  if (out.compared == 0) {
    throw DataError(fmt::format("{}: no score can be compared; none of the {} rows can be read",
                                state_->source, state_->people));
  }
  if (!out.agrees()) out.mistake = state_->mistakes.found();
  return out;
}

ScoreCheck compare_scores(const Model& model, const Codec& codec, const Goal& goal,
                          std::span<const Person> people, const StatedScores& stated,
                          const MissingValues& missing) {
  ScoreComparison comparison(model, codec, goal, missing);
  comparison.add(people, stated);
  return comparison.finish();
}

std::size_t count_refused(const Model& model, const Codec& codec, const Goal& goal,
                          std::span<const Person> people, const MissingValues& missing) {
  AskedPeople asked(model, codec, missing);
  for (const Person& person : people) {
    try {
      asked.add(person);
    } catch (const Error&) {
      continue;  // gets an answer that says so
    }
  }
  const Vector logits = asked.logits();
  return static_cast<std::size_t>(
      std::ranges::count_if(logits, [&](double logit) { return !goal.reached(logit); }));
}

std::size_t count_refused(const Model& model, const Codec& codec, const Goal& goal,
                          const RowSource& rows, std::size_t begin, std::size_t end,
                          const MissingValues& missing) {
  constexpr std::size_t kAtOnce = 4096;
  PeopleStream people(rows, codec.schema(), begin, end);
  std::size_t out = 0;
  while (true) {
    const std::vector<Person> some = people.next(kAtOnce);
    if (some.empty()) return out;
    out += count_refused(model, codec, goal, some, missing);
  }
}

std::string text_of(const ScoreCheck& check, const Goal& goal, const std::string& scores,
                    const std::string& model_source) {
  if (check.agrees()) {
    return fmt::format(
        "the scores of {} agree with the model's, within {:.1g} (rows compared: {}{})", scores,
        check.largest, check.compared,
        check.skipped == 0 ? ""
                           : fmt::format("; left out, since they cannot be read or miss values: {}",
                                         check.skipped));
  }
  std::string out = fmt::format(
      "{}: for {} of {} rows the score is not that of {}: it differs by more than {}, or decides "
      "otherwise at the threshold {}; the largest difference is {:.2g}",
      model_source, check.different, check.compared, scores, ScoreCheck::kTolerance,
      format_number(goal.threshold()), check.largest);
  for (const ScoreDifference& one : check.first) {
    out += fmt::format("\n  row {} ({}): your score is {}, class {}; croco's is {}, class {}",
                       one.row, one.where, number_text(one.stated), one.stated_class,
                       number_text(one.model), one.model_class);
  }
  if (check.different > check.first.size()) {
    out += fmt::format("\n  and {} more rows", check.different - check.first.size());
  }
  if (const std::string_view advice = advice_on(check.mistake); !advice.empty()) {
    out += fmt::format("\n{}", advice);
  }
  return out;
}

}  // namespace croco
