// SPDX-License-Identifier: Apache-2.0
/// Which planes of a program are affine functions of others, and what follows from it: whole
/// programs that are fully connected networks, and the affine part at the beginning of all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <croco/models/graph/plane_program.hpp>
#include <croco/models/network/mlp.hpp>

namespace croco {

/// `offset + sum of factor * basis[index]`, indices ascending.
struct AffineForm {
  struct Term {
    std::uint32_t index = 0;
    double factor = 0;
  };
  std::vector<Term> terms = {};
  double offset = 0;

  [[nodiscard]] bool is_constant() const noexcept { return terms.empty(); }
};

/// The form at a row of its basis.
[[nodiscard]] inline double value_at(const AffineForm& form, View row) noexcept {
  double sum = form.offset;
  for (const AffineForm::Term& term : form.terms) sum += term.factor * row[term.index];
  return sum;
}

/// The planes of a program that are affine functions of a basis of planes.
class AffineForms {
 public:
  AffineForms(const PlaneProgram& program, const std::vector<Plane>& basis);

  /// `nullptr` for planes that are not affine, or too long to be written out.
  [[nodiscard]] const AffineForm* find(Plane plane) const noexcept {
    return forms_[plane] ? &*forms_[plane] : nullptr;
  }

 private:
  void add(const Step& step);
  void set(Plane plane, AffineForm form);
  void set_scaled(Plane plane, const AffineForm& form, double factor, double offset);
  [[nodiscard]] AffineForm sum(std::span<const Plane> in, const double* weights, double offset);

  std::size_t most_terms_;
  std::size_t most_work_;
  std::size_t terms_ = 0;  ///< of all forms together
  std::size_t work_ = 0;   ///< products of terms so far
  std::vector<std::optional<AffineForm>> forms_;
  std::vector<double> scratch_;         ///< by index; zeros between sums
  std::vector<std::uint32_t> touched_;  ///< indices of a sum, in no order
};

/// The same function as a fully connected network, when it is one: affine parts of any make, with
/// one kind of activation between them that `Mlp` has.
[[nodiscard]] std::optional<Mlp> as_mlp(const PlaneProgram& program);

/// A program cut behind its affine beginning.
struct SplitProgram {
  std::vector<AffineForm> head = {};  ///< the inputs of the tail, from the columns of the point
  PlaneProgram tail = {};
};

[[nodiscard]] SplitProgram split(const PlaneProgram& program);

}  // namespace croco
