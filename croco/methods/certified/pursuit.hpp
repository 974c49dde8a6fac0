// SPDX-License-Identifier: Apache-2.0
/// Brings the changes of many people to where fresh samples will certify them: counted together on
/// a large bank of their own, scaled, put on whole steps, or searched for again. The samples that
/// chose a change flatter it, so the search bank cannot say where a certificate passes. A
/// certificate of N samples passes with at most kmax failures (`largest_passing_count`); attempt i
/// aims u_i standard errors below,
///
///     aim = (kmax - u_i sqrt(N target (1 - target))) / N,    u = 2, 3.5, 5,
///
/// on the calibration bank. A larger reserve u costs distance, a smaller one failed attempts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/certified/calibration.hpp>
#include <croco/methods/certified/shortest_search.hpp>
#include <croco/methods/certified_settings.hpp>
#include <croco/methods/change/change.hpp>
#include <croco/methods/method.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/problem.hpp>
#include <croco/space/features.hpp>

namespace croco {

/// One person on the way to a calibrated change.
struct Pursuit {
  View origin;
  std::size_t attempt = 0;
  FeatureSet frozen = {};  ///< features that must not change
  ChangeProblem changes = {};
  Vector change = {};
  std::size_t steps = 0;
  std::size_t searches = 0;
  std::size_t search_allowed = 0;
  bool searched = false;  ///< whether the change was found with as many failures allowed
  std::optional<RayCalibration> ray = {};
  /// Whole-step changes still to be counted, cheapest last.
  std::vector<Vector> lattice = {};
  bool on_lattice = false;
  bool guessed = false;       ///< whole steps were tried before the ray had converged
  std::size_t exchanges = 0;  ///< rounds in which steps were exchanged for others
  // The outcome.
  bool done = false;
  bool satisfied = false;
  std::size_t invalid = 0;

  /// The change to count next.
  [[nodiscard]] const Vector& proposal() const {
    return on_lattice ? lattice.back() : ray->proposal();
  }
};

/// Immutable and thread-safe; made once for all people. Keeps a reference to the problem.
class PursuitCalibrator {
 public:
  /// Throws what the banks throw. `threads` make the large bank.
  PursuitCalibrator(const Problem& problem, const CertifiedSettings& options, unsigned threads);

  /// The rate that an attempt aims at: the most failures that certify the target, less a reserve
  /// (see above); 0 when no count would pass.
  [[nodiscard]] double aim_of(std::size_t attempt) const noexcept { return aims_[attempt]; }
  /// Failures on the large bank that an attempt allows, and the rate of a count.
  [[nodiscard]] std::size_t allowed(std::size_t attempt) const noexcept;
  [[nodiscard]] double rate_of(std::size_t invalid) const noexcept;
  /// Failures of each on the large bank.
  [[nodiscard]] std::vector<std::size_t> count(std::span<const Advice> advice,
                                               unsigned threads) const;
  /// The samples that searches use; none of them calibrates.
  [[nodiscard]] SearchDraws draws() const noexcept;

  /// Puts a person at an attempt, with nothing found yet.
  void begin(View origin, std::size_t attempt, Pursuit& person) const;
  /// Begins with what a search found.
  void take(Pursuit& person, ShortestChange shortest) const;
  /// Begins with the change that is there.
  void aim(Pursuit& person) const;
  /// Counts the proposals of all people until each is done.
  [[nodiscard]] std::vector<Counterfactual> calibrated(std::vector<Pursuit> people,
                                                       unsigned threads,
                                                       const std::stop_token& stop) const;

 private:
  [[nodiscard]] double make_aim(std::size_t attempt) const;
  [[nodiscard]] NoiseBank bank_at(const Pursuit& person) const;
  void learn(Pursuit& person, std::size_t invalid, bool reached, const std::stop_token& stop) const;
  void search_again(Pursuit& person, const std::stop_token& stop) const;
  void settle(Pursuit& person) const;
  void exchange(Pursuit& person) const;
  [[nodiscard]] Counterfactual outcome(const Pursuit& person) const;

  const Problem& problem_;
  CertifiedSettings options_;
  NoiseBank search_bank_;
  NoiseBank calibration_bank_;
  std::optional<NoiseBank> coarse_bank_;  ///< where there are several ways
  std::vector<double> aims_;
};

}  // namespace croco
