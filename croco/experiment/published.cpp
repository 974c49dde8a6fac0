// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/published.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/record_reader.hpp>
#include <croco/experiment/configuration.hpp>

namespace croco {
namespace {

/// The number in a column that may not be there, of a field that may be empty.
std::optional<double> number_in(const CsvTable& table, const CsvRow& row, const char* name) {
  const auto column = table.find(name);
  if (!column || row.fields[*column].empty()) return std::nullopt;
  const auto value = parse_number(row.fields[*column]);
  if (!value || !std::isfinite(*value)) {
    throw DataError(fmt::format("{}, line {}, column '{}': '{}' is not a number", table.source,
                                row.line, name, row.fields[*column]));
  }
  return value;
}

template <typename Part>
std::optional<std::size_t> index_of(const std::vector<Part>& parts, const std::string& name) {
  const auto found =
      std::ranges::find_if(parts, [&](const Part& part) { return means_name(name, part.name); });
  if (found == parts.end()) return std::nullopt;
  return static_cast<std::size_t>(found - parts.begin());
}

}  // namespace

std::vector<PublishedPoint> read_published(const CsvTable& table, const Experiment& experiment) {
  const std::size_t dataset = table.column("dataset");
  const std::size_t method = table.column("method");
  const std::size_t noise = table.find("noise") ? table.column("noise") : table.column("variance");
  std::vector<PublishedPoint> points;
  for (const CsvRow& row : table.rows) {
    check_field_count(table, row);
    const auto d = index_of(experiment.datasets, row.fields[dataset]);
    const auto n = index_of(experiment.noises, row.fields[noise]);
    const auto target = number_in(table, row, "target");
    const bool wanted =
        !target || std::ranges::find(experiment.targets, *target) != experiment.targets.end();
    if (!d || !n || !wanted) continue;
    points.push_back({.dataset = *d,
                      .noise = *n,
                      .target = target,
                      .method = row.fields[method],
                      .people = number_in(table, row, "n"),
                      .validity = number_in(table, row, "validity"),
                      .l1_mean = number_in(table, row, "l1_mean"),
                      .l1_sd = number_in(table, row, "l1_std"),
                      .rate_mean = number_in(table, row, "rate_mean"),
                      .rate_sd = number_in(table, row, "rate_std"),
                      .rate_above_target = target ? number_in(table, row, "rate_share_above_target")
                                                  : std::nullopt});
  }
  if (points.empty()) {
    throw DataError(fmt::format("{}: no row is for a data set, noise and target of this experiment",
                                table.source));
  }
  return points;
}

}  // namespace croco
