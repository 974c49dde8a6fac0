// SPDX-License-Identifier: Apache-2.0
/// How large the numbers are that a plane is computed from. Roundings are relative to these and not
/// to the result: a sum of large terms that cancel is small, and is off by as much as they are.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/graph/plane_program.hpp>

namespace croco {

/// Writes planes of sizes beside a program that is being written. A size times a few units in the
/// last place bounds what roundings can do to the plane; where a step has no such bound, the size
/// is that of its result.
class PlaneSizes {
 public:
  /// Writes a step, and gives the first plane of its results.
  using Write = std::function<Plane(Step)>;
  /// The plane of a number.
  using Constant = std::function<Plane(double)>;

  /// `number` says where the planes of `program` are in what is written. All are referred to.
  PlaneSizes(const PlaneProgram& program, const std::vector<Plane>& number, Write write,
             Constant constant);

  /// The size of a plane of the given program that has been written already.
  [[nodiscard]] Plane of(Plane plane);
  /// What bounds the sizes of several planes: `common + added[i]`.
  struct Several {
    Plane common = 0;
    Vector added = {};
  };
  [[nodiscard]] Several of_all(const std::vector<Plane>& planes);

 private:
  [[nodiscard]] Plane computed(Plane plane);
  [[nodiscard]] Plane of_unary(const UnaryStep& step, Plane in, Plane value);
  [[nodiscard]] Plane of_binary(const BinaryStep& step, std::size_t index, Plane value);
  [[nodiscard]] Plane of_group(const GroupStep& step, std::size_t index, Plane value);

  [[nodiscard]] Plane absolute(Plane written);
  [[nodiscard]] Plane sum(std::vector<Plane> written);
  [[nodiscard]] Plane product(Plane a, Plane b);
  [[nodiscard]] Plane quotient(Plane a, Plane b);
  [[nodiscard]] Plane scaled(Plane a, double factor, double offset);

  const PlaneProgram& program_;
  const std::vector<Plane>& number_;
  Write write_;
  Constant constant_;
  std::vector<std::size_t> producer_;  ///< by plane: 1 + step, or 0
  std::map<Plane, Plane> known_;
  std::size_t depth_ = 0;  ///< of the search for what a plane is computed from
};

}  // namespace croco
