// SPDX-License-Identifier: Apache-2.0
/// What claims about an experiment are held against: its numbers by method, and how a count becomes
/// a verdict. For the sources that make findings.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/experiment/findings.hpp>

namespace croco {

/// A cell of the grid that a method finished.
struct ClaimCell {
  const Configuration* at;
  const Aggregate* is;
};

/// The experiment's numbers by method.
class ClaimNumbers {
 public:
  explicit ClaimNumbers(const ExperimentResult& result) : result_(result) {}

  /// The first method of that kind, `as_published` or not; none when there is none.
  [[nodiscard]] std::optional<std::size_t> method(std::string_view kind,
                                                  std::optional<bool> as_published = {}) const {
    const auto& methods = result_.experiment.methods;
    for (std::size_t m = 0; m < methods.size(); ++m) {
      if (methods[m].method != kind) continue;
      if (as_published && methods[m].settings.as_published != *as_published) continue;
      return m;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::vector<ClaimCell> cells(std::size_t method) const {
    std::vector<ClaimCell> out;
    for (std::size_t i = 0; i < result_.configurations.size(); ++i) {
      if (result_.configurations[i].configuration.method == method) {
        out.push_back({&result_.configurations[i].configuration, &result_.aggregates[i]});
      }
    }
    return out;
  }
  /// Calls `visit(cell, other)` for the cells of two methods that ask the same question.
  void pairs(std::size_t method, std::size_t other,
             const std::function<void(const ClaimCell&, const ClaimCell&)>& visit) const {
    const std::vector<ClaimCell> others = cells(other);
    for (const ClaimCell& cell : cells(method)) {
      for (const ClaimCell& candidate : others) {
        const bool same_place =
            candidate.at->dataset == cell.at->dataset && candidate.at->noise == cell.at->noise;
        if (same_place && (candidate.at->target == cell.at->target || !candidate.at->target)) {
          visit(cell, candidate);
        }
      }
    }
  }
  [[nodiscard]] const Experiment& experiment() const noexcept { return result_.experiment; }
  [[nodiscard]] const std::string& label(std::size_t dataset) const {
    const ExperimentDataset& of = result_.experiment.datasets[dataset];
    return of.label.empty() ? of.name : of.label;
  }

 private:
  const ExperimentResult& result_;
};

/// Confirmed when it holds everywhere, partly when in at least half of all cases.
[[nodiscard]] Verdict verdict_of(std::size_t holds, std::size_t total) noexcept;

/// Adds the findings about the methods of the paper, from its section 5.
void add_paper_claims(const ClaimNumbers& numbers, std::vector<ClaimFinding>& out);
/// Adds those about the certified method.
void add_certified_claims(const ClaimNumbers& numbers, std::vector<ClaimFinding>& out);

}  // namespace croco
