// SPDX-License-Identifier: Apache-2.0
#include <croco/optim/l1_program.hpp>

#include <algorithm>
#include <cmath>

namespace croco {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::size_t kNone = ~std::size_t{0};

/// Rows are scaled to a largest coefficient of 1; then this much is no violation.
constexpr double kFeasible = 1e-10;
/// Coefficients below this are rounding errors, not pivots.
constexpr double kPivot = 1e-9;
/// Basic values this near to the end of their range are at it: a column that need not move must not
/// look as if it did.
constexpr double kAtEnd = 1e-12;

/// A variable of the tableau, between 0 and `range`: the way of a column up or down from its value
/// nearest to 0, the excess over a row that may be missed, or the slack of a row.
struct Variable {
  double range = kInfinite;
  bool basic = false;
  bool at_range = false;  ///< of one that is not basic: at the upper end
  double value = 0.0;     ///< of a basic one
};

/// A way of a column.
struct Segment {
  std::size_t column = 0;
  double sign = 1.0;
};

class DualSimplex {
 public:
  explicit DualSimplex(const L1Program& program)
      : program_(program), rows_(program.rows.size()), scales_(rows_, 1.0) {
    for (std::size_t j = 0; j < program.costs.size(); ++j) {
      const double low = program.lower[j];
      const double high = program.upper[j];
      const double nearest = std::clamp(0.0, low, high);
      nearest_.push_back(nearest);
      if (high > nearest) add_segment({j, 1.0}, high - nearest);
      if (low < nearest) add_segment({j, -1.0}, nearest - low);
    }
    for (std::size_t i = 0; i < rows_; ++i) {
      if (std::isfinite(program.rows[i].penalty)) elastic_.push_back(i);
    }
    first_slack_ = segments_.size() + elastic_.size();
    width_ = first_slack_ + rows_;
    variables_.resize(width_);
    reduced_.resize(width_);
    tableau_.resize(rows_ * width_);
    basis_.resize(rows_);
    for (std::size_t i = 0; i < rows_; ++i) fill_row(i);
  }

  [[nodiscard]] L1Solution run(std::size_t long_steps) {
    const std::size_t limit = long_steps + 1000 + 100 * width_;
    for (;;) {
      const bool bland = out_.iterations >= long_steps;
      const std::size_t row = leaving(bland);
      if (row == kNone) return finish();
      if (out_.iterations == limit) return std::move(out_);
      ++out_.iterations;
      const std::size_t column = entering(row, bland);
      if (column == kNone) return contradiction(row);
      pivot(row, column);
    }
  }

 private:
  void add_segment(const Segment& segment, double range) {
    segments_.push_back(segment);
    variables_.push_back({.range = range});
    reduced_.push_back(program_.costs[segment.column]);
  }

  void fill_row(std::size_t i) {
    const ProgramRow& row = program_.rows[i];
    double largest = 0;
    for (const Segment& segment : segments_) {
      largest = std::max(largest, std::abs(row.coefficients[segment.column]));
    }
    if (largest > 0) scales_[i] = 1 / largest;
    double slack = row.bound;
    for (std::size_t j = 0; j < nearest_.size(); ++j) slack -= row.coefficients[j] * nearest_[j];
    for (std::size_t k = 0; k < segments_.size(); ++k) {
      at(i, k) = scales_[i] * segments_[k].sign * row.coefficients[segments_[k].column];
    }
    const auto found = std::ranges::find(elastic_, i);
    if (found != elastic_.end()) {
      const std::size_t k = segments_.size() + static_cast<std::size_t>(found - elastic_.begin());
      at(i, k) = -1;
      reduced_[k] = row.penalty / scales_[i];
    }
    basis_[i] = first_slack_ + i;
    at(i, basis_[i]) = 1;
    variables_[basis_[i]].basic = true;
    variables_[basis_[i]].value = scales_[i] * slack;
  }

  [[nodiscard]] double& at(std::size_t row, std::size_t column) {
    return tableau_[row * width_ + column];
  }

  /// The row of the basic variable that is farthest out of its range, or of the first that is.
  [[nodiscard]] std::size_t leaving(bool first) const {
    std::size_t row = kNone;
    double worst = kFeasible;
    for (std::size_t i = 0; i < rows_; ++i) {
      const Variable& variable = variables_[basis_[i]];
      const double outside = std::max(-variable.value, variable.value - variable.range);
      if (!(outside > (first ? kFeasible : worst))) continue;
      if (first && row != kNone && basis_[i] > basis_[row]) continue;
      row = i;
      worst = outside;
    }
    return row;
  }

  /// The variable that takes the row's place. Those that are cheaper to move and do not suffice go
  /// to the other end of their range on the way. None when all of them together do not suffice.
  [[nodiscard]] std::size_t entering(std::size_t row, bool first) {
    const Variable& out = variables_[basis_[row]];
    const double sign = out.value < 0 ? -1.0 : 1.0;
    double missing = sign < 0 ? -out.value : out.value - out.range;
    candidates_.clear();
    for (std::size_t k = 0; k < width_; ++k) {
      const Variable& variable = variables_[k];
      if (variable.basic) continue;
      const double gain = sign * (variable.at_range ? -1.0 : 1.0) * at(row, k);
      if (gain > kPivot) candidates_.push_back({k, gain, std::abs(reduced_[k]) / gain});
    }
    std::ranges::sort(candidates_, [&](const Candidate& a, const Candidate& b) {
      if (a.price != b.price) return a.price < b.price;
      if (!first && a.gain != b.gain) return a.gain > b.gain;
      return a.variable < b.variable;
    });
    double reach = 0;
    for (const Candidate& one : candidates_) reach += one.gain * variables_[one.variable].range;
    if (reach < missing - kFeasible) return kNone;
    if (first) return candidates_.front().variable;
    for (std::size_t c = 0; c + 1 < candidates_.size(); ++c) {
      const Candidate& one = candidates_[c];
      const double whole = one.gain * variables_[one.variable].range;
      if (whole >= missing - kFeasible) return one.variable;
      missing -= whole;
      flip(one.variable);
    }
    return candidates_.back().variable;
  }

  /// Moves a variable to the other end of its range.
  void flip(std::size_t k) {
    Variable& variable = variables_[k];
    const double change = variable.at_range ? -variable.range : variable.range;
    variable.at_range = !variable.at_range;
    for (std::size_t i = 0; i < rows_; ++i) variables_[basis_[i]].value -= at(i, k) * change;
  }

  void pivot(std::size_t row, std::size_t column) {
    Variable& out = variables_[basis_[row]];
    Variable& in = variables_[column];
    const bool below = out.value < 0;
    const double change = (out.value - (below ? 0.0 : out.range)) / at(row, column);
    for (std::size_t i = 0; i < rows_; ++i) {
      if (i != row) variables_[basis_[i]].value -= at(i, column) * change;
    }
    in.value = (in.at_range ? in.range : 0.0) + change;
    in.basic = true;
    out.basic = false;
    out.at_range = !below;
    basis_[row] = column;

    double* const pivot_row = &tableau_[row * width_];
    const double divisor = pivot_row[column];
    for (std::size_t k = 0; k < width_; ++k) pivot_row[k] /= divisor;
    pivot_row[column] = 1;
    const auto eliminate = [&](double* target) {
      const double factor = target[column];
      if (factor == 0) return;
      for (std::size_t k = 0; k < width_; ++k) target[k] -= factor * pivot_row[k];
      target[column] = 0;
    };
    for (std::size_t i = 0; i < rows_; ++i) {
      if (i != row) eliminate(&tableau_[i * width_]);
    }
    eliminate(reduced_.data());
  }

  [[nodiscard]] L1Solution finish() {
    out_.verdict = ProgramVerdict::optimal;
    out_.point = nearest_;
    for (std::size_t k = 0; k < segments_.size(); ++k) {
      const Variable& variable = variables_[k];
      double way = variable.at_range ? variable.range : 0.0;
      if (variable.basic) {
        way = std::clamp(variable.value, 0.0, variable.range);
        if (way < kAtEnd) way = 0;
        if (way > variable.range - kAtEnd) way = variable.range;
      }
      if (way == 0) continue;
      const std::size_t j = segments_[k].column;
      const double end = segments_[k].sign > 0 ? program_.upper[j] : program_.lower[j];
      // The end itself, not the nearest value plus the range, which may round to beside it.
      out_.point[j] = way == variable.range ? end : out_.point[j] + segments_[k].sign * way;
    }
    for (std::size_t j = 0; j < nearest_.size(); ++j) {
      out_.cost += program_.costs[j] * std::abs(out_.point[j]);
    }
    return std::move(out_);
  }

  /// The row says that a variable has a value out of its range wherever the others are in theirs;
  /// its entries in the slacks' columns are the factors of the rows that it was made from.
  [[nodiscard]] L1Solution contradiction(std::size_t row) {
    out_.verdict = ProgramVerdict::infeasible;
    const double sign = variables_[basis_[row]].value < 0 ? 1.0 : -1.0;
    for (std::size_t i = 0; i < rows_; ++i) {
      const double factor = sign * at(row, first_slack_ + i);
      out_.conflict.push_back(factor > kPivot ? factor * scales_[i] : 0.0);
    }
    return std::move(out_);
  }

  struct Candidate {
    std::size_t variable;
    double gain;   ///< of the row, per unit
    double price;  ///< per unit of gain
  };

  const L1Program& program_;
  std::size_t rows_;
  Vector scales_;
  Vector nearest_;
  std::vector<Segment> segments_;
  std::vector<std::size_t> elastic_;  ///< rows that may be missed
  std::vector<Variable> variables_;   ///< segments, excesses, slacks
  Vector reduced_;                    ///< what a unit of each variable costs at the present basis
  std::size_t first_slack_ = 0;
  std::size_t width_ = 0;
  Vector tableau_;
  std::vector<std::size_t> basis_;  ///< the variable of each row
  std::vector<Candidate> candidates_;
  L1Solution out_;
};

}  // namespace

L1Solution solve(const L1Program& program, std::size_t long_steps) {
  return DualSimplex(program).run(long_steps);
}

}  // namespace croco
