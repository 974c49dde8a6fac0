// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/branch_and_bound.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include <croco/proof/margin_bounds.hpp>

namespace croco {
namespace {

/// A region that may hold a solution cheaper than the best one known.
struct Node {
  double lower = 0;           ///< what a solution inside costs at least
  std::size_t number = 0;     ///< of its making; breaks ties, so that the order is always the same
  std::size_t invalid = 0;    ///< draws that no change of interest makes valid
  std::size_t split = kNone;  ///< the side to cut: a column, or a category behind them
  ChangeRegion region;
  std::vector<std::uint64_t> open;  ///< a bit per place in the order of the draws: may be either

  friend bool operator>(const Node& a, const Node& b) noexcept {
    return std::pair(a.lower, a.number) > std::pair(b.lower, b.number);
  }
};

class BranchAndBound {
 public:
  BranchAndBound(const DrawnNetwork& network, const SampledProblem& problem,
                 const BranchOptions& options)
      : problem_(problem),
        options_(options),
        draws_(network.draws()),
        margins_(network, problem.origin, problem.region),
        cutoff_(options.ceiling),
        margin_(draws_ + 1),
        order_(draws_) {
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  }

  BranchResult run() {
    if (options_.start) shorten(*options_.start);
    Node root{.lower = options_.floor, .region = problem_.region, .open = {}};
    root.open.assign((draws_ + 63) / 64, ~std::uint64_t{0});
    if (draws_ % 64 != 0) root.open.back() >>= 64 - draws_ % 64;
    order_draws();
    consider(std::move(root));
    while (!nodes_.empty() && nodes_.top().lower < cutoff_ && result_.boxes < options_.max_boxes) {
      if (options_.stop.stop_requested() || (options_.existence && result_.upper)) break;
      if (options_.deadline && std::chrono::steady_clock::now() >= *options_.deadline) break;
      const Node node = nodes_.top();
      nodes_.pop();
      if (!divide(node)) {
        nodes_.push(node);
        break;
      }
    }
    const double open = nodes_.empty() ? kInfinite : nodes_.top().lower;
    result_.exhausted = nodes_.empty() && !result_.upper;
    // A hair less, for the rounding of the costs themselves.
    result_.lower = std::min(open, cutoff_) * (1 - 1e-9);
    return result_;
  }

 private:
  /// Both halves of a node; false when it is too small to be cut.
  bool divide(const Node& node) {
    if (node.split == kNone) return false;
    const std::size_t columns = node.region.box.size();
    for (const bool other : {false, true}) {
      Node half = node;
      if (node.split < columns) {
        Interval& side = half.region.box[node.split];
        (other ? side.lower : side.upper) = middle_of(side);
      } else {
        // The cheapest level alone, and the others.
        LevelOptions& options = half.region.levels[node.split - columns];
        options.erase(other ? options.begin() : options.begin() + 1,
                      other ? options.begin() + 1 : options.end());
      }
      consider(std::move(half));
    }
    return true;
  }

  [[nodiscard]] static double middle_of(const Interval& side) noexcept {
    return side.lower < 0 && side.upper > 0 ? 0.0 : (side.lower + side.upper) / 2;
  }

  /// Bounds a region and keeps it, unless nothing in it can be of interest.
  void consider(Node node) {
    if (!cut_to_budget(problem_.costs, cutoff_, node.region)) return;
    ++result_.boxes;
    node.number = result_.boxes;
    RegionChange candidate;
    node.lower = std::max(node.lower, bound(node, candidate));
    if (!(node.lower < cutoff_)) return;
    // Solutions are looked for in a fraction of the time that the bounds take, and now and then
    // whatever that takes: where bounds are cheap, it is solutions that are missing.
    if (4 * counted_ <= bounded_ || node.number % 32 == 0) try_to_improve(candidate);
    if (node.lower < cutoff_) nodes_.push(std::move(node));
  }

  /// Puts the draws with the smallest margins at the best change known first: they decide about
  /// most regions, which then need not look at the others. Flips make other draws hard for other
  /// levels, so each level that a category may have is looked at too, and a draw comes as early as
  /// the one that it is hardest for says.
  void order_draws() {
    const RegionChange at = best_ ? *best_ : options_.start ? *options_.start : cheapest();
    std::vector<RegionChange> changes{at};
    for (std::size_t c = 0; c < problem_.region.levels.size(); ++c) {
      for (const LevelOption& option : problem_.region.levels[c]) {
        if (option.level == at.levels[c] || changes.size() == kOrders) continue;
        changes.push_back(at);
        changes.back().levels[c] = option.level;
      }
    }
    std::vector<std::size_t> places(draws_, draws_);
    for (const RegionChange& change : changes) {
      std::iota(order_.begin(), order_.end(), std::uint32_t{0});
      margins_.margins(change, margin_);
      std::ranges::stable_sort(order_, {}, [&](std::uint32_t draw) { return margin_[draw]; });
      for (std::size_t k = 0; k < draws_; ++k) places[order_[k]] = std::min(places[order_[k]], k);
    }
    std::ranges::stable_sort(order_, {}, [&](std::uint32_t draw) { return places[draw]; });
  }

  /// What a solution in the box costs at least. Settles draws on the way, chooses the side to cut,
  /// and proposes a change that might be a solution.
  double bound(Node& node, RegionChange& candidate) {
    margins_.enter(problem_.costs, cutoff_, node.region);
    const auto quiet = static_cast<std::uint32_t>(draws_);
    waiting_.assign(1, quiet);
    places_.assign(1, 0);
    reaches_.clear();
    double least_cost = 0;
    const auto flush = [&] {
      margins_.bound(waiting_, bounds_, leasts_);
      bounded_ += waiting_.size();
      for (std::size_t k = 0; k < waiting_.size(); ++k) {
        const std::uint32_t draw = waiting_[k];
        const double cost = cost_to_reach(problem_.costs, node.region, bounds_[k]);
        if (draw == quiet) {
          least_cost = cost;
          continue;
        }
        const bool hopeless = cost >= cutoff_;
        if (hopeless) ++node.invalid;
        if (hopeless || leasts_[k] > 0) {
          node.open[places_[k] / 64] &= ~(std::uint64_t{1} << (places_[k] % 64));
        }
        if (!hopeless) reaches_.push_back({cost, places_[k]});
      }
      waiting_.clear();
      places_.clear();
    };
    // The hardest draws come first. Once those that follow cannot be expected to make up the number
    // that drops the box, the rest count as valid, here though not in its halves.
    std::size_t left = 0;
    for (const std::uint64_t word : node.open)
      left += static_cast<std::size_t>(std::popcount(word));
    std::size_t check = left > kCheck ? left - kCheck : 0;
    std::size_t before = node.invalid;
    const std::vector<std::uint64_t> open = node.open;
    for (std::size_t word = 0; word < open.size() && left > 0; ++word) {
      for (std::uint64_t bits = open[word]; bits != 0; bits &= bits - 1) {
        places_.push_back(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        waiting_.push_back(order_[places_.back()]);
        --left;
        if (waiting_.size() < MarginBounds::kLanes) continue;
        flush();
        if (node.invalid > problem_.allowed || least_cost >= cutoff_) return kInfinite;
        if (left > check || left == 0) continue;
        const double rate = static_cast<double>(node.invalid - before) / kCheck;
        if (static_cast<double>(node.invalid) + rate * static_cast<double>(left) <
            static_cast<double>(problem_.allowed)) {
          left = 0;
          break;
        }
        before = node.invalid;
        check = left > kCheck ? left - kCheck : 0;
      }
    }
    if (!waiting_.empty()) flush();
    if (node.invalid > problem_.allowed) return kInfinite;

    node.split = side_to_cut(node.region);
    double lower = std::max(least_cost, cheapest_cost(problem_.costs, node.region));
    std::uint32_t critical = quiet;
    const std::size_t rank = problem_.allowed - node.invalid;  // of the largest, from 0
    if (rank < reaches_.size()) {
      const auto at = reaches_.begin() + static_cast<std::ptrdiff_t>(rank);
      std::ranges::nth_element(reaches_, at, harder);
      if (at->cost > lower) {
        lower = at->cost;
        critical = order_[at->place];
      }
    }
    margins_.bound({&critical, 1}, bounds_, leasts_);
    static_cast<void>(cost_to_reach(problem_.costs, node.region, bounds_[0], &candidate));
    // Nobody can move to a part of a level: that is what makes this bound too low.
    if (candidate.partial < node.region.levels.size() && !options_.existence) {
      node.split = node.region.box.size() + candidate.partial;
    }
    return lower;
  }

  /// The side that makes the bounds loosest; where none does, the one that can cost most. None when
  /// nothing is left to cut.
  [[nodiscard]] std::size_t side_to_cut(const ChangeRegion& region) {
    const Vector blame = margins_.blame();
    const std::size_t columns = region.box.size();
    std::size_t best = kNone;
    std::tuple<double, bool, double> worst;
    for (std::size_t i = 0; i < blame.size(); ++i) {
      double spent = 0;
      if (i < columns) {
        const Interval& side = region.box[i];
        const double at = middle_of(side);
        if (!(side.lower < at && at < side.upper)) continue;
        spent = problem_.costs[i] * (side.upper - side.lower);
      } else {
        const LevelOptions& options = region.levels[i - columns];
        if (options.size() < 2) continue;
        spent = options.back().price - options.front().price;
      }
      // Where nothing is lost the bounds are exact in the numbers, though not in the levels.
      const std::tuple key(blame[i], i >= columns, spent);
      if (best != kNone && key <= worst) continue;
      best = i;
      worst = key;
    }
    return best;
  }

  [[nodiscard]] bool solves(const RegionChange& change) {
    counted_ += draws_ / 2;  // no gradient: about half the work of a bound
    margins_.margins(change, margin_);
    std::size_t invalid = 0;
    for (std::size_t k = 0; k < draws_; ++k) invalid += margin_[k] > 0 ? 0U : 1U;
    return margin_[draws_] > 0 && invalid <= problem_.allowed;
  }

  [[nodiscard]] RegionChange cheapest() const {
    RegionChange out{cheapest_change(problem_.region.box), {}};
    for (const LevelOptions& options : problem_.region.levels) {
      out.levels.push_back(options.front().level);
    }
    return out;
  }

  /// The same levels, with `factor` times the numbers.
  [[nodiscard]] RegionChange scaled(RegionChange change, double factor) const {
    for (std::size_t i = 0; i < change.numbers.size(); ++i) {
      const Interval& side = problem_.region.box[i];
      change.numbers[i] = std::clamp(factor * change.numbers[i], side.lower, side.upper);
    }
    return change;
  }

  [[nodiscard]] double cost_of(const RegionChange& change) const {
    return change_cost(problem_.costs, change.numbers) + levels_price(problem_.region, change);
  }

  /// The change that a bound proposes lies just outside of the solutions, so it is tried slightly
  /// longer; and at just less than the best cost, or without a best one well beyond.
  void try_to_improve(const RegionChange& change) {
    const double price = levels_price(problem_.region, change);
    const double cost = change_cost(problem_.costs, change.numbers);
    if (!(cost + price > 0)) return;
    const double half = options_.gap / 2;
    const double far = result_.upper ? *result_.upper * (1 - half) : 1.25 * (cost + price);
    for (const double wanted : {(cost + price) * (1 + half), far}) {
      if ((result_.upper && wanted >= *result_.upper) || wanted < price) continue;
      const RegionChange longer = scaled(change, cost > 0 ? (wanted - price) / cost : 1);
      if (!solves(longer)) continue;
      shorten(longer);
      return;
    }
  }

  /// The shortest solution along the way to a change becomes the best one if it is cheaper.
  void shorten(const RegionChange& change) {
    double low = 0;
    double high = 1;
    if (!solves(change)) return;
    while (high - low > options_.gap / 20) {
      const double middle = (low + high) / 2;
      (solves(scaled(change, middle)) ? high : low) = middle;
    }
    RegionChange shortest = scaled(change, high);
    const double cost = cost_of(shortest);
    if (!(cost < result_.upper.value_or(kInfinite))) return;
    best_ = std::move(shortest);
    result_.upper = cost;
    cutoff_ = std::min(options_.ceiling, cost * (1 - options_.gap));
  }

  /// What it costs at least to make a draw valid.
  struct Reach {
    double cost;
    std::size_t place;
  };
  static bool harder(const Reach& a, const Reach& b) noexcept {
    return a.cost != b.cost ? a.cost > b.cost : a.place < b.place;
  }
  /// How many draws are bounded before it is asked again whether the box can be dropped.
  static constexpr std::size_t kCheck = 512;
  /// Changes at most that say which draws are hard.
  static constexpr std::size_t kOrders = 16;

  const SampledProblem& problem_;
  const BranchOptions& options_;
  std::size_t draws_;
  MarginBounds margins_;
  double cutoff_;  ///< changes that cost this or more are of no interest any more
  BranchResult result_;
  std::optional<RegionChange> best_;  ///< the best solution known
  Vector margin_;                     ///< scratch, by draw
  std::priority_queue<Node, std::vector<Node>, std::greater<>> nodes_;
  std::size_t bounded_ = 0;
  std::size_t counted_ = 0;
  std::vector<std::uint32_t> order_;    ///< the draws, in the order in which boxes look at them
  std::vector<std::uint32_t> waiting_;  ///< draws to be bounded next
  std::vector<std::size_t> places_;     ///< theirs in the order
  std::vector<Reach> reaches_;
  std::array<LinearBound, MarginBounds::kLanes> bounds_;
  std::array<double, MarginBounds::kLanes> leasts_{};
};

}  // namespace

BranchResult branch_and_bound(const DrawnNetwork& network, const SampledProblem& problem,
                              const BranchOptions& options) {
  return BranchAndBound(network, problem, options).run();
}

}  // namespace croco
