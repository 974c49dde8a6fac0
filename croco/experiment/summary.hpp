// SPDX-License-Identifier: Apache-2.0
/// Many answers in a few numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <croco/base/spooled_median.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/space/distance.hpp>

namespace croco {

/// Means are over the people with advice.
struct Summary {
  std::string name;
  std::size_t people = 0;  ///< rows, `already` and `error` among them
  std::size_t already = 0;
  std::size_t errors = 0;
  std::size_t infeasible = 0;
  std::size_t advised = 0;   ///< with advice
  std::size_t rule_met = 0;  ///< of these, with the method's own rule met
  double validity = 0.0;     ///< share of the asked-for people with valid advice
  double l0 = 0.0;           ///< mean features changed
  double l1 = 0.0;
  double l1_median = 0.0;
  double l2 = 0.0;
  double linf = 0.0;
  double cost = 0.0;                         ///< of the codec's kind
  double rate = 0.0;                         ///< mean measured invalidation rate
  double upper = 0.0;                        ///< mean certified bound
  std::optional<double> rate_above_target;   ///< share with a measured rate above the target
  std::optional<double> bound_above_target;  ///< share whose bound does not meet the target
  std::optional<double> seconds_per_person;  ///< asked-for people; elapsed time
  // With retrained models: means over people of the share of models that refuse the advice itself,
  // of the failure rate over models and noise, and of the bound on that.
  std::optional<double> retraining_rate = {};
  std::optional<double> joint_rate = {};
  std::optional<double> joint_upper = {};
};

/// What a summary takes from one answer.
struct AnswerFacts {
  Status status = Status::error;
  bool valid = false;
  std::size_t features_changed = 0;
  Distances distance = {};
  std::optional<double> rate = {};   ///< with a certificate
  std::optional<double> upper = {};  ///< the same
  // With retrained models.
  std::optional<double> retraining_rate = {};
  std::optional<double> joint_rate = {};
  std::optional<double> joint_upper = {};
};

[[nodiscard]] AnswerFacts facts_of(const Explanation& answer);
/// A line of text, from which `parse_facts` has the same numbers. Throws DataError for another one.
[[nodiscard]] std::string facts_line(const AnswerFacts& facts);
[[nodiscard]] AnswerFacts parse_facts(const std::string& line);

/// A summary of answers that come one after the other; little to remember, however many there are.
class SummaryBuilder {
 public:
  explicit SummaryBuilder(std::optional<double> target) : target_(target) {}

  void add(const AnswerFacts& facts);
  /// `seconds`: the time that all the answers took.
  [[nodiscard]] Summary finish(std::string name, std::optional<double> seconds) const;

 private:
  std::optional<double> target_;
  Summary sums_;
  std::size_t valid_ = 0;
  std::size_t rate_above_ = 0;
  std::size_t bound_above_ = 0;
  std::size_t judged_ = 0;  ///< by retrained models
  double retraining_ = 0;
  double joint_ = 0;
  double joint_upper_ = 0;
  SpooledMedian l1_;
};

/// `target` is what the shares are counted against; `seconds` the time that all the answers took.
[[nodiscard]] Summary summarize(std::string name, std::span<const Explanation> answers,
                                std::optional<double> target, std::optional<double> seconds);

}  // namespace croco
