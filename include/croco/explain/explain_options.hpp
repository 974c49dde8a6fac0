// SPDX-License-Identifier: Apache-2.0
/// What a run of explanations is asked for.
///
///     croco::ExplainOptions options{.method = croco::Certified{.target = 0.1}, .alternatives = 3};
///     options.certify.confidence = 0.99;
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <croco/data/codec.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/methods/method.hpp>
#include <croco/noise/noise.hpp>
#include <croco/proof/proof.hpp>
#include <croco/robustness/certificate.hpp>
#include <croco/robustness/goal.hpp>
#include <croco/space/space.hpp>

namespace croco {

class SampleCache;
class SurrogateCache;

/// What one feature may not do in this request.
struct Restriction {
  std::size_t feature = 0;  ///< index into the schema
  bool fixed = false;       ///< stays as it is
  /// Of a number, in its own units; the schema's range holds too.
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  Movement movement = Movement::both;  ///< of a category along the order of its levels
  std::vector<std::string> levels{};   ///< of a category, where it may go; empty: anywhere

  bool operator==(const Restriction&) const = default;
};

/// Every field has a default; with none given, an Explainer does what `croco explain` does.
/// Rows that a model may be asked for where every query is expensive.
struct QueryBudget {
  /// For each person at most: score, pilot and certificates of all alternatives, and the rows that
  /// keep watch over a remote model. An answer says how many it took.
  std::size_t rows = 2000;
  /// Asked once for everybody, about: a surrogate of the model is fitted on them. At least 1,000.
  std::size_t shared_rows = 20'000;

  bool operator==(const QueryBudget&) const = default;
};

struct ExplainOptions {
  /// How a change is searched for, and the target that it must meet. `Certified` gives the shortest
  /// changes that keep a certificate; the others reproduce published methods.
  Method method = Certified{};
  /// How a person's result deviates from the recommendation: the distribution of e in the
  /// invalidation rate P(f(x' + e) <= t). Every rate, certificate and proof is about this noise, so
  /// state what you know of it. None: what the schema states, or else what is assumed
  /// (`default_noise`).
  std::optional<Noise> noise = {};
  /// The wanted class and its decision threshold.
  Goal goal = Goal();
  /// Confidence, samples and bound of the certificates. For a joint statement about M people set
  /// `certify.family = M` before the run.
  CertifyOptions certify = {};
  /// When given, every answer but `already` and `error` gets a proof of what its target costs at
  /// least. For methods with a target; not for runs as published, which ignore what is admissible.
  /// A proof takes 1/64 of a person's error; the certificate of method certified is the same with
  /// and without it.
  std::optional<ProveOptions> prove = {};
  /// What to do with records that lack a value.
  MissingPolicy missing = MissingPolicy::error;
  /// True: people share the samples of certificates, which is faster. Each statement holds either
  /// way, since it is about one person; but errors are then correlated, and an unlucky set of
  /// samples is unlucky for many people at once. False: samples of their own, and certificates that
  /// are independent of each other.
  bool shared_draws = true;
  /// Of every random sample. The same seed and options give the same answers on any number of
  /// threads.
  std::uint64_t seed = 0;
  unsigned threads = 1;  ///< 0: all that the machine has
  /// Method certified: find out why somebody has no certified recommendation, and which relaxation
  /// (a higher target, less noise, one limit lifted) would give one. Costs some dozens of searches
  /// for each such person; where queries are expensive a dozen at most, each within its first rows
  /// (`Certified::soft_search_budget`).
  bool reasons = true;
  /// Reason codes of the schema that every refused answer names at most, the largest gain first; 0
  /// for none. They need rows of people such as the model was trained on.
  std::size_t reason_codes = 0;
  /// Say how unusual recommended records are among accepted people. It needs such rows too.
  bool plausibility = false;
  /// Seconds for the search and the reasons of one person, > 0: what was best by then is certified
  /// and reported. Method certified only. Results then depend on the machine.
  std::optional<double> time_limit = {};
  /// Method certified: never ask for more rows than this. Searches then run on a surrogate, and the
  /// model itself is asked for a pilot and for certificates with few samples, at most
  /// `certify.samples`. Changes are longer than without a budget, since few samples certify only a
  /// rate well below the target. Reasons are not looked for. It needs people such as the model was
  /// trained on (`LoadedModel::examples`), and excludes proofs, time limits, retrained models and
  /// missing values that are kept.
  std::optional<QueryBudget> query_budget = {};
  /// Where surrogates are kept for further explainers of the same model; none: each fits its own.
  std::shared_ptr<SurrogateCache> surrogates = {};
  /// False: recommendations alone, without certificates; method certified needs them.
  bool certificates = true;
  /// Features that a recommendation may change at most, at least 1, in place of what the schema
  /// says. A smaller number makes it simpler and more expensive.
  std::optional<std::size_t> max_changes = {};
  /// Method certified: up to this many alternatives for each person, 1 .. 16. None changes all the
  /// features of a cheaper one. Their certificates hold jointly: with M alternatives each has 1 / M
  /// of the person's error, so that each change is slightly longer than it would be alone.
  std::size_t alternatives = 1;
  bool disjoint = false;  ///< no two alternatives have a changed feature in common
  /// Limits of this request on top of the schema's.
  std::vector<Restriction> restrictions = {};
  /// Retrained models that advice has to survive too: the search pools failures over some of them,
  /// and the others certify. Method certified then meets its target for the model in use under
  /// noise, and for the joint rate over retrained models and noise.
  std::shared_ptr<const ModelPopulation> models = {};
  /// How the statements about them are made. An Explainer sets all but `confidence`, `samples` and
  /// `limit` itself.
  ModelChangeOptions model_change = {};
  /// Where bound samples are kept for the next person and for other explainers; none: they are made
  /// for every call. Answers are the same either way.
  std::shared_ptr<SampleCache> samples = {};
};

}  // namespace croco
