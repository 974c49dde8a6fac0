// SPDX-License-Identifier: Apache-2.0
/// Judges advice that any tool made: is it valid, how far is it, how often does noise undo it?
///
///     const auto pairs = croco::read_advice("people.csv", "dice.csv", model.codec.schema());
///     for (const croco::Explanation& answer : croco::assess(model, pairs, {.target = 0.1})) { ...
///     }
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/data/codec.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/noise/noise.hpp>
#include <croco/robustness/certificate.hpp>
#include <croco/robustness/goal.hpp>

namespace croco {

/// A person and the record that a tool advised.
struct AdvisedPerson {
  Person before;
  Person after;
};

struct AssessOptions {
  std::optional<double> target = {};  ///< that certificates are compared with
  /// None: what the schema states, or else what is assumed (`default_noise`).
  std::optional<Noise> noise = {};
  Goal goal = Goal();
  CertifyOptions certify = {};
  /// Retrained models whose certifying part judges the advice too; see `ExplainOptions`.
  std::shared_ptr<const ModelPopulation> models = {};
  ModelChangeOptions model_change = {};
  MissingPolicy missing = MissingPolicy::error;
  bool shared_draws = true;  ///< see `ExplainOptions`
  std::uint64_t seed = 0;
  unsigned threads = 1;  ///< 0: all that the machine has
};

/// One answer per pair, in their order: `found` when the model gives the wanted answer at the
/// advised record, `unmet` when it does not, `error` when a record cannot be read. The points are
/// certified as they are: not rounded, not clamped; `broken` says which rules they break. Under
/// MissingPolicy::keep both records of a pair must lack the same values. Empty when `stop` is
/// requested meanwhile. Throws InvalidArgument for the options.
[[nodiscard]] CROCO_EXPORT std::vector<Explanation> assess(const LoadedModel& model,
                                                           std::span<const AdvisedPerson> people,
                                                           const AssessOptions& options = {},
                                                           const std::stop_token& stop = {});

/// The people of one CSV file, and what a tool advised them in another: paired by its column `row`,
/// a place among the people from 0, or else in order. Throws IoError or DataError.
[[nodiscard]] CROCO_EXPORT std::vector<AdvisedPerson> read_advice(
    const std::filesystem::path& people, const std::filesystem::path& advice, const Schema& schema);

}  // namespace croco
