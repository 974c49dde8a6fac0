// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/prove.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/noise/sample.hpp>
#include <croco/proof/branch_and_bound.hpp>
#include <croco/proof/drawn_network.hpp>
#include <croco/robustness/error_budget.hpp>
#include <croco/robustness/invalidation.hpp>
#include <croco/robustness/smoothing_bound.hpp>
#include <croco/space/distance.hpp>

namespace croco {
namespace {

/// Columns without an end are looked at this far from the present point, in encoded units, when no
/// point that meets the target limits the cost.
constexpr double kReach = 16.0;

void require_count(std::string_view field, std::size_t value, std::size_t most) {
  if (value >= 1 && value <= most) return;
  throw InvalidArgument(fmt::format("{} is {}; it must be between 1 and {}", field, value, most));
}

class Prover {
 public:
  Prover(const Problem& problem, double target, const ProveOptions& options,
         const std::stop_token& stop)
      : problem_(problem),
        target_(target),
        options_(options),
        stop_(stop),
        smoothing_(smoothing_obstacle(problem).empty()),
        sampling_(margin_obstacle(problem).empty()) {
    const ProofShares shares = proof_shares(smoothing_, sampling_);
    const auto confidence = [&](double share) {
      return share_confidence(options.confidence, options.family, options.share * share);
    };
    smoothing_confidence_ = confidence(shares.smoothing);
    if (!sampling_) return;
    allowed_ = count_not_exceeded(options.samples, target, confidence(shares.sampling));
    if (problem.shared_draws) {
      shared_ = std::make_unique<DrawnNetwork>(draw_for_proof(problem, options.samples, 0));
    }
  }

  [[nodiscard]] bool smoothing() const noexcept { return smoothing_; }

  /// The smoothing bound from what draws around the present point showed.
  [[nodiscard]] double floor_of(const ProveRequest& request, const Tally& tally) const {
    const double rate = clopper_pearson_lower(tally.invalid, tally.samples, smoothing_confidence_);
    return smoothing_bound(problem_, request.origin, rate, target_);
  }

  [[nodiscard]] Proof proof(const ProveRequest& request, double floor) const {
    Proof out;
    out.confidence = options_.confidence;
    if (!smoothing_ && !sampling_) {
      const std::string_view one = margin_obstacle(problem_);
      const std::string_view other = smoothing_obstacle(problem_);
      out.reason = one == other ? std::string(one) : fmt::format("{}, and {}", one, other);
      return out;
    }
    out.basis = smoothing_ ? ProofBasis::smoothing : ProofBasis::sampling;
    out.lower = floor;
    if (sampling_ && floor < kInfinite) sample_bound(request, out);
    out.infeasible = out.lower == kInfinite;
    return out;
  }

 private:
  /// A point that meets the target is fixed before the samples. So at most `allowed_` of them fail
  /// it, but for the error; then it is feasible for the sampled problem, and costs at least what
  /// the cheapest solution costs. That needs no union bound over points.
  void sample_bound(const ProveRequest& request, Proof& out) const {
    std::unique_ptr<DrawnNetwork> own;
    if (!shared_) {
      own = std::make_unique<DrawnNetwork>(
          draw_for_proof(problem_, options_.samples, request.person));
    }
    const DrawnNetwork& network = own ? *own : *shared_;
    const Vector costs = movable_costs(network, request.origin);
    ChangeRegion region = admissible_region(network, request.origin);
    BranchOptions options{.gap = options_.gap, .max_boxes = options_.max_boxes, .floor = out.lower};
    options.stop = stop_;
    if (options_.seconds) {
      options.deadline = std::chrono::steady_clock::now() +
                         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                             std::chrono::duration<double>(*options_.seconds));
    }
    const double largest = largest_cost(costs, region);
    if (!request.known.empty()) {
      options.ceiling = distances(problem_.space, request.origin, request.known).cost;
      options.start = change_between(network, request.origin, request.known);
    } else if (largest == kInfinite) {
      options.ceiling = kReach * (costs.empty() ? 1 : std::ranges::min(costs));
    }
    if (!cut_to_budget(costs, options.ceiling, region)) return;
    const bool everything = request.known.empty() && largest < kInfinite;
    const BranchResult result =
        branch_and_bound(network, {request.origin, costs, region, allowed_}, options);
    out.samples = options_.samples;
    out.allowed = allowed_;
    out.boxes = result.boxes;
    // Without what was left out it is no change's cost.
    if (!has_price_curves(problem_.space) && !has_touch_prices(problem_.space)) {
      out.sampled_cost = result.upper;
    }
    out.solved = result.exhausted ||
                 (result.upper && result.lower >= (1 - options_.gap) * *result.upper * (1 - 1e-6));
    const double lower = result.exhausted && everything ? kInfinite : result.lower;
    if (lower <= out.lower && smoothing_) return;
    out.lower = lower;
    out.basis = ProofBasis::sampling;
  }

  const Problem& problem_;
  double target_;
  ProveOptions options_;
  std::stop_token stop_;
  bool smoothing_;
  bool sampling_;
  double smoothing_confidence_ = 0;
  std::size_t allowed_ = 0;
  std::unique_ptr<DrawnNetwork> shared_;
};

}  // namespace

std::string_view name_of(ProofBasis basis) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"none", "smoothing", "sampling", "exact"};
  return kNames[static_cast<std::size_t>(basis)];
}

void validate(const ProveOptions& options) {
  constexpr std::size_t kMostSamples = std::size_t{1} << 20;
  constexpr std::size_t kMostOriginSamples = std::size_t{1} << 39;
  require_confidence(options.confidence);
  require_count("family of a proof", options.family, ~std::size_t{0});
  if (!(options.share > 0 && options.share <= 1)) {
    throw InvalidArgument(
        fmt::format("share of a proof is {}; it must be above 0 and at most 1", options.share));
  }
  require_open_unit("gap", options.gap);
  require_count("samples of a proof", options.samples, kMostSamples);
  require_count("origin samples of a proof", options.origin_samples, kMostOriginSamples);
  require_count("boxes of a proof", options.max_boxes, ~std::size_t{0});
  if (options.seconds && !(*options.seconds > 0)) {
    throw InvalidArgument(
        fmt::format("seconds of a proof are {}; they must be more than 0", *options.seconds));
  }
}

std::vector<Proof> prove(const Problem& problem, double target,
                         std::span<const ProveRequest> people, const ProveOptions& options,
                         unsigned threads, const std::stop_token& stop) {
  validate(problem);
  validate(options);
  require_open_unit("target", target);
  const Prover prover(problem, target, options, stop);
  std::vector<double> floors(people.size());
  if (prover.smoothing()) {
    std::vector<Advice> present;
    for (const ProveRequest& person : people) {
      present.push_back({person.origin, person.origin, person.person});
    }
    const std::vector<Tally> tallies = tally(problem, present,
                                             {.purpose = Purpose::prove,
                                              .samples = options.origin_samples,
                                              .first = options.samples,
                                              .threads = threads,
                                              .stop = stop});
    if (tallies.empty()) return {};
    for (std::size_t i = 0; i < people.size(); ++i) {
      floors[i] = prover.floor_of(people[i], tallies[i]);
    }
  }
  std::vector<Proof> proofs(people.size());
  parallel_for(people.size(), threads, [&](std::size_t i) {
    if (!stop.stop_requested()) proofs[i] = prover.proof(people[i], floors[i]);
  });
  if (stop.stop_requested()) return {};
  return proofs;
}

}  // namespace croco
