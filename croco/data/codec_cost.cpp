// SPDX-License-Identifier: Apache-2.0
// What the numbers of a codec's space cost, by kind.
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/data/codec.hpp>

namespace croco {
namespace {

/// Beyond the data's ends no share of them is left to be passed. The way there is worth what the
/// data's whole range is worth on average: 1 per range.
constexpr double kBeyond = 1.0;

PriceCurve percentile_curve(const Distribution& distribution, double origin, double unit,
                            double span) {
  Vector values;
  Vector levels;
  for (std::size_t i = 0; i < distribution.values.size(); ++i) {
    const double value = (distribution.values[i] - origin) / unit;
    // Scaling may make neighbours equal; the lower one stands for both.
    if (!values.empty() && !(value > values.back())) continue;
    values.push_back(value);
    levels.push_back(distribution.shares[i]);
  }
  return {std::move(values), std::move(levels), kBeyond / span};
}

}  // namespace

Codec Codec::with_cost(CostKind kind) const {
  Codec codec = *this;
  codec.cost_kind_ = kind;
  for (std::size_t k = 0; k < schema_.features.size(); ++k) {
    const Feature& feature = schema_.features[k];
    if (kind == cost_kind_ || feature.type != FeatureType::numeric) continue;
    Column& column = codec.space_.columns[column_of_[k]];
    column.cost = feature.cost / span_of(k);
    column.price = {};
    if (kind == CostKind::l1) continue;
    const std::optional<Distribution>& known = scales_[k].distribution;
    const auto fail = [&](std::string_view rule) {
      throw DataError(fmt::format("cost {}: feature '{}': {}", name_of(kind), feature.name, rule));
    };
    if (!known) {
      fail(
          "the model's encoding has no 'distribution' of it, which training stores; train the "
          "model again, or take cost l1");
    }
    if (kind == CostKind::percentile) {
      column.cost = feature.cost;
      column.price = percentile_curve(*known, origin_of(k), unit_of(k), span_of(k));
    } else if (known->deviation > 0) {
      column.cost = feature.cost * (unit_of(k) / known->deviation);
      if (!std::isfinite(column.cost) || column.cost == 0) {
        fail(fmt::format("a deviation of {} cannot be resolved in a range of {}",
                         format_number(known->deviation), format_number(unit_of(k))));
      }
    }
  }
  return codec;
}

}  // namespace croco
