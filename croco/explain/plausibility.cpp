// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/plausibility.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <croco/loading/reference_people.hpp>

namespace croco {

PlausibilityScale::PlausibilityScale(const LoadedModel& loaded, const Goal& goal)
    : reference_(0, loaded.codec.width()) {
  constexpr std::size_t kMost = 2048;
  for (const Column& column : loaded.codec.space().columns) {
    weights_.push_back(column.continuous ? 1 / column.span : 0.5);
  }
  const ReferencePeople people =
      accepted_reference(loaded, goal, 2 * kNearest, kMost, "plausibility");
  for (std::size_t i = 0; i < people.places.size(); i += 2) {
    reference_.append(people.points[i]);
    places_.push_back(people.places[i]);
  }
  for (std::size_t i = 1; i < people.places.size(); i += 2) {
    usual_.push_back(of(people.points[i]).distance);
  }
  std::ranges::sort(usual_);
}

double PlausibilityScale::distance(View a, View b) const noexcept {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += weights_[j] * std::abs(a[j] - b[j]);
  return sum;
}

Plausibility PlausibilityScale::of(View point) const {
  std::array<double, kNearest> nearest{};
  nearest.fill(std::numeric_limits<double>::infinity());
  Plausibility out;
  for (std::size_t i = 0; i < reference_.count(); ++i) {
    double far = distance(point, reference_[i]);
    if (far < nearest.front()) out.nearest = places_[i];
    for (double& kept : nearest) {
      if (far < kept) std::swap(far, kept);
    }
  }
  for (const double far : nearest) out.distance += far / kNearest;
  const auto unusual = usual_.end() - std::ranges::lower_bound(usual_, out.distance);
  if (!usual_.empty()) {
    out.share = static_cast<double>(unusual) / static_cast<double>(usual_.size());
  }
  return out;
}

}  // namespace croco
