// SPDX-License-Identifier: Apache-2.0
/// A classifier as a straight sequence of steps on planes. A plane holds one number of every item
/// of a batch; reshaping, slicing, joining and transposing are gone, since they only say which
/// plane is which. Everything that a graph of another tool means is brought into this form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/graph/kernel_sum.hpp>
#include <croco/models/graph/plane_functions.hpp>
#include <croco/models/network/dense.hpp>

namespace croco {

/// A plane's number. Steps write each plane once, after the planes that they read.
using Plane = std::uint32_t;

// Every step writes to as many planes as it has results, numbered from `out` on.

/// `layer.weight * in + layer.bias`.
struct AffineStep {
  std::vector<Plane> in = {};
  Plane out = 0;
  DenseLayer layer = {};
};

/// `factor[i] * in[i] + offset[i]`.
struct ScaleStep {
  std::vector<Plane> in = {};
  Plane out = 0;
  Vector factor = {};
  Vector offset = {};
  /// When not empty, the file divides by these: `factor` holds their reciprocals, and `offset` is
  /// 0.
  Vector divisor = {};
};

struct UnaryStep {
  Unary function = Unary::relu;
  double a = 0;
  double b = 0;
  std::vector<Plane> in = {};
  Plane out = 0;
};

struct BinaryStep {
  Binary function = Binary::add;
  std::vector<Plane> left = {};
  std::vector<Plane> right = {};
  Plane out = 0;
};

/// `condition[i] != 0 ? yes[i] : no[i]`.
struct SelectStep {
  std::vector<Plane> condition = {};
  std::vector<Plane> yes = {};
  std::vector<Plane> no = {};
  Plane out = 0;
};

/// What groups of neighbouring entries of `in` become: one number each, or a softmax as wide as the
/// group.
enum class GroupKind : std::uint8_t {
  sum,
  mean,
  largest,
  smallest,
  log_sum_exp,
  arg_largest,   ///< its place in the group, from 0
  arg_smallest,  ///< its place in the group, from 0
  softmax,
  log_softmax
};

/// Whether the result is a place in the group.
[[nodiscard]] constexpr bool is_place(GroupKind kind) noexcept {
  return kind == GroupKind::arg_largest || kind == GroupKind::arg_smallest;
}

struct GroupStep {
  GroupKind kind = GroupKind::sum;
  std::size_t width = 1;  ///< entries of a group
  std::vector<Plane> in = {};
  Plane out = 0;
  bool last = false;  ///< of a place: the last one of equal numbers, not the first
};

/// A part that has no form of its own here: numbers in, numbers out, no gradient.
class OpaqueFunction {
 public:
  virtual ~OpaqueFunction() = default;
  [[nodiscard]] virtual std::size_t inputs() const noexcept = 0;
  [[nodiscard]] virtual std::size_t outputs() const noexcept = 0;
  /// `in[i]` and `out[o]` are planes of `items` items.
  virtual void apply(std::span<const double* const> in, std::span<double* const> out,
                     std::size_t items) const = 0;
};

struct OpaqueStep {
  std::shared_ptr<const OpaqueFunction> function = {};
  std::vector<Plane> in = {};
  Plane out = 0;
};

/// The sum over support vectors. `single`: every operation is rounded to single precision.
struct KernelStep {
  std::shared_ptr<const KernelSum> sum = {};
  std::vector<Plane> in = {};
  Plane out = 0;
  bool single = false;
};

using Step = std::variant<AffineStep, ScaleStep, UnaryStep, BinaryStep, SelectStep, GroupStep,
                          OpaqueStep, KernelStep>;

/// A plane that is the same number for every item.
struct ConstantPlane {
  Plane plane = 0;
  double value = 0;
};

/// Planes 0 .. inputs - 1 are the columns of the point; `result` is the logit.
struct PlaneProgram {
  std::size_t inputs = 0;
  std::size_t planes = 0;
  std::vector<ConstantPlane> constants = {};
  std::vector<Step> steps = {};
  Plane result = 0;
};

/// The planes that a step reads, in the order of its members.
[[nodiscard]] std::vector<Plane> read_by(const Step& step);
struct PlaneRange {
  Plane first = 0;
  std::size_t count = 0;
};
[[nodiscard]] PlaneRange written_by(const Step& step);

/// Replaces every plane p that the step reads by `number[p]`.
void renumber(Step& step, const std::vector<Plane>& number);

/// False when a step on the way to the result has no slope.
[[nodiscard]] bool has_gradient(const PlaneProgram& program);

/// Whether a step may jump: then the result depends on the last bit of what it is given.
[[nodiscard]] bool has_jumps(const PlaneProgram& program) noexcept;

/// Leaves out what the result does not need, and numbers the planes anew.
[[nodiscard]] PlaneProgram pruned(const PlaneProgram& program);

}  // namespace croco
