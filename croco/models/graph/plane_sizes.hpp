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

  /// What bounds the sizes of planes of the given program that have been written already:
  /// `common + added[i]`.
  struct Several {
    Plane common = 0;
    Vector added = {};
  };
  [[nodiscard]] Several of_all(const std::vector<Plane>& planes);

 private:
  /// Which of its results a step is asked for.
  using Places = std::vector<std::size_t>;

  /// The sizes of planes of the given program, in their order.
  [[nodiscard]] std::vector<Plane> of(const std::vector<Plane>& planes);
  /// Of planes that one step writes; of columns and constants, where the producer is 0.
  [[nodiscard]] std::vector<Plane> computed(std::size_t producer, const std::vector<Plane>& planes);
  /// `planes` are those at `places` of the step's results.
  [[nodiscard]] std::vector<Plane> of_step(const AffineStep& step, const Places& places,
                                           const std::vector<Plane>& planes);
  [[nodiscard]] std::vector<Plane> of_step(const ScaleStep& step, const Places& places,
                                           const std::vector<Plane>& planes);
  [[nodiscard]] std::vector<Plane> of_step(const UnaryStep& step, const Places& places,
                                           const std::vector<Plane>& planes);
  [[nodiscard]] std::vector<Plane> of_step(const BinaryStep& step, const Places& places,
                                           const std::vector<Plane>& planes);
  [[nodiscard]] std::vector<Plane> of_step(const SelectStep& step, const Places& places,
                                           const std::vector<Plane>& planes);
  [[nodiscard]] std::vector<Plane> of_step(const GroupStep& step, const Places& places,
                                           const std::vector<Plane>& planes);
  [[nodiscard]] std::vector<Plane> of_step(const OpaqueStep& step, const Places& places,
                                           const std::vector<Plane>& planes);
  [[nodiscard]] std::vector<Plane> of_step(const KernelStep& step, const Places& places,
                                           const std::vector<Plane>& planes);

  [[nodiscard]] static std::vector<Plane> some_of(const std::vector<Plane>& planes,
                                                  const Places& places);
  // Each writes one step, for all of its operands; but for `absolute`, those are written planes.
  [[nodiscard]] std::vector<Plane> written(Step step);
  [[nodiscard]] std::vector<Plane> absolute(const std::vector<Plane>& planes);
  [[nodiscard]] std::vector<Plane> sums(std::size_t width, std::vector<Plane> sizes);
  [[nodiscard]] std::vector<Plane> sum(std::vector<Plane> a, std::vector<Plane> b);
  [[nodiscard]] std::vector<Plane> product(std::vector<Plane> a, std::vector<Plane> b);
  [[nodiscard]] std::vector<Plane> quotient(std::vector<Plane> a, std::vector<Plane> b);
  [[nodiscard]] std::vector<Plane> scaled(std::vector<Plane> sizes, Vector factors, Vector offsets);
  [[nodiscard]] std::vector<Plane> moved(std::vector<Plane> sizes, double by);

  const PlaneProgram& program_;
  const std::vector<Plane>& number_;
  Write write_;
  Constant constant_;
  std::vector<std::size_t> producer_;  ///< by plane: 1 + step, or 0
  std::map<Plane, Plane> known_;
  std::size_t depth_ = 0;  ///< of the search for what a plane is computed from
};

}  // namespace croco
