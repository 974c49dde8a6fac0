// SPDX-License-Identifier: Apache-2.0
#include <croco/verify/stated_noise.hpp>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/noise/sample.hpp>

namespace croco {
namespace {

template <typename Value>
std::vector<Value> all_columns(const std::vector<std::pair<std::string, Value>>& stated,
                               const Codec& codec, std::string_view key) {
  auto values = in_order(stated, codec.column_names());
  if (!values) {
    throw DataError(fmt::format("'noise.{}' does not name exactly the columns of the model", key));
  }
  return std::move(*values);
}

std::vector<std::size_t> some_columns(const StatedRows& stated, const Codec& codec,
                                      std::string_view key) {
  std::vector<std::size_t> out;
  for (const std::string& name : stated.columns) {
    const auto found = std::ranges::find(codec.column_names(), name);
    if (found == codec.column_names().end()) {
      throw DataError(
          fmt::format("'noise.{}' names '{}', which is no column of the model", key, name));
    }
    out.push_back(static_cast<std::size_t>(found - codec.column_names().begin()));
  }
  return out;
}

/// The category whose columns these are, in their order.
OneHotGroup group_of(const StatedRows& stated, const Codec& codec) {
  const std::vector<std::size_t> columns = some_columns(stated, codec, "flips");
  for (const OneHotGroup& group : codec.space().groups) {
    bool same = group.count == columns.size();
    for (std::size_t k = 0; k < columns.size() && same; ++k) same = columns[k] == group.first + k;
    if (same) return group;
  }
  throw DataError(
      fmt::format("'noise.flips' names '{}' and others, which are not the levels of one "
                  "category in their order",
                  stated.columns.front()));
}

}  // namespace

Noise stated_noise(const StatedCertificate& stated, const Codec& codec) {
  Noise noise = stated.noise;
  if (!stated.column_scales.empty()) {
    noise.column_scales = all_columns(stated.column_scales, codec, "column_scales");
  }
  if (!stated.column_shapes.empty()) {
    noise.column_shapes = all_columns(stated.column_shapes, codec, "column_shapes");
  }
  if (stated.residuals) {
    noise.residuals = {some_columns(*stated.residuals, codec, "residuals"), stated.residuals->rows};
  }
  if (stated.covariance) {
    noise.covariance =
        Covariance(some_columns(*stated.covariance, codec, "covariance"), stated.covariance->rows);
  }
  for (const StatedRows& flips : stated.flips) {
    noise.flips.emplace_back(group_of(flips, codec), flips.rows.data);
  }
  return noise;
}

void require_drawn(const Noise& noise, const Codec& codec) {
  const Vector drawn = scoped_scales(noise, codec.space());
  const auto refuse = [&](std::string_view key, std::size_t j, const auto& value,
                          std::string_view rule) {
    throw DataError(fmt::format(
        "'noise.{}.{}' is {}; the column has no noise of this scope{}, so that it must be {}", key,
        codec.column_names()[j], value, noise.flips.empty() ? "" : " or flips", rule));
  };
  for (std::size_t j = 0; j < noise.column_scales.size() && j < drawn.size(); ++j) {
    if (noise.column_scales[j] != drawn[j]) {
      refuse("column_scales", j, noise.column_scales[j], "0");
    }
  }
  for (std::size_t j = 0; j < noise.column_shapes.size() && j < drawn.size(); ++j) {
    if (drawn[j] > 0 || noise.column_shapes[j] == NoiseShape::gaussian) continue;
    const std::string shape = noise_text({.shape = noise.column_shapes[j]});
    refuse("column_shapes", j, shape.substr(0, shape.find(':')), "gaussian");
  }
  const Residuals& residuals = noise.residuals;
  for (std::size_t i = 0; i < residuals.columns.size(); ++i) {
    if (drawn[residuals.columns[i]] > 0) continue;
    for (std::size_t k = 0; k < residuals.rows.count(); ++k) {
      if (residuals.rows[k][i] != 0) {
        refuse("residuals", residuals.columns[i], residuals.rows[k][i], "0");
      }
    }
  }
}

}  // namespace croco
