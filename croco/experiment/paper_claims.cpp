// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/base/statistics.hpp>
#include <croco/experiment/claims.hpp>

namespace croco {
namespace {

struct PerfectValidity {
  std::size_t perfect = 0;
  std::size_t total = 0;
  double lowest = 1.0;
};

PerfectValidity perfect_validity(const ClaimNumbers& numbers, std::size_t method) {
  PerfectValidity out;
  for (const ClaimCell& cell : numbers.cells(method)) {
    ++out.total;
    out.perfect += cell.is->validity == 1.0 ? 1U : 0U;
    out.lowest = std::min(out.lowest, cell.is->validity);
  }
  return out;
}

void add_validity(const ClaimNumbers& numbers, std::vector<ClaimFinding>& out) {
  for (const auto& [kind, name, claim] :
       {std::array<std::string_view, 3>{"wachter", "Wachter", "Wachter is valid for everybody"},
        std::array<std::string_view, 3>{"croco", "CROCO", "CROCO is valid for everybody"},
        std::array<std::string_view, 3>{"probe", "PROBE",
                                        "PROBE is valid for everybody but in two sets"}}) {
    const auto method = numbers.method(kind);
    if (!method) continue;
    const PerfectValidity validity = perfect_validity(numbers, *method);
    out.push_back({.claim = std::string(claim),
                   .source = "section 5.2",
                   .verdict = verdict_of(validity.perfect, validity.total),
                   .number = fmt::format("{} of {} cells at 100 %, lowest {}", validity.perfect,
                                         validity.total, percent(validity.lowest))});
    if (kind == "probe" && validity.total - validity.perfect <= 2) {
      out.back().verdict = Verdict::confirmed;
    }
  }
}

/// "CROCO achieves both smaller distances and lower rates than PROBE", data set by data set.
void add_dominance(const ClaimNumbers& numbers, std::size_t croco, std::size_t probe,
                   std::vector<ClaimFinding>& out) {
  for (std::size_t d = 0; d < numbers.experiment().datasets.size(); ++d) {
    std::size_t total = 0;
    std::size_t nearer = 0;
    std::size_t steadier = 0;
    std::size_t both = 0;
    std::vector<double> ratios;
    numbers.pairs(croco, probe, [&](const ClaimCell& ours, const ClaimCell& theirs) {
      if (ours.at->dataset != d) return;
      ++total;
      const bool near = ours.is->l1_mean < theirs.is->l1_mean;
      const bool steady = ours.is->rate_mean < theirs.is->rate_mean;
      nearer += near ? 1U : 0U;
      steadier += steady ? 1U : 0U;
      both += near && steady ? 1U : 0U;
      if (theirs.is->l1_mean > 0) ratios.push_back(ours.is->l1_mean / theirs.is->l1_mean);
    });
    if (total == 0) continue;
    out.push_back(
        {.claim = fmt::format("{}: CROCO is both nearer and undone less often than PROBE",
                              numbers.label(d)),
         .source = "section 5.2",
         .verdict = verdict_of(both, total),
         .number = fmt::format("both in {} of {} cells", both, total),
         .detail = fmt::format("nearer in {}, a lower mean rate in {}; median of its mean distance "
                               "over PROBE's {:.3g}",
                               nearer, steadier, median_of(ratios))});
  }
}

void add_instability(const ClaimNumbers& numbers, std::size_t probe,
                     std::vector<ClaimFinding>& out) {
  std::string per_dataset;
  std::size_t above = 0;
  std::size_t total = 0;
  for (std::size_t d = 0; d < numbers.experiment().datasets.size(); ++d) {
    std::size_t here = 0;
    std::size_t cells = 0;
    for (const ClaimCell& cell : numbers.cells(probe)) {
      if (cell.at->dataset != d || !cell.at->target) continue;
      ++cells;
      here += cell.is->rate_mean >= *cell.at->target ? 1U : 0U;
    }
    if (cells == 0) continue;
    per_dataset += fmt::format("{}{} {} of {}", per_dataset.empty() ? "" : ", ", numbers.label(d),
                               here, cells);
    above += here;
    total += cells;
  }
  out.push_back({.claim = "PROBE is unstable: its mean rate can be above the target (Adult)",
                 .source = "section 5.2",
                 .verdict = above > 0 ? Verdict::confirmed : Verdict::not_confirmed,
                 .number = fmt::format("in {} of {} cells", above, total),
                 .detail = per_dataset});
}

/// Along rising noise, in the order of the experiment.
void add_growth(const ClaimNumbers& numbers, std::size_t croco, std::vector<ClaimFinding>& out) {
  if (numbers.experiment().noises.size() < 2) return;
  std::size_t rising = 0;
  std::size_t total = 0;
  const std::vector<ClaimCell> cells = numbers.cells(croco);
  for (std::size_t d = 0; d < numbers.experiment().datasets.size(); ++d) {
    for (const double target : numbers.experiment().targets) {
      std::vector<std::pair<double, double>> series;
      for (const ClaimCell& cell : cells) {
        if (cell.at->dataset == d && cell.at->target == target) {
          series.emplace_back(numbers.experiment().noises[cell.at->noise].noise.scale,
                              cell.is->l1_mean);
        }
      }
      if (series.size() < 2) continue;
      std::ranges::sort(series);
      ++total;
      rising += std::ranges::is_sorted(series, {}, [](const auto& point) { return point.second; })
                    ? 1U
                    : 0U;
    }
  }
  out.push_back(
      {.claim = "CROCO's distance grows with the variance of the noise",
       .source = "section 5.2",
       .verdict = verdict_of(rising, total),
       .number = fmt::format("at {} of {} data sets and targets, at every step", rising, total)});
}

void add_deviations(const ClaimNumbers& numbers, std::size_t croco, std::size_t probe,
                    std::vector<ClaimFinding>& out) {
  std::size_t total = 0;
  std::size_t larger = 0;
  std::size_t apart = 0;
  std::size_t larger_apart = 0;
  numbers.pairs(croco, probe, [&](const ClaimCell& ours, const ClaimCell& theirs) {
    ++total;
    const bool is_larger = theirs.is->l1_sd > ours.is->l1_sd;
    larger += is_larger ? 1U : 0U;
    // Apart: the mean distances differ by more than a fifth.
    const double ratio = theirs.is->l1_mean / ours.is->l1_mean;
    if (ratio > 0.8 && ratio < 1.25) return;
    ++apart;
    larger_apart += is_larger ? 1U : 0U;
  });
  out.push_back(
      {.claim = "Where their mean distances are apart, PROBE's distances vary more than CROCO's",
       .source = "section 5.2",
       .verdict = verdict_of(larger_apart, apart),
       .number = fmt::format("in {} of {} such cells", larger_apart, apart),
       .detail = fmt::format("apart: by more than a fifth; in {} of all {} cells", larger, total)});
}

void add_baseline(const ClaimNumbers& numbers, std::size_t method, std::size_t wachter,
                  std::string_view name, std::vector<ClaimFinding>& out) {
  std::size_t total = 0;
  std::size_t lower = 0;
  numbers.pairs(method, wachter, [&](const ClaimCell& ours, const ClaimCell& theirs) {
    ++total;
    lower += ours.is->rate_mean < theirs.is->rate_mean ? 1U : 0U;
  });
  out.push_back({.claim = fmt::format("{} has lower invalidation rates than Wachter", name),
                 .source = "section 5.2",
                 .verdict = verdict_of(lower, total),
                 .number = fmt::format("in {} of {} cells", lower, total)});
}

/// The share of a method's answers whose measured rate is above the target.
struct Above {
  double people = 0.0;
  double above = 0.0;
  [[nodiscard]] double share() const { return people > 0 ? above / people : 0; }
};

Above above_target(const ClaimNumbers& numbers, std::size_t method) {
  Above out;
  for (const ClaimCell& cell : numbers.cells(method)) {
    out.people += static_cast<double>(cell.is->advised);
    out.above += static_cast<double>(cell.is->advised) * cell.is->rate_above_target.value_or(0);
  }
  return out;
}

void add_target_study(const ClaimNumbers& numbers, std::size_t croco, std::size_t probe,
                      std::vector<ClaimFinding>& out) {
  const double ours = above_target(numbers, croco).share();
  const double theirs = above_target(numbers, probe).share();
  out.push_back(
      {.claim = "PROBE's rates often exceed the target, CROCO's seldom do",
       .source = "section 5.3",
       .verdict = theirs > 0.1 && ours < theirs / 2 ? Verdict::confirmed : Verdict::not_confirmed,
       .number =
           fmt::format("PROBE {} of its answers above, CROCO {}", percent(theirs), percent(ours))});
}

void add_bound(const ClaimNumbers& numbers, std::size_t croco, std::vector<ClaimFinding>& out) {
  std::size_t people = 0;
  std::size_t broken = 0;
  double met = 0;
  for (const ClaimCell& cell : numbers.cells(croco)) {
    people += cell.is->advised;
    broken += cell.is->paper_bound_broken;
    met += static_cast<double>(cell.is->advised) * cell.is->paper_bound_met.value_or(0);
  }
  out.push_back({.claim = "The bound (m + soft rate) / (1 - t) is never below the measured rate",
                 .source = "section 5.3, supplement A.3.3",
                 .verdict = broken == 0 ? Verdict::confirmed : Verdict::not_confirmed,
                 .number = fmt::format("{} of {} answers of CROCO break it", broken, people),
                 .detail = "with m = 0.1, t = 0.5"});
  out.push_back({.claim = "CROCO finds points whose bound is at most the target",
                 .source = "section 4.2",
                 .verdict = met == 0                             ? Verdict::not_confirmed
                            : met == static_cast<double>(people) ? Verdict::confirmed
                                                                 : Verdict::partly,
                 .number = fmt::format("{:.0f} of {} answers of the published loop", met, people),
                 .detail = fmt::format("the bound is at least m / (1 - t) = {}, so that lower "
                                       "targets are out of its reach",
                                       kPaperMargin / (1 - kPaperThreshold))});
}

}  // namespace

void add_paper_claims(const ClaimNumbers& numbers, std::vector<ClaimFinding>& out) {
  const auto croco = numbers.method("croco", true);
  const auto probe = numbers.method("probe");
  const auto wachter = numbers.method("wachter");
  add_validity(numbers, out);
  if (croco && probe) add_dominance(numbers, *croco, *probe, out);
  if (probe) add_instability(numbers, *probe, out);
  if (croco) add_growth(numbers, *croco, out);
  if (croco && probe) add_deviations(numbers, *croco, *probe, out);
  if (croco && wachter) add_baseline(numbers, *croco, *wachter, "CROCO", out);
  if (probe && wachter) add_baseline(numbers, *probe, *wachter, "PROBE", out);
  if (croco && probe) add_target_study(numbers, *croco, *probe, out);
  if (croco) add_bound(numbers, *croco, out);
}

}  // namespace croco
