// SPDX-License-Identifier: Apache-2.0
/// The whole path of a row, in the only place where it meets: encode, search, round, certify,
/// decode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/data/codec.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/explain/missing_values.hpp>
#include <croco/methods/method.hpp>
#include <croco/methods/search.hpp>
#include <croco/models/model.hpp>
#include <croco/noise/noise.hpp>
#include <croco/proof/prove.hpp>
#include <croco/robustness/certificate.hpp>
#include <croco/robustness/problem.hpp>
#include <croco/space/admissible.hpp>

namespace croco {

struct ExplainOptions {
  Method method = Certified{};
  Noise noise = {};
  Goal goal = Goal();
  CertifyOptions certify = {};
  /// When given, every answer but `already` and `error` gets a proof of what its target costs at
  /// least. For methods with a target; not for runs as published, which ignore what is admissible.
  std::optional<ProveOptions> prove = {};
  MissingPolicy missing = MissingPolicy::error;
  ModelOfCodec models = {};  ///< for MissingPolicy::keep, see MissingValues
  bool shared_draws = true;
  std::uint64_t seed = 0;
  unsigned threads = 1;  ///< 0: all that the machine has
  /// Method certified: find out why somebody has no certified advice, and what would give it. Costs
  /// some dozens of searches for each such person.
  bool reasons = true;
  /// Seconds for the search and the reasons of one person, > 0: what was best by then is certified
  /// and told. Method certified only. Results then depend on the machine.
  std::optional<double> time_limit = {};
  /// Advice alone when not; method certified needs its certificates.
  bool certificates = true;
  /// Features that advice may change at most, at least 1, in place of what the schema says.
  std::optional<std::size_t> max_changes = {};
  /// Method certified: up to so many different ways to the wanted answer, 1 .. 16. None changes all
  /// the features of a cheaper one. Their certificates hold together: each has its share of the
  /// error.
  std::size_t options = 1;
  bool disjoint = false;  ///< no two options have a changed feature in common
};

/// Explains people for one model. Immutable and thread-safe; what people share is made once.
class Explainer {
 public:
  /// Throws InvalidArgument, ModelError or DataError when the parts do not fit.
  Explainer(std::shared_ptr<const Model> model, Codec codec, ExplainOptions options);
  Explainer(const Explainer&) = delete;  // the problem refers to the codec beside it
  Explainer& operator=(const Explainer&) = delete;

  /// One answer per person, in their order. An answer is a function of the person's row and values
  /// alone: not of the others, their order or the threads. When `stop` is requested, the answers of
  /// the people that were not finished are left out at the end.
  [[nodiscard]] std::vector<Explanation> explain(std::span<const Person> people,
                                                 const std::stop_token& stop = {}) const;

  [[nodiscard]] const Codec& codec() const noexcept { return codec_; }
  [[nodiscard]] const ExplainOptions& options() const noexcept { return options_; }
  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }

 private:
  /// A person whose answer is being made.
  struct Told {
    const Person* person;
    Explanation* answer;
  };

  /// What is known before any search; `infeasible` until one finds something, with a reason when
  /// none can.
  [[nodiscard]] Explanation before(const Person& person) const;
  void tell_all(std::span<const Told> people, std::span<const Counterfactual> found,
                std::size_t attempt) const;
  /// Sets what is told for a point; false when no steps nearby keep the relations.
  [[nodiscard]] bool tell(const Person& person, View point, Rounding rounding,
                          Explanation& out) const;
  /// What is told beside the first answers, by option and person; no certificates yet.
  [[nodiscard]] std::vector<std::vector<Explanation>> other_ways(
      std::span<const Person> people, std::span<const Explanation> answers,
      const std::stop_token& stop) const;
  /// The options that are certified and differ, the cheapest as the answer, the others behind it.
  void gather(std::vector<std::vector<Explanation>> others,
              std::vector<Explanation>& answers) const;
  void describe(const Judgement& judgement, Explanation& out) const;
  /// `explain` for people who have all their values, or lack the codec's missing ones.
  [[nodiscard]] std::vector<Explanation> explain_alike(std::span<const Person> people,
                                                       const std::stop_token& stop) const;
  /// `explain` under MissingPolicy::keep, and for people who lack exactly these features.
  [[nodiscard]] std::vector<Explanation> explain_kept(std::span<const Person> people,
                                                      const std::stop_token& stop) const;
  [[nodiscard]] std::vector<Explanation> explain_pattern(const std::vector<std::size_t>& features,
                                                         std::span<const Person> people,
                                                         const std::stop_token& stop) const;
  /// The answers of these people; what `limit` ends is told as far as it got.
  [[nodiscard]] std::vector<Explanation> answer_all(std::span<const Person> people,
                                                    const std::stop_token& stop,
                                                    const std::stop_token& limit) const;
  void certify_all(std::span<const Person> people, std::vector<Explanation>& answers,
                   const std::stop_token& stop) const;
  void prove_all(std::vector<Explanation>& answers, const std::stop_token& stop) const;

  std::shared_ptr<const Model> model_;
  Codec codec_;
  ExplainOptions given_;  ///< as they were asked for
  ExplainOptions options_;
  Problem problem_;
  std::unique_ptr<const Search> search_;
};

/// The record that is told for a point: decoded, except that what did not change is told as the
/// person gave it. Values that were missing are told as they were filled in: they are part of what
/// is certified.
[[nodiscard]] Record told_record(const Codec& codec, const Record& before, View origin, View point);
/// How many features have changed columns.
[[nodiscard]] std::size_t features_changed(const Codec& codec, View origin, View point);

}  // namespace croco
