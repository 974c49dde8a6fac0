// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/plane_rewrite.hpp>

#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include <croco/models/graph/affine_forms.hpp>

namespace croco {
namespace {

/// `factor * plane + offset`.
struct Scaled {
  Plane plane = 0;
  double factor = 1;
  double offset = 0;
};

class Reader {
 public:
  explicit Reader(const PlaneProgram& program) : program_(program), step_of_(program.planes, 0) {
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
      const PlaneRange range = written_by(program.steps[s]);
      for (std::size_t k = 0; k < range.count; ++k) step_of_[range.first + k] = s + 1;
    }
  }

  template <typename Kind>
  [[nodiscard]] const Kind* made_by(Plane plane) const {
    return step_of_[plane] == 0 ? nullptr : std::get_if<Kind>(&program_.steps[step_of_[plane] - 1]);
  }
  /// What a plane is a multiple of.
  [[nodiscard]] Scaled scaled(Plane plane) const {
    const auto* step = made_by<ScaleStep>(plane);
    if (step == nullptr) return {plane};
    const std::size_t i = plane - step->out;
    return {step->in[i], step->factor[i], step->offset[i]};
  }
  /// y when a plane is `1 + erf(y / sqrt 2)`.
  [[nodiscard]] std::optional<Plane> gate(Plane plane) const {
    const Scaled outer = scaled(plane);
    if (outer.factor != 1 || outer.offset != 1) return std::nullopt;
    const auto* erf = made_by<UnaryStep>(outer.plane);
    if (erf == nullptr || erf->function != Unary::erf) return std::nullopt;
    const Scaled inner = scaled(erf->in[outer.plane - erf->out]);
    // Files have the root in single precision.
    const bool root = std::abs(inner.factor - std::numbers::sqrt2 / 2) < 1e-6;
    return root && inner.offset == 0 ? std::optional(inner.plane) : std::nullopt;
  }

 private:
  const PlaneProgram& program_;
  std::vector<std::size_t> step_of_;  ///< by plane: 1 + step, or 0
};

/// The x and 2 c of every element of a product that is a GELU.
std::optional<std::vector<Scaled>> gelus(const Reader& reader, const BinaryStep& step) {
  if (step.function != Binary::multiply) return std::nullopt;
  std::vector<Scaled> out;
  for (std::size_t i = 0; i < step.left.size(); ++i) {
    std::optional<Scaled> found;
    for (const auto& [gate, other] :
         {std::pair(step.left[i], step.right[i]), std::pair(step.right[i], step.left[i])}) {
      const auto y = reader.gate(gate);
      if (!y || found) continue;
      if (other == *y) {
        found = Scaled{*y, 2, 0};
      } else if (const Scaled multiple = reader.scaled(other);
                 multiple.plane == *y && multiple.offset == 0) {
        found = Scaled{*y, 2 * multiple.factor, 0};
      }
    }
    if (!found) return std::nullopt;
    out.push_back(*found);
  }
  return out;
}

}  // namespace

PlaneProgram with_gelu(PlaneProgram program) {
  const PlaneProgram before = program;
  const Reader reader(before);
  std::vector<Step> steps;
  bool changed = false;
  for (const Step& step : before.steps) {
    const auto* product = std::get_if<BinaryStep>(&step);
    const auto found = product == nullptr ? std::nullopt : gelus(reader, *product);
    if (!found) {
      steps.push_back(step);
      continue;
    }
    changed = true;
    UnaryStep gelu{.function = Unary::gelu, .out = static_cast<Plane>(program.planes)};
    ScaleStep scale{.out = product->out};
    for (const Scaled& one : *found) {
      gelu.in.push_back(one.plane);
      scale.in.push_back(static_cast<Plane>(program.planes++));
      scale.factor.push_back(one.factor);
      scale.offset.push_back(0.0);
    }
    steps.emplace_back(std::move(gelu));
    steps.emplace_back(std::move(scale));
  }
  if (!changed) return program;
  program.steps = std::move(steps);
  return pruned(program);
}

PlaneProgram without_coupling(PlaneProgram program) {
  for (Step& step : program.steps) {
    const auto* unary = std::get_if<UnaryStep>(&step);
    if (unary == nullptr || unary->function != Unary::libsvm_logit) continue;
    const std::size_t count = unary->in.size();
    step = ScaleStep{unary->in, unary->out, Vector(count, 1.0), Vector(count, 0.0)};
  }
  return program;
}

double coupling_sign(const PlaneProgram& program) {
  const UnaryStep* coupling = nullptr;
  for (const Step& step : program.steps) {
    const auto* unary = std::get_if<UnaryStep>(&step);
    if (unary == nullptr || unary->function != Unary::libsvm_logit) continue;
    if (coupling != nullptr || unary->in.size() != 1) return 0;
    coupling = unary;
  }
  if (coupling == nullptr) return 0;
  const AffineForms forms(program, {coupling->out});
  const AffineForm* result = forms.find(program.result);
  const bool plain = result != nullptr && result->offset == 0 && result->terms.size() == 1 &&
                     std::abs(result->terms[0].factor) == 1;
  return plain ? result->terms[0].factor : 0;
}

}  // namespace croco
