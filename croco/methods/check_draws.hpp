// SPDX-License-Identifier: Apache-2.0
/// The draws by which a method judges its own points (Purpose::check): never those of its steps,
/// and never those of a certificate.
#pragma once

#include <cstddef>
#include <optional>

#include <croco/base/types.hpp>
#include <croco/robustness/invalidation.hpp>
#include <croco/robustness/noise_bank.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// Immutable and thread-safe. Keeps the draws when they fit into memory, else makes them anew each
/// time; the answers are the same.
class CheckDraws {
 public:
  CheckDraws(const Problem& problem, std::size_t samples);
  CheckDraws(const CheckDraws&) = delete;  // the bank refers to the problem beside it
  CheckDraws& operator=(const CheckDraws&) = delete;
  /// Hard rate at points, and on request their soft rate.
  [[nodiscard]] std::vector<Tally> tally(std::span<const Advice> advice, bool soft) const;
  [[nodiscard]] Tally tally(View origin, View point, bool soft) const;

 private:
  Problem problem_;
  std::size_t samples_;
  std::optional<NoiseBank> bank_;
};

/// Bytes that the draws of one purpose may take when they are kept.
inline constexpr std::size_t kBankBytes = std::size_t{256} << 20;

}  // namespace croco
