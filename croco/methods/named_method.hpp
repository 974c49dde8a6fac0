// SPDX-License-Identifier: Apache-2.0
/// Methods by name, with the few settings that people change.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <croco/methods/method.hpp>

namespace croco {

/// What differs from a method's defaults; each is for some methods only.
struct MethodSettings {
  bool as_published = false;                    ///< wachter, probe, croco
  SearchKind search = SearchKind::automatic;    ///< certified
  std::optional<double> margin = {};            ///< croco: m
  std::optional<std::size_t> draws = {};        ///< croco: K
  std::optional<std::size_t> step_draws = {};   ///< croco
  std::optional<double> learning_rate = {};     ///< wachter, probe, croco
  std::optional<double> lambda = {};            ///< wachter, probe, croco
  std::optional<std::size_t> block_steps = {};  ///< wachter, probe, croco
  std::optional<std::size_t> max_blocks = {};   ///< wachter, probe, croco

  bool operator==(const MethodSettings&) const = default;
};

/// The method of that name, which takes the settings that it has and leaves the others. `target`
/// and `confidence` (of CROCO's planned bound) are for those that have one. Throws InvalidArgument
/// for a name there is not.
[[nodiscard]] Method make_method(std::string_view name, const MethodSettings& settings,
                                 double target, double confidence);

/// Throws InvalidArgument naming the first setting that the method does not have.
void require_own_settings(std::string_view name, const MethodSettings& settings);

}  // namespace croco
