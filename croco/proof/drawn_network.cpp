// SPDX-License-Identifier: Apache-2.0
#include <croco/proof/drawn_network.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <croco/noise/sample.hpp>
#include <croco/space/admissible.hpp>
#include <croco/space/distance.hpp>
#include <croco/space/levels.hpp>

namespace croco {

std::string_view network_obstacle(const Problem& problem) {
  const Mlp* network = problem.model.network();
  if (network == nullptr) return "the model is not a network";
  const Activation activation = network->hidden_activation();
  if (network->layers().size() > 1 && activation != Activation::relu &&
      activation != Activation::leaky_relu) {
    return "the units of the network are not ReLU";
  }
  const auto moves_by_columns = [&](const OneHotGroup& group) {
    for (std::size_t j = group.first; j < group.first + group.count; ++j) {
      if (problem.space.movable(j)) return true;
    }
    return false;
  };
  for (const OneHotGroup& group : problem.space.groups) {
    if (!group.moves.empty() && moves_by_columns(group)) {
      return "the columns of a category may change apart from its levels";
    }
  }
  for (const LevelFlips& category : problem.noise.flips) {
    if (moves_by_columns(category.group())) {
      return "the columns of a category with flips may change apart from its levels";
    }
  }
  return {};
}

std::string_view margin_obstacle(const Problem& problem) {
  if (const std::string_view obstacle = network_obstacle(problem); !obstacle.empty()) {
    return obstacle;
  }
  if (depends_on_point(problem.noise)) return "the noise depends on the advice";
  // Networks are such that sums stay finite for inputs up to this.
  constexpr double kLargest = 1e9;
  return largest_draw(problem.noise) > kLargest ? "the noise can draw numbers beyond 1e9"
                                                : std::string_view();
}

DrawnNetwork::DrawnNetwork(const Problem& problem, Rows draws, const DrawnFlips& flips)
    : problem_(problem), network_(*problem.model.network()), draws_(draws.count()) {
  for (std::size_t j = 0; j < problem.space.width(); ++j) {
    if (problem.space.movable(j)) movable_.push_back(j);
  }
  for (const LevelFlips& category : problem.noise.flips) {
    categories_.push_back({category.group(), &category});
  }
  for (const OneHotGroup& group : problem.space.groups) {
    const auto same = [&](const DrawnCategory& other) { return other.group.first == group.first; };
    const auto at = std::ranges::find_if(categories_, same);
    if (at != categories_.end()) {
      at->group = group;  // the noise's copy need not know the moves
    } else if (!group.moves.empty()) {
      categories_.push_back({group, nullptr});
    }
  }
  project(draws);
  find_patterns(flips);
}

void DrawnNetwork::project(Rows draws) {
  const DenseLayer& first = network_.layers().front();
  projected_.resize((draws_ + 1) * first.outputs);
  for (std::size_t k = 0; k < draws_; ++k) {
    for (std::size_t h = 0; h < first.outputs; ++h) {
      double sum = 0;
      double size = 0;  // rounding errors are relative to it, however much of it cancels
      for (std::size_t j = 0; j < first.inputs; ++j) {
        const double term = first.weight[h * first.inputs + j] * draws[k][j];
        sum += term;
        size += std::abs(term);
      }
      projected_[k * first.outputs + h] = sum;
      largest_ = std::max(largest_, size);
    }
  }
}

void DrawnNetwork::find_patterns(const DrawnFlips& flips) {
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::vector<std::uint32_t> cells(categories_.size(), kNoFlip);
  const auto add = [&] {
    const auto [at, fresh] = known.try_emplace(cells, static_cast<std::uint32_t>(known.size()));
    if (fresh) cells_.insert(cells_.end(), cells.begin(), cells.end());
    pattern_.push_back(at->second);
  };
  for (std::size_t k = 0; k < draws_; ++k) {
    // Flipped categories come first, in the order of the noise.
    if (!flips.empty()) std::ranges::copy(flips.of(k), cells.begin());
    add();
  }
  std::ranges::fill(cells, kNoFlip);
  add();
  patterns_ = known.size();
}

DrawnNetwork draw_for_proof(const Problem& problem, std::size_t samples, std::uint64_t person) {
  Matrix draws(samples, problem.space.width());
  const Stream stream = problem.stream(Purpose::prove, person);
  sample(problem.noise, scoped_scales(problem.noise, problem.space), stream, 0, draws);
  return {problem, draws.rows(), sample_flips(problem.noise, stream, 0, samples)};
}

ChangeRegion admissible_region(const DrawnNetwork& network, View origin) {
  ChangeRegion region;
  for (const std::size_t j : network.movable()) {
    const Interval side = admissible_interval(network.problem().space.columns[j], origin[j]);
    region.box.push_back({side.lower - origin[j], side.upper - origin[j]});
  }
  for (const DrawnCategory& category : network.categories()) {
    const std::size_t level = level_at(category.group, origin);
    LevelOptions& options = region.levels.emplace_back(LevelOptions{{level, 0.0}});
    for (const LevelMove& move : category.group.moves) {
      if (move.from == level && move.to != level) options.push_back({move.to, move.price});
    }
    std::ranges::stable_sort(options, {}, &LevelOption::price);
  }
  return region;
}

Vector movable_costs(const DrawnNetwork& network, View origin) {
  Vector costs;
  for (const std::size_t j : network.movable()) {
    const Column& column = network.problem().space.columns[j];
    costs.push_back(least_price(column, origin[j], admissible_interval(column, origin[j])));
  }
  return costs;
}

RegionChange change_between(const DrawnNetwork& network, View origin, View point) {
  RegionChange change;
  for (const std::size_t j : network.movable()) change.numbers.push_back(point[j] - origin[j]);
  for (const DrawnCategory& category : network.categories()) {
    change.levels.push_back(level_at(category.group, point));
  }
  return change;
}

}  // namespace croco
