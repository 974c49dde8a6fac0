// SPDX-License-Identifier: Apache-2.0
/// A program on planes as the runtime of its file computes it. Runtimes of ONNX files work in
/// single precision as a rule: inputs are rounded, and so is every result. Where a program jumps
/// (at a comparison, a split, a rounding to whole numbers) the last bit decides, so it has to be
/// the runtime's.
#pragma once

#include <functional>
#include <vector>

#include <croco/models/graph/plane_program.hpp>

namespace croco {

/// What is known about the numbers of a file.
struct RuntimeTypes {
  std::vector<bool> single_inputs = {};  ///< by column of the point: rounded when it is read
  std::vector<bool> level_inputs = {};   ///< by column of the point: 0 or 1, of a category
};

/// The program with the runtime's roundings. Sums and functions such as exp have no prescribed
/// order or last bit. Where such a result comes so near to a jump that the runtime might decide
/// otherwise, the logit is NaN: there is no clear answer. "Near" is 2^-16 of the operands and 1e-6.
[[nodiscard]] PlaneProgram with_runtime_roundings(const PlaneProgram& program,
                                                  const RuntimeTypes& types);

/// Whether the last bit of a number may decide: the program jumps. What LIBSVM makes of
/// probabilities jumps too, by less than its own precision.
[[nodiscard]] bool last_bit_decides(const PlaneProgram& program);

/// The program without steps that only round to single precision: the function that it is meant to
/// be, for searches and for whatever is smooth.
[[nodiscard]] PlaneProgram without_roundings(const PlaneProgram& program);

/// Whether the runtime holds the results of a step in single precision, by what it reads.
[[nodiscard]] bool gives_single(const Step& step, const std::function<bool(Plane)>& is_single);

/// For each plane of a program: whether the runtime holds it in single precision. Constants and the
/// columns of categories take the type of what they are joined with.
[[nodiscard]] std::vector<bool> single_planes(const PlaneProgram& program,
                                              const RuntimeTypes& types);

/// For each plane of a program: whether it is what the runtime computes, to the last bit.
[[nodiscard]] std::vector<bool> exact_planes(const PlaneProgram& program,
                                             const RuntimeTypes& types);

}  // namespace croco
