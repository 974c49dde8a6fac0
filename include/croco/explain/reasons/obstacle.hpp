// SPDX-License-Identifier: Apache-2.0
/// Why a person has no certified advice, and with which relaxations they would have it.
///
///     if (answer.obstacle) {
///       for (const croco::Relaxation& one : answer.obstacle->relaxations) { ... one.certificate
///       ... }
///     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/base/types.hpp>
#include <croco/data/schema.hpp>
#include <croco/robustness/certificate.hpp>
#include <croco/space/distance.hpp>

namespace croco {

enum class ObstacleKind : std::uint8_t {
  relations,       ///< nothing that the person may change keeps the relations
  no_valid_point,  ///< no admissible change has the wanted answer, even carried out exactly
  steps,           ///< a solution exists only between the steps in which values are given
  target,          ///< the lowest rate within reach is above the target
  samples,         ///< a rate below the target is within reach; these samples cannot certify it
  time,            ///< the time limit ended the look for reasons before it found any
  models,          ///< the model in use is no obstacle, but retrained models disagree
};

[[nodiscard]] CROCO_EXPORT std::string_view name_of(ObstacleKind kind) noexcept;

/// A limit of one feature, or a relation between several.
enum class LimitKind : std::uint8_t {
  fixed,       ///< the feature may not change
  no_rise,     ///< it may only fall
  no_fall,     ///< it may only rise
  minimum,     ///< its range ends below
  maximum,     ///< its range ends above
  step,        ///< its values are given in steps
  max_change,  ///< it may not go further from the present value
  relation,    ///< a relation between features
  levels,      ///< a category may only go to some of its levels
};
inline constexpr std::size_t kLimitKinds = 9;
[[nodiscard]] CROCO_EXPORT std::string_view name_of(LimitKind kind) noexcept;

struct Limit {
  std::size_t feature = 0;  ///< index into the schema, of the relation with `relation`
  LimitKind kind = LimitKind::fixed;

  bool operator==(const Limit&) const = default;
};

enum class RelaxationKind : std::uint8_t {
  target,    ///< a higher target
  noise,     ///< less noise
  feature,   ///< one limit of one feature lifted
  relation,  ///< one relation left out
};

[[nodiscard]] CROCO_EXPORT std::string_view name_of(RelaxationKind kind) noexcept;

/// A problem that differs in one thing, and the certified answer to it. Never advice: what nobody
/// can change stays as it is, whatever could be had if it were otherwise.
struct Relaxation {
  RelaxationKind kind = RelaxationKind::target;
  double value = 0.0;  ///< the target, or the factor of the noise's scale
  Limit limit = {};    ///< of `feature` and `relation`
  Record after = {};   ///< what would be recommended
  Distances distance = {};
  Certificate certificate = {};  ///< on samples of its own
};

/// For answers of method certified without a certificate that meets the target.
struct Obstacle {
  ObstacleKind kind = ObstacleKind::time;
  /// The look for more ended early: by the time limit, or because queries are expensive and only
  /// the most effective limits were lifted.
  bool cut_short = false;
  /// Whether what `kind` says is proved; otherwise a search from many starts found nothing better.
  bool proved = false;
  /// The confidence with which it is proved that no admissible change meets the target: 1 when that
  /// is certain, 0 when it is not proved.
  double out_of_reach = 0.0;

  /// The admissible point with the lowest rate found, or with the highest score when none has the
  /// wanted answer, as it would be recommended.
  Record record = {};
  Vector point = {};
  double score = 0.0;  ///< probability of class 1
  bool valid = false;  ///< the model gives the wanted answer there
  Distances distance = {};
  /// The rate there, from samples that had no part in choosing it; none when it is not valid.
  std::optional<Certificate> lowest = {};

  /// The limits that hold the rate up at that point, the most effective first.
  std::vector<Limit> limits = {};
  /// Each was solved and certified: the target, the noise, then features and relations by what they
  /// cost.
  std::vector<Relaxation> relaxations = {};
  /// With `samples`: about as many per certificate as would certify the target at that point.
  std::optional<std::size_t> samples_needed = {};
};

}  // namespace croco
