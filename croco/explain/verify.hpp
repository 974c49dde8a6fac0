// SPDX-License-Identifier: Apache-2.0
/// Checks a certificate that somebody handed over: against the model file, by making its very draws
/// again, and by draws of one's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <croco/explain/explanation.hpp>
#include <croco/explain/loaded_model.hpp>
#include <croco/explain/stated_certificate.hpp>

namespace croco {

/// What is checked, in this order.
enum class Check : std::uint8_t {
  model,      ///< the model file is the one that the certificate names
  schema,     ///< so is the encoding
  record,     ///< the records encode to exactly the points that the certificate names
  plan,       ///< the draws, looks and confidences are ones that croco plans
  bound,      ///< the bound follows from the counts (or from the closed form)
  target,     ///< whether the target is met is stated as it is
  draws,      ///< the same draws, made again, give the same counts
  fresh,      ///< other draws do not contradict the bound
  statement,  ///< the sentence says what the numbers say
  row,        ///< the row of a report says what its certificate, its run and the model say
  data,       ///< the person's record is that of the data
  again,      ///< the same run, made again, gives the same row
  manifest,   ///< the report has exactly the lines that the run wrote
};
/// `model`, `schema`, ...
[[nodiscard]] std::string_view name_of(Check check) noexcept;

struct Finding {
  Check check = Check::model;
  bool holds = false;
  std::string text;   ///< what was found, without a full stop
  bool note = false;  ///< it holds, and still has to be said: a target that is missed
};

struct Verification {
  std::vector<Finding> findings;  ///< up to the first one without which no other makes sense
  /// What the certificate speaks of, once its names have been resolved.
  std::optional<Explanation> answer = {};
  Noise noise = {};

  [[nodiscard]] bool holds() const noexcept;
  /// The statement may hold all the same: that the target is missed is part of it.
  [[nodiscard]] bool misses_target() const noexcept {
    return answer && answer->target_met == false;
  }
};

struct VerifyOptions {
  /// Of the fresh draws; not the certificate's own. By default the one after it.
  std::optional<std::uint64_t> seed = {};
  std::size_t samples = 100'000;          ///< fresh draws, at least 1
  std::size_t max_samples = 100'000'000;  ///< a certificate with more is not drawn again
  unsigned threads = 1;
};

/// The fresh draws contradict a bound when they exclude it with this confidence. It is this high so
/// that a true bound is hardly ever called false.
inline constexpr double kContradiction = 1 - 1e-6;

/// Never throws for what a certificate says: that is a finding. Throws InvalidArgument when the
/// fresh draws would be the certificate's own. No findings when `stop` is requested on the way.
[[nodiscard]] Verification verify(const StatedCertificate& stated, const LoadedModel& loaded,
                                  const VerifyOptions& options, const std::stop_token& stop = {});

}  // namespace croco
