// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <croco/experiment/claims.hpp>

namespace croco {
namespace {

void add_promise(const ClaimNumbers& numbers, std::size_t certified,
                 std::vector<ClaimFinding>& out) {
  std::size_t asked = 0;
  std::size_t met = 0;
  std::size_t contradicted = 0;
  for (const ClaimCell& cell : numbers.cells(certified)) {
    asked += cell.is->asked;
    const auto advised = static_cast<double>(cell.is->advised);
    met += static_cast<std::size_t>(
        std::llround(advised * (1 - cell.is->upper_above_target.value_or(1))));
    contradicted += cell.is->contradicted;
  }
  const bool kept = contradicted == 0;
  out.push_back(
      {.claim = "Certified: everybody's rate is certified to be below the target",
       .source = "this program",
       .verdict = kept && met == asked ? Verdict::confirmed
                  : kept && met > 0    ? Verdict::partly
                                       : Verdict::not_confirmed,
       .number = fmt::format("{} of {}; {} of them measured above it", met, asked, contradicted),
       .detail = fmt::format("confidence {}, measured on {} other samples",
                             numbers.experiment().confidence, numbers.experiment().rate_samples)});
}

/// Distance at the same target.
void add_equal_target(const ClaimNumbers& numbers, std::size_t certified, std::size_t croco,
                      std::vector<ClaimFinding>& out) {
  double sum = 0;
  double largest = 0;
  std::size_t total = 0;
  std::size_t nearer = 0;
  numbers.pairs(certified, croco, [&](const ClaimCell& ours, const ClaimCell& theirs) {
    if (!(theirs.is->l1_mean > 0)) return;
    const double ratio = ours.is->l1_mean / theirs.is->l1_mean;
    ++total;
    sum += ratio;
    largest = std::max(largest, ratio);
    nearer += ratio < 1 ? 1U : 0U;
  });
  if (total == 0) return;
  out.push_back({.claim = "At equal target, certified advice is nearer than CROCO's",
                 .source = "this program",
                 .verdict = verdict_of(nearer, total),
                 .number = fmt::format("{:.3f} of its distance on average, at most {:.3f}",
                                       sum / static_cast<double>(total), largest),
                 .detail = fmt::format("nearer in {} of {} cells; part of it is allowance that "
                                       "CROCO leaves unused",
                                       nearer, total)});
}

/// The mean distance that a method's curve has at a mean rate, between its targets; none outside.
std::optional<double> distance_at(const std::vector<ClaimCell>& curve, double rate) {
  for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
    const double from = curve[i].is->rate_mean;
    const double to = curve[i + 1].is->rate_mean;
    if (!(from <= rate && rate <= to && from < to)) continue;
    const double share = (rate - from) / (to - from);
    return (1 - share) * curve[i].is->l1_mean + share * curve[i + 1].is->l1_mean;
  }
  return std::nullopt;
}

/// Distance at the same mean rate, along the curves of the trade-off.
void add_equal_rate(const ClaimNumbers& numbers, std::size_t certified, std::size_t croco,
                    std::vector<ClaimFinding>& out) {
  double sum = 0;
  double largest = 0;
  std::size_t compared = 0;
  std::size_t nearer = 0;
  std::size_t total = 0;
  const std::vector<ClaimCell> all = numbers.cells(certified);
  for (const ClaimCell& theirs : numbers.cells(croco)) {
    ++total;
    std::vector<ClaimCell> curve;
    for (const ClaimCell& cell : all) {
      if (cell.at->dataset == theirs.at->dataset && cell.at->noise == theirs.at->noise) {
        curve.push_back(cell);
      }
    }
    std::ranges::sort(curve, {}, [](const ClaimCell& cell) { return cell.is->rate_mean; });
    const auto distance = distance_at(curve, theirs.is->rate_mean);
    if (!distance || !(theirs.is->l1_mean > 0)) continue;
    const double ratio = *distance / theirs.is->l1_mean;
    ++compared;
    sum += ratio;
    largest = std::max(largest, ratio);
    nearer += ratio < 1 ? 1U : 0U;
  }
  if (compared == 0) return;
  out.push_back(
      {.claim = "At equal mean rate, certified advice is nearer than CROCO's",
       .source = "this program",
       .verdict = verdict_of(nearer, compared),
       .number = fmt::format("{:.3f} of its distance on average, at most {:.3f}",
                             sum / static_cast<double>(compared), largest),
       .detail = fmt::format("nearer in {} of the {} cells whose rate lies between those of two "
                             "certified targets, of {}",
                             nearer, compared, total)});
}

void add_gap(const ClaimNumbers& numbers, std::size_t certified, std::vector<ClaimFinding>& out) {
  double sum = 0;
  double largest = 0;
  std::size_t proved = 0;
  for (const ClaimCell& cell : numbers.cells(certified)) {
    if (!cell.is->over_lower_mean) continue;
    proved += cell.is->proved;
    sum += *cell.is->over_lower_mean * static_cast<double>(cell.is->proved);
    largest = std::max(largest, cell.is->over_lower_max.value_or(0));
  }
  if (proved == 0) return;
  const double mean = sum / static_cast<double>(proved);
  out.push_back(
      {.claim = "Certified advice costs little more than any advice must",
       .source = "this program",
       .verdict = mean <= 1.1 ? Verdict::confirmed : Verdict::partly,
       .number = fmt::format("{:.3f} times the proven lower bound on average, at most {:.3f}", mean,
                             largest),
       .detail = fmt::format("{} people, each bound at confidence {}", proved,
                             numbers.experiment().confidence)});
}

}  // namespace

void add_certified_claims(const ClaimNumbers& numbers, std::vector<ClaimFinding>& out) {
  const auto certified = numbers.method("certified");
  if (!certified) return;
  add_promise(numbers, *certified, out);
  if (const auto croco = numbers.method("croco", true)) {
    add_equal_target(numbers, *certified, *croco, out);
    add_equal_rate(numbers, *certified, *croco, out);
  }
  add_gap(numbers, *certified, out);
}

}  // namespace croco
