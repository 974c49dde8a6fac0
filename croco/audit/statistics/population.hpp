// SPDX-License-Identifier: Apache-2.0
/// People of an audit in numbers alone: no names, no records, no model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <croco/base/types.hpp>

namespace croco {

/// What becomes of a person.
enum class Recourse : std::uint8_t {
  accepted,    ///< needs no advice
  certified,   ///< has certified advice
  impossible,  ///< that no admissible change meets the target is proved
  undecided,   ///< neither
};

/// A column for each thing that is known of people.
struct RecoursePopulation {
  std::vector<Recourse> recourse = {};
  /// Of a certified yes: 0 for who is accepted, infinite for who has no certified advice. Means
  /// among those who have some would leave out the worst off.
  Vector cost = {};
  Vector plain = {};  ///< of a yes that noise may undo; infinite when none was found
  Vector score = {};  ///< of the wanted answer today; any increasing scale

  [[nodiscard]] std::size_t size() const noexcept { return recourse.size(); }
};

/// What a yes costs a person as a member of two groups, all other values as they are.
struct SwappedPerson {
  std::size_t person = 0;
  double as_group = 0.0;      ///< infinite without certified advice
  double as_reference = 0.0;  ///< the same
};

/// One way to divide people into groups, which are compared with one of them.
struct Grouping {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> group = {};  ///< by person; kNone for who is in no group
  std::size_t groups = 0;
  std::size_t reference = 0;
  /// By group: its members and those of the reference whom the model refuses as one or the other.
  /// Empty where nobody was swapped.
  std::vector<std::vector<SwappedPerson>> swapped = {};
};

}  // namespace croco
