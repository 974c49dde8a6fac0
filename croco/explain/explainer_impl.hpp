// SPDX-License-Identifier: Apache-2.0
/// The whole path of a row, in the only place where it meets: encode, search, round, certify,
/// decode. Its parts are in explainer.cpp (search and certificates), alternatives.cpp,
/// explain_missing.cpp, prove_answers.cpp and time_limit.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/explain/explainer.hpp>
#include <croco/explain/plausibility.hpp>
#include <croco/explain/reason_codes.hpp>
#include <croco/explain/recommendation.hpp>
#include <croco/explain/spending.hpp>
#include <croco/methods/search.hpp>
#include <croco/methods/surrogate/surrogate_search.hpp>
#include <croco/robustness/model_change.hpp>
#include <croco/robustness/problem.hpp>
#include <croco/space/admissible.hpp>

namespace croco {

class Explainer::Impl {
 public:
  Impl(LoadedModel model, ExplainOptions options, const std::stop_token& stop);
  Impl(const Impl&) = delete;  // the problem refers to the codec beside it
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] std::vector<Explanation> explain(std::span<const Person> people,
                                                 const std::stop_token& stop) const;

  [[nodiscard]] const LoadedModel& loaded() const noexcept { return loaded_; }
  [[nodiscard]] const Codec& codec() const noexcept { return codec_; }
  [[nodiscard]] const ExplainOptions& given() const noexcept { return given_; }
  [[nodiscard]] NoiseSource noise_source() const noexcept { return noise_source_; }
  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }
  [[nodiscard]] std::size_t shared_queries() const noexcept {
    return spending_ ? spending_->surrogate->rows : 0;
  }

 private:
  class WithinBudget;

  /// A person whose answer is being made.
  struct Pending {
    const Person* person;
    Explanation* answer;
  };
  /// What is known of a person before any search.
  struct Start {
    Explanation answer;
    bool searched = false;  ///< whether a search may find advice
  };

  /// Asks the model for one row.
  [[nodiscard]] Start start(const Person& person, const Model& model) const;
  /// How answers compare with accepted people, where that is asked for.
  void compare_with_accepted(const Model& model, const Codec& codec,
                             std::vector<Explanation>& answers) const;
  /// Recommends what was found, by rounding to steps that keep the method's own rule if any do.
  void recommend_all(std::span<const Pending> people, std::span<const Counterfactual> found,
                     std::size_t attempt) const;
  /// Sets the record and the point that are recommended; false when no steps nearby keep the
  /// relations and the limit on changes.
  [[nodiscard]] bool recommend_point(const Person& person, View point, Writing writing,
                                     Explanation& out) const;
  void describe(const Judgement& judgement, Explanation& out) const;
  /// What is recommended beside the first answers, by alternative and person; no certificates yet.
  [[nodiscard]] std::vector<std::vector<Explanation>> find_alternatives(
      std::span<const Person> people, std::span<const Explanation> answers,
      const std::stop_token& stop) const;
  /// The alternatives that are certified and differ, the cheapest as the answer, the others behind
  /// it.
  void gather(std::vector<std::vector<Explanation>> others,
              std::vector<Explanation>& answers) const;
  /// `explain` for people who have all their values, or lack the codec's missing ones.
  [[nodiscard]] std::vector<Explanation> explain_alike(std::span<const Person> people,
                                                       const std::stop_token& stop) const;
  /// `explain` under MissingPolicy::keep, and for people who lack exactly these features.
  [[nodiscard]] std::vector<Explanation> explain_kept(std::span<const Person> people,
                                                      const std::stop_token& stop) const;
  [[nodiscard]] std::vector<Explanation> explain_pattern(const std::vector<std::size_t>& features,
                                                         std::span<const Person> people,
                                                         const std::stop_token& stop) const;
  /// The answers of these people; what `limit` ends is reported as far as it got.
  [[nodiscard]] std::vector<Explanation> answer_all(std::span<const Person> people,
                                                    const std::stop_token& stop,
                                                    const std::stop_token& limit) const;
  /// `stop` ends the search for further attempts; `given_up` ends everything.
  void certify_all(std::span<const Person> people, std::vector<Explanation>& answers,
                   const std::stop_token& stop, const std::stop_token& given_up) const;
  /// The same where retrained models have to accept the advice too.
  void certify_with_models(std::span<const Person> people, std::vector<Explanation>& answers,
                           const std::stop_token& stop, const std::stop_token& given_up) const;
  /// What each person might be recommended, by attempt: cheapest first, each safer than the last.
  [[nodiscard]] std::vector<std::vector<Explanation>> candidates_of(
      std::span<const Person> people, const std::vector<Explanation>& answers,
      const std::stop_token& stop) const;
  /// `answer_all` within a query budget.
  [[nodiscard]] std::vector<Explanation> answer_within_budget(std::span<const Person> people,
                                                              const std::stop_token& stop) const;
  /// A person's first answer and the alternatives beside it; none when `stop` is requested.
  [[nodiscard]] std::vector<Explanation> answer_within_budget(const Person& person,
                                                              const std::stop_token& stop) const;
  void prove_all(std::vector<Explanation>& answers, const std::stop_token& stop) const;

  LoadedModel loaded_;
  Codec codec_;
  NoiseSource noise_source_;
  ExplainOptions given_;    ///< as they were asked for, with the noise and the starting points
  ExplainOptions derived_;  ///< with what follows for certificates and the search that aims at them
  Problem problem_;
  std::optional<Spending> spending_;  ///< within a query budget
  /// The same problem, with a pool of retrained models for noise samples, or of a surrogate.
  Problem search_problem_;
  Models certifying_;  ///< retrained models that no search sees
  std::unique_ptr<const Search> search_;
  const SurrogateSearch* surrogate_search_ = nullptr;  ///< the same, within a query budget
  std::optional<ReasonRanking> reasons_;               ///< where codes are asked for
  std::optional<PlausibilityScale> plausibility_;      ///< where that is asked for
};

}  // namespace croco
