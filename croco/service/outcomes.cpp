// SPDX-License-Identifier: Apache-2.0
#include <croco/service/outcomes.hpp>

#include <algorithm>
#include <utility>

#include <croco/noise/sample.hpp>
#include <croco/service/service_impl.hpp>

namespace croco {
namespace {

std::vector<NoisyFeature> noisy_features(const Problem& problem, const Codec& codec, View scales) {
  std::vector<NoisyFeature> out;
  for (std::size_t j = 0; j < codec.width(); ++j) {
    const bool number = codec.schema().features[codec.feature_of(j)].type == FeatureType::numeric;
    if (!number || !(scales[j] > 0)) continue;
    out.push_back({.feature = codec.feature_of(j), .first = j, .scale = scales[j]});
  }
  for (const LevelFlips& flips : problem.noise.flips) {
    out.push_back({.feature = codec.feature_of(flips.group().first),
                   .category = true,
                   .first = flips.group().first,
                   .columns = flips.group().count});
  }
  std::ranges::stable_sort(out, {}, &NoisyFeature::feature);
  return out;
}

/// The samples around the point.
Matrix noisy_points(const Problem& problem, View scales, View origin, View point,
                    std::size_t count) {
  const Stream stream{problem.seed, Purpose::show, Stream::kShared};
  Matrix rows(count, point.size());
  sample(problem.noise, scales, stream, 0, rows);
  const DrawnFlips flips = sample_flips(problem.noise, stream, 0, count);
  for (std::size_t k = 0; k < count; ++k) {
    const MutableView row = rows[k];
    fit_to_point(problem.noise, origin, point, row);
    if (!flips.empty()) add_flips(flips.categories, flips.of(k), point, row);
    std::ranges::transform(row, point, row.begin(), std::plus<>{});
  }
  return rows;
}

/// A failing outcome with one feature as it was advised, for each feature.
void find_culprits(const Problem& problem, View point, Outcomes& all, const std::stop_token& stop) {
  for (Outcome& one : all.outcomes) {
    if (one.reached) continue;
    require_going(stop);
    Matrix rows(all.features.size(), point.size());
    for (std::size_t f = 0; f < all.features.size(); ++f) {
      const NoisyFeature& feature = all.features[f];
      std::ranges::copy(one.point, rows[f].begin());
      std::ranges::copy(point.subspan(feature.first, feature.columns),
                        rows[f].subspan(feature.first).begin());
    }
    Vector logits(rows.count());
    if (!logits.empty()) problem.model.logits(rows.rows(), logits);
    for (std::size_t f = 0; f < logits.size(); ++f) {
      if (problem.goal.reached(logits[f])) one.culprits.push_back(f);
    }
  }
}

}  // namespace

Outcomes make_outcomes(const Problem& problem, const Codec& codec, View origin, View point,
                       std::size_t count, const std::stop_token& stop) {
  const Vector scales = scoped_scales(problem.noise, problem.space);
  const Matrix rows = noisy_points(problem, scales, origin, point, count);
  Vector logits(count);
  problem.model.logits(rows.rows(), logits);
  require_going(stop);
  Outcomes out{.features = noisy_features(problem, codec, scales)};
  for (std::size_t k = 0; k < count; ++k) {
    out.outcomes.push_back({.reached = problem.goal.reached(logits[k]),
                            .logit = logits[k],
                            .point = Vector(rows[k].begin(), rows[k].end())});
  }
  if (!problem.model.queries_are_expensive()) find_culprits(problem, point, out, stop);
  return out;
}

}  // namespace croco
