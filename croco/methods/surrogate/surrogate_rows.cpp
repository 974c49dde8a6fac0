// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/surrogate/surrogate_rows.hpp>

#include <algorithm>
#include <vector>

#include <croco/base/random.hpp>
#include <croco/noise/sample.hpp>
#include <croco/space/admissible.hpp>
#include <croco/space/features.hpp>
#include <croco/space/levels.hpp>

namespace croco {
namespace {

constexpr std::size_t kMostMoved = 3;
constexpr double kUnmoved = 0.2;
constexpr double kLargestNoise = 2.0;
constexpr double kShortest = 0.6;
constexpr double kLongest = 4.0 / 3;

/// Streams of their own, far from those of people.
std::uint64_t item_of(std::uint64_t stage) { return Stream::kShared - 16 - stage; }

const OneHotGroup* group_at(const Space& space, std::size_t first) {
  const auto found = std::ranges::find(space.groups, first, &OneHotGroup::first);
  return found == space.groups.end() ? nullptr : &*found;
}

}  // namespace

SurrogateRows::SurrogateRows(const Problem& problem, const Matrix& examples)
    : problem_(problem), examples_(examples), scales_(scoped_scales(problem.noise, problem.space)) {
  for (const std::size_t feature : all_features(problem.space)) {
    const OneHotGroup* group = group_at(problem.space, feature);
    if (group != nullptr ? !group->moves.empty() : problem.space.movable(feature)) {
      movable_.push_back(feature);
    }
  }
}

void SurrogateRows::move(std::span<const std::size_t> features, Sequence& random, View origin,
                         MutableView point) const {
  for (const std::size_t feature : features) {
    const double way = random.uniform();
    const double place = random.uniform();
    const View other = examples_[random.below(static_cast<std::uint32_t>(examples_.count()))];
    if (const OneHotGroup* group = group_at(problem_.space, feature)) {
      std::vector<std::size_t> levels;
      for (const LevelMove& one : group->moves) {
        if (one.from == level_at(*group, origin)) levels.push_back(one.to);
      }
      if (levels.empty()) continue;
      const auto pick = static_cast<std::size_t>(place * static_cast<double>(levels.size()));
      set_level(*group, levels[std::min(pick, levels.size() - 1)], point);
      continue;
    }
    const Column& column = problem_.space.columns[feature];
    const Interval admissible = admissible_interval(column, origin[feature]);
    // Somebody else's value, or anywhere between the two and as far beyond.
    const double target = way < 0.5
                              ? other[feature]
                              : origin[feature] + 2 * place * (other[feature] - origin[feature]);
    point[feature] =
        std::clamp(target, admissible.lower, std::max(admissible.lower, admissible.upper));
  }
}

void SurrogateRows::add_noise(std::uint64_t stage, std::uint64_t index, double size, View origin,
                              MutableView point) const {
  const Stream stream{problem_.seed, Purpose::search, item_of(stage)};
  Matrix draw(1, point.size());
  sample(problem_.noise, scales_, stream, index, draw);
  fit_to_point(problem_.noise, origin, point, draw[0]);
  for (double& value : draw.data) value *= size;
  if (!problem_.noise.flips.empty()) {
    const DrawnFlips flips = sample_flips(problem_.noise, stream, index, 1);
    add_flips(flips.categories, flips.of(0), point, draw[0]);
  }
  for (std::size_t j = 0; j < point.size(); ++j) point[j] += draw.data[j];
}

Matrix SurrogateRows::explored(std::span<const std::size_t> people, std::size_t count,
                               std::uint64_t stage) const {
  Sequence random({problem_.seed, Purpose::train, item_of(stage)});
  Matrix out(count, examples_.width);
  for (std::size_t i = 0; i < count; ++i) {
    const View origin = examples_[people[random.below(static_cast<std::uint32_t>(people.size()))]];
    const MutableView row = out[i];
    std::ranges::copy(origin, row.begin());
    if (random.uniform() > kUnmoved && !movable_.empty()) {
      std::vector<std::size_t> features;
      const std::size_t moved = 1 + random.below(kMostMoved);
      for (std::size_t m = 0; m < moved; ++m) {
        features.push_back(movable_[random.below(static_cast<std::uint32_t>(movable_.size()))]);
      }
      move(features, random, origin, row);
    }
    add_noise(stage, i, kLargestNoise * random.uniform(), origin, row);
  }
  return out;
}

Matrix SurrogateRows::along(View origin, View point, std::size_t count, std::uint64_t stage,
                            std::uint64_t person) const {
  Sequence random({problem_.seed + 1 + person, Purpose::train, item_of(stage)});
  Matrix out(count, origin.size());
  for (std::size_t i = 0; i < count; ++i) {
    const double factor = kShortest + (kLongest - kShortest) * random.uniform();
    const MutableView row = out[i];
    for (std::size_t j = 0; j < row.size(); ++j) {
      const bool number = problem_.space.columns[j].continuous;
      row[j] = number ? origin[j] + factor * (point[j] - origin[j]) : point[j];
    }
    add_noise(stage, person * count + i, 1.0, origin, row);
  }
  return out;
}

Matrix SurrogateRows::around(View origin, View point, std::size_t count, std::uint64_t stage,
                             std::uint64_t person) const {
  Matrix out(count, origin.size());
  for (std::size_t i = 0; i < count; ++i) {
    std::ranges::copy(point, out[i].begin());
    add_noise(stage, person * count + i, 1.0, origin, out[i]);
  }
  return out;
}

}  // namespace croco
