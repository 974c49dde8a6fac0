// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/plane_program.hpp>

#include <algorithm>
#include <utility>

namespace croco {
namespace {

template <typename... Parts>
struct Overloaded : Parts... {
  using Parts::operator()...;
};
template <typename... Parts>
Overloaded(Parts...) -> Overloaded<Parts...>;

/// Calls `visit` with every list of planes that a step reads.
template <typename AnyStep, typename Visit>
void for_inputs(AnyStep& step, Visit visit) {
  std::visit(Overloaded{[&](auto& one)
                          requires requires { one.in; }
                                   { visit(one.in); },
                                   [&](auto& one)
                                     requires requires { one.left; }
                                              {
                                                visit(one.left);
                                                visit(one.right);
                                              },
                                              [&](auto& one)
                                                requires requires { one.condition; }
                        {
                          visit(one.condition);
                          visit(one.yes);
                          visit(one.no);
                        }},
             step);
}

std::size_t results(const GroupStep& step) noexcept {
  const bool wide = step.kind == GroupKind::softmax || step.kind == GroupKind::log_softmax;
  return wide ? step.in.size() : step.in.size() / step.width;
}

}  // namespace

std::vector<Plane> read_by(const Step& step) {
  std::vector<Plane> out;
  for_inputs(step, [&](const std::vector<Plane>& planes) {
    out.insert(out.end(), planes.begin(), planes.end());
  });
  return out;
}

PlaneRange written_by(const Step& step) {
  return std::visit(
      Overloaded{[](const AffineStep& one) { return PlaneRange{one.out, one.layer.outputs}; },
                 [](const ScaleStep& one) { return PlaneRange{one.out, one.in.size()}; },
                 [](const UnaryStep& one) { return PlaneRange{one.out, one.in.size()}; },
                 [](const BinaryStep& one) { return PlaneRange{one.out, one.left.size()}; },
                 [](const SelectStep& one) { return PlaneRange{one.out, one.condition.size()}; },
                 [](const GroupStep& one) { return PlaneRange{one.out, results(one)}; },
                 [](const OpaqueStep& one) { return PlaneRange{one.out, one.function->outputs()}; },
                 [](const KernelStep& one) { return PlaneRange{one.out, 1}; }},
      step);
}

void renumber(Step& step, const std::vector<Plane>& number) {
  for_inputs(step, [&](std::vector<Plane>& planes) {
    for (Plane& plane : planes) plane = number[plane];
  });
}

bool has_gradient(const PlaneProgram& program) {
  const auto is_flat = [](const Step& step) {
    return std::visit(
        Overloaded{[](const UnaryStep& one) { return is_step(one.function); },
                   [](const BinaryStep& one) { return is_step(one.function); },
                   [](const GroupStep& one) { return is_place(one.kind); },
                   [](const OpaqueStep&) { return true; }, [](const auto&) { return false; }},
        step);
  };
  // What only decides between two pieces of a function need not have a slope itself.
  std::vector<bool> counts(program.planes, false);
  counts[program.result] = true;
  for (auto step = program.steps.rbegin(); step != program.steps.rend(); ++step) {
    const PlaneRange range = written_by(*step);
    bool used = false;
    for (std::size_t k = 0; k < range.count; ++k) used = used || counts[range.first + k];
    if (!used) continue;
    // Doubts are 0 or no answer: they have no slope, and need none.
    const auto* binary = std::get_if<BinaryStep>(&*step);
    if (binary != nullptr && binary->function == Binary::unclear) continue;
    if (is_flat(*step)) return false;
    if (const auto* select = std::get_if<SelectStep>(&*step)) {
      for (const Plane plane : select->yes) counts[plane] = true;
      for (const Plane plane : select->no) counts[plane] = true;
    } else {
      for (const Plane plane : read_by(*step)) counts[plane] = true;
    }
  }
  return true;
}

bool has_jumps(const PlaneProgram& program) noexcept {
  return std::ranges::any_of(program.steps, [](const Step& step) {
    return std::visit(
        Overloaded{[](const UnaryStep& one) { return has_jumps(one.function); },
                   [](const BinaryStep& one) { return is_step(one.function); },
                   [](const GroupStep& one) { return is_place(one.kind); },
                   [](const SelectStep&) { return true; }, [](const OpaqueStep&) { return true; },
                   [](const auto&) { return false; }},
        step);
  });
}

PlaneProgram pruned(const PlaneProgram& program) {
  std::vector<bool> needed(program.planes, false);
  needed[program.result] = true;
  std::vector<bool> kept(program.steps.size(), false);
  for (std::size_t s = program.steps.size(); s > 0; --s) {
    const PlaneRange range = written_by(program.steps[s - 1]);
    for (std::size_t k = 0; k < range.count; ++k) {
      if (needed[range.first + k]) kept[s - 1] = true;
    }
    if (!kept[s - 1]) continue;
    for (const Plane plane : read_by(program.steps[s - 1])) needed[plane] = true;
  }

  PlaneProgram out{.inputs = program.inputs, .planes = program.inputs};
  std::vector<Plane> number(program.planes, 0);
  for (std::size_t j = 0; j < program.inputs; ++j) number[j] = static_cast<Plane>(j);
  for (const ConstantPlane& constant : program.constants) {
    if (!needed[constant.plane]) continue;
    number[constant.plane] = static_cast<Plane>(out.planes++);
    out.constants.push_back({number[constant.plane], constant.value});
  }
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    if (!kept[s]) continue;
    Step step = program.steps[s];
    renumber(step, number);
    const PlaneRange range = written_by(step);
    for (std::size_t k = 0; k < range.count; ++k) {
      number[range.first + k] = static_cast<Plane>(out.planes + k);
    }
    std::visit([&](auto& one) { one.out = static_cast<Plane>(out.planes); }, step);
    out.planes += range.count;
    out.steps.push_back(std::move(step));
  }
  out.result = number[program.result];
  return out;
}

}  // namespace croco
