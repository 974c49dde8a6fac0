// SPDX-License-Identifier: Apache-2.0
/// What an audit asks about each person: certified advice as `croco explain` gives it, the cheapest
/// change without noise, and the same person as a member of other groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/audit/group_by.hpp>
#include <croco/audit/statistics/population.hpp>
#include <croco/explain/explainer.hpp>

namespace croco {

struct AuditQuestions {
  bool premium = true;  ///< also the cheapest change that noise may undo
  bool swap = true;     ///< also about people as members of other groups
};

/// What an audit knows of a person.
struct AuditedPerson {
  /// A yes, had the person belonged to another group.
  struct Swap {
    std::size_t attribute = 0;
    std::uint32_t group = 0;
    double cost = 0.0;  ///< 0 when the model then accepts, infinite without certified advice

    bool operator==(const Swap&) const = default;
  };

  std::size_t row = 0;
  std::vector<std::uint32_t> groups = {};  ///< by attribute; none of them when unreadable
  std::optional<Recourse> recourse = {};   ///< none for a row that could not be answered
  double score = 0.0;                      ///< probability of the wanted class today
  double cost = std::numeric_limits<double>::infinity();
  double plain = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> changed = {};  ///< features that certified advice changes
  std::vector<Limit> limits = {};         ///< that stand in the way where there is none
  std::vector<Swap> swaps = {};

  bool operator==(const AuditedPerson&) const = default;
};

/// Immutable and thread-safe.
class Auditor {
 public:
  /// Throws InvalidArgument for a method without a target, and as Explainer.
  Auditor(const LoadedModel& model, const ExplainOptions& options,
          std::vector<AuditAttribute> attributes, AuditQuestions questions);

  struct Answers {
    std::vector<Explanation> answers;   ///< as `croco explain` gives them
    std::vector<AuditedPerson> people;  ///< of the same people
  };
  /// A function of each person alone. When `stop` is requested, nobody, or only the first ones.
  [[nodiscard]] Answers audit(std::span<const Person> people, const std::stop_token& stop) const;

  [[nodiscard]] const Explainer& explainer() const noexcept { return explainer_; }
  [[nodiscard]] const std::vector<AuditAttribute>& attributes() const noexcept {
    return attributes_;
  }
  [[nodiscard]] const AuditQuestions& questions() const noexcept { return questions_; }

 private:
  [[nodiscard]] bool add_plain(std::span<const Person> people, std::vector<AuditedPerson>& out,
                               const std::stop_token& stop) const;
  [[nodiscard]] bool add_swaps(std::span<const Person> people, std::vector<AuditedPerson>& out,
                               const std::stop_token& stop) const;

  std::vector<AuditAttribute> attributes_;
  AuditQuestions questions_;
  Explainer explainer_;
  std::optional<Explainer> plain_;
};

}  // namespace croco
