// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/invalidation.hpp>

#include <algorithm>

#include <croco/base/parallel.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/noise_bank.hpp>

namespace croco {
namespace {

/// Draws that fit into about half a megabyte once bound; a property of the model alone, so that
/// the soft sums are added in the same order everywhere.
std::size_t block_size(const Model& model) {
  const std::size_t bytes = std::max<std::size_t>(1, model.bound_bytes_per_draw());
  return std::clamp<std::size_t>((std::size_t{512} << 10) / bytes / 64 * 64, 64, 4096);
}

void add(Tally& total, const Tally& part) {
  total.samples += part.samples;
  total.invalid += part.invalid;
  total.soft_sum += part.soft_sum;
}

}  // namespace

Tally tally(const Problem& problem, const NoiseBank& bank, const Advice& advice, bool soft) {
  const std::size_t block = block_size(problem.model);
  Vector logits(std::min(block, bank.count()));
  Tally total;
  for (std::size_t first = 0; first < bank.count(); first += block) {
    const MutableView part(logits.data(), std::min(block, bank.count() - first));
    bank.logits(advice.origin, advice.point, first, part);
    Tally sums;
    sums.samples = part.size();
    for (const double logit : part) sums.invalid += problem.goal.reached(logit) ? 0U : 1U;
    if (soft) {
      for (const double logit : part) sums.soft_sum += sigmoid(-problem.goal.sign() * logit);
    }
    add(total, sums);
  }
  return total;
}

std::vector<Tally> tally(const Problem& problem, std::span<const Advice> advice,
                         const TallyOptions& options) {
  const std::size_t block = block_size(problem.model);
  const std::size_t blocks = (options.samples + block - 1) / block;
  const auto bank_of = [&](std::size_t b, std::uint64_t person) {
    return NoiseBank(problem, problem.stream(options.purpose, person), options.first + b * block,
                     std::min(block, options.samples - b * block));
  };
  std::vector<Tally> totals(advice.size());
  if (!problem.shared_draws) {
    parallel_for(advice.size(), options.threads, [&](std::size_t i) {
      for (std::size_t b = 0; b < blocks && !options.stop.stop_requested(); ++b) {
        add(totals[i], tally(problem, bank_of(b, advice[i].person), advice[i], options.soft));
      }
    });
    if (options.stop.stop_requested()) totals.clear();
    return totals;
  }
  std::vector<Tally> parts(blocks * advice.size());
  parallel_for(blocks, options.threads, [&](std::size_t b) {
    if (options.stop.stop_requested()) return;
    const NoiseBank bank = bank_of(b, 0);
    for (std::size_t i = 0; i < advice.size(); ++i) {
      parts[b * advice.size() + i] = tally(problem, bank, advice[i], options.soft);
    }
  });
  if (options.stop.stop_requested()) return {};
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t i = 0; i < advice.size(); ++i) add(totals[i], parts[b * advice.size() + i]);
  }
  return totals;
}

}  // namespace croco
