// SPDX-License-Identifier: Apache-2.0
#include <croco/space/relation.hpp>

#include <algorithm>
#include <cmath>

namespace croco {

double Combination::at(View point) const noexcept {
  double value = offset;
  for (const Term& term : terms) value += term.weight * point[term.column];
  return value;
}

double LinearRow::excess(View point) const noexcept {
  double value = -bound;
  for (std::size_t j = 0; j < point.size(); ++j) value += coefficients[j] * point[j];
  return value;
}

bool LinearRow::holds(View point) const noexcept {
  constexpr double kTelling = 1e-9;
  double terms = 0;
  for (std::size_t j = 0; j < point.size(); ++j) terms += std::abs(coefficients[j] * point[j]);
  return excess(point) <= kTelling * std::max(1.0, terms);
}

LinearRow row_of(const Relation& relation, View origin) {
  LinearRow row{Vector(origin.size()), -1.0};
  if (!relation.has_value(origin)) return row;
  const double today = relation.numerator.at(origin) / relation.denominator.at(origin);
  const double limit = relation.limit.value_or(today);
  for (const Combination::Term& term : relation.numerator.terms) {
    row.coefficients[term.column] += term.weight;
  }
  for (const Combination::Term& term : relation.denominator.terms) {
    row.coefficients[term.column] -= limit * term.weight;
  }
  row.bound = limit * relation.denominator.offset - relation.numerator.offset;
  double largest = 0;
  for (const double value : row.coefficients) largest = std::max(largest, std::abs(value));
  if (largest == 0) return row;
  for (double& value : row.coefficients) value /= largest;
  row.bound /= largest;
  return row;
}

std::vector<LinearRow> rows_of(std::span<const Relation> relations, View origin) {
  std::vector<LinearRow> rows;
  rows.reserve(relations.size());
  for (const Relation& relation : relations) rows.push_back(row_of(relation, origin));
  return rows;
}

}  // namespace croco
