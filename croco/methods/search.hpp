// SPDX-License-Identifier: Apache-2.0
/// One method on one problem, for any number of people.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/method.hpp>
#include <croco/robustness/problem.hpp>
#include <croco/space/features.hpp>

namespace croco {

/// What a method says of a point by its own rule.
struct Judgement {
  bool reached = false;              ///< the model gives the wanted answer
  bool satisfied = false;            ///< the method's stopping rule holds
  std::optional<double> rate = {};   ///< the method's own estimate of the rate
  std::optional<double> bound = {};  ///< CROCO's bound
};

/// A point that was or will be recommended, at one of the attempts at a certificate.
struct Attempt {
  View origin;
  View point;
  std::size_t number = 0;
  bool same_features = false;  ///< another attempt may change no other features
};

/// The point of an attempt as the answer to it, where the method's rule holds there.
[[nodiscard]] Counterfactual judged_point(const Attempt& attempt, const Judgement& judgement);

/// A person who needs an alternative.
struct OtherWay {
  View origin;
  /// One of these sets is to be left alone, whichever makes for the cheapest change.
  std::vector<FeatureSet> frozen;
};

/// Immutable and thread-safe. What people share (banks of draws) is made once, at construction.
/// Every answer is a pure function of the problem, the method and the person's values: the batch
/// and the threads only decide how fast it comes.
class Search {
 public:
  virtual ~Search() = default;
  /// Searches from a person the model does not accept.
  [[nodiscard]] virtual Counterfactual find(View origin, const std::stop_token& stop) const = 0;
  /// The method's own stopping rule at any point, such as the rounded one. Methods that make
  /// several attempts at a certificate have a stricter rule for each.
  [[nodiscard]] virtual Judgement judge(View origin, View point, std::size_t attempt = 0) const = 0;

  /// The same for many people; what was not finished when `stop` is requested is `cancelled`.
  [[nodiscard]] virtual std::vector<Counterfactual> find_all(std::span<const View> origins,
                                                             unsigned threads,
                                                             const std::stop_token& stop) const;
  [[nodiscard]] virtual std::vector<Judgement> judge_all(std::span<const Attempt> points,
                                                         unsigned threads) const;
  /// Another attempt from points whose certificate failed, for methods that make several.
  [[nodiscard]] virtual std::vector<Counterfactual> retry_all(std::span<const Attempt> failed,
                                                              unsigned threads,
                                                              const std::stop_token& stop) const;
  /// Changes of other features, for methods that can. Throws InvalidArgument for the others.
  [[nodiscard]] virtual std::vector<Counterfactual> find_others(std::span<const OtherWay> people,
                                                                unsigned threads,
                                                                const std::stop_token& stop) const;
};

}  // namespace croco
