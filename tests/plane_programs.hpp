// SPDX-License-Identifier: Apache-2.0
/// Programs on planes, as graphs of other tools become them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/graph/plane_program.hpp>

namespace croco::fixtures {

/// Programs put together step by step.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::size_t inputs) : program_{.inputs = inputs, .planes = inputs} {}

  [[nodiscard]] std::vector<Plane> inputs() const { return planes(0, program_.inputs); }
  std::vector<Plane> affine(std::vector<Plane> in, std::size_t outputs, Vector weight,
                            Vector bias) {
    const std::size_t width = in.size();
    return add(outputs, AffineStep{.in = std::move(in),
                                   .layer = {width, outputs, std::move(weight), std::move(bias)}});
  }
  std::vector<Plane> unary(Unary function, std::vector<Plane> in, double a = 0, double b = 0) {
    const std::size_t width = in.size();
    return add(width, UnaryStep{.function = function, .a = a, .b = b, .in = std::move(in)});
  }
  std::vector<Plane> binary(Binary function, std::vector<Plane> left, std::vector<Plane> right) {
    const std::size_t width = left.size();
    return add(
        width,
        BinaryStep{.function = function, .left = std::move(left), .right = std::move(right)});
  }
  std::vector<Plane> group(GroupKind kind, std::vector<Plane> in) {
    const std::size_t width = in.size();
    const bool wide = kind == GroupKind::softmax || kind == GroupKind::log_softmax;
    return add(wide ? width : 1, GroupStep{.kind = kind, .width = width, .in = std::move(in)});
  }
  [[nodiscard]] PlaneProgram ending_in(Plane result) {
    program_.result = result;
    return program_;
  }

 private:
  static std::vector<Plane> planes(std::size_t first, std::size_t count) {
    std::vector<Plane> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<Plane>(first + i);
    return out;
  }
  template <typename AnyStep>
  std::vector<Plane> add(std::size_t results, AnyStep step) {
    step.out = static_cast<Plane>(program_.planes);
    program_.steps.emplace_back(std::move(step));
    program_.planes += results;
    return planes(program_.planes - results, results);
  }

  PlaneProgram program_;
};

}  // namespace croco::fixtures
