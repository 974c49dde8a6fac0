// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/invalidation.hpp>

#include <algorithm>

#include <croco/base/parallel.hpp>
#include <croco/kernels/order_select.hpp>
#include <croco/kernels/soft_terms.hpp>
#include <croco/robustness/noise_bank.hpp>

namespace croco {
namespace {

/// Draws that are counted at once: a few hundred kilobytes of them, and enough parts for threads.
constexpr std::size_t kBlock = 4096;
/// With flips more pay: draws with the same flips are counted together.
constexpr std::size_t kFlippedBlock = 65'536;

std::size_t block_size(const Problem& problem, const TallyOptions& options) {
  if (problem.noise.flips.empty()) return kBlock;
  // Sums depend on the blocks, counts do not: these can be shared out to more threads.
  if (options.soft) return kFlippedBlock;
  const std::size_t share = options.samples / thread_count(options.threads);
  return std::clamp(share, kBlock, kFlippedBlock);
}

void add(Tally& total, const Tally& part) {
  total.samples += part.samples;
  total.invalid += part.invalid;
  total.soft_sum += part.soft_sum;
}

double soft_sum(const Problem& problem, const NoiseBank& bank, const Advice& advice) {
  std::vector<float> logits(std::min(bank.part(), bank.count()));
  double sum = 0;
  for (std::size_t first = 0; first < bank.count(); first += bank.part()) {
    const auto part = std::span(logits).first(std::min(bank.part(), bank.count() - first));
    bank.logits(advice.origin, advice.point, first, part);
    sum += logistic_sum(part, static_cast<float>(problem.goal.sign()));
  }
  return sum;
}

/// Every point on one bank.
void tally_bank(const Problem& problem, const NoiseBank& bank, std::span<const Advice> advice,
                NoiseBank::Counting counting, bool soft, Tally* out) {
  std::vector<std::size_t> invalid(advice.size());
  bank.count_invalid(advice, counting, invalid);
  for (std::size_t i = 0; i < advice.size(); ++i) {
    out[i] = {.samples = bank.count(),
              .invalid = invalid[i],
              .soft_sum = soft ? soft_sum(problem, bank, advice[i]) : 0.0};
  }
}

}  // namespace

std::vector<Tally> tally(const Problem& problem, const NoiseBank& bank,
                         std::span<const Advice> advice, bool soft) {
  std::vector<Tally> out(advice.size(), {.samples = bank.count()});
  if (!soft) {
    std::vector<std::size_t> invalid(advice.size());
    bank.count_invalid(advice, NoiseBank::Counting::quick, invalid);
    for (std::size_t i = 0; i < out.size(); ++i) out[i].invalid = invalid[i];
    return out;
  }
  // One look at the logits serves both; a block of draws stays in the cache for everybody.
  const auto sign = static_cast<float>(problem.goal.sign());
  const auto threshold = static_cast<float>(problem.goal.logit_threshold());
  const bool wants_one = problem.goal.wanted() == 1;
  std::vector<float> logits(std::min(bank.part(), bank.count()));
  for (std::size_t first = 0; first < bank.count(); first += bank.part()) {
    const auto part = std::span(logits).first(std::min(bank.part(), bank.count() - first));
    for (std::size_t i = 0; i < out.size(); ++i) {
      bank.logits(advice[i].origin, advice[i].point, first, part);
      out[i].invalid +=
          part.size() - (wants_one ? count_above(part, threshold) : count_at_most(part, threshold));
      out[i].soft_sum += logistic_sum(part, sign);
    }
  }
  return out;
}

Tally tally(const Problem& problem, const NoiseBank& bank, const Advice& advice, bool soft) {
  return tally(problem, bank, {&advice, 1}, soft)[0];
}

std::vector<Tally> tally(const Problem& problem, std::span<const Advice> advice,
                         const TallyOptions& options) {
  const std::size_t block = block_size(problem, options);
  const std::size_t blocks = (options.samples + block - 1) / block;
  const auto bank_of = [&](std::size_t b, std::uint64_t person) {
    return NoiseBank(problem, problem.stream(options.purpose, person), options.first + b * block,
                     std::min(block, options.samples - b * block));
  };
  std::vector<Tally> totals(advice.size());
  if (!problem.shared_draws) {
    parallel_for(advice.size(), options.threads, [&](std::size_t i) {
      for (std::size_t b = 0; b < blocks && !options.stop.stop_requested(); ++b) {
        Tally part;
        tally_bank(problem, bank_of(b, advice[i].person), {&advice[i], 1},
                   NoiseBank::Counting::exact, options.soft, &part);
        add(totals[i], part);
      }
    });
    if (options.stop.stop_requested()) totals.clear();
    return totals;
  }
  std::vector<Tally> parts(blocks * advice.size());
  parallel_for(blocks, options.threads, [&](std::size_t b) {
    if (options.stop.stop_requested()) return;
    tally_bank(problem, bank_of(b, 0), advice, NoiseBank::Counting::exact, options.soft,
               parts.data() + b * advice.size());
  });
  if (options.stop.stop_requested()) return {};
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t i = 0; i < advice.size(); ++i) add(totals[i], parts[b * advice.size() + i]);
  }
  return totals;
}

}  // namespace croco
