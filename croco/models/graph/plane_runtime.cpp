// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/plane_runtime.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include <croco/models/graph/plane_choice.hpp>
#include <croco/models/graph/plane_sizes.hpp>
#include <croco/models/graph/tree_scores.hpp>

namespace croco {
namespace {

bool is_arithmetic(Binary function) noexcept {
  return function == Binary::add || function == Binary::subtract || function == Binary::multiply ||
         function == Binary::divide;
}

/// Functions whose result is one of their arguments, or a whole number: nothing is rounded.
bool keeps_bits(Unary function) noexcept {
  switch (function) {
    case Unary::relu:
    case Unary::abs:
    case Unary::clip:
    case Unary::thresholded_relu:
    case Unary::replace:
    case Unary::single:
    case Unary::to_double:
      return true;
    default:
      return is_step(function);
  }
}

bool keeps_bits(GroupKind kind) noexcept {
  return kind == GroupKind::largest || kind == GroupKind::smallest || is_place(kind);
}

/// Whether a step rounds its results anew, so that single precision shows.
bool rounds(const Step& step) noexcept {
  if (const auto* unary = std::get_if<UnaryStep>(&step)) return !keeps_bits(unary->function);
  if (const auto* binary = std::get_if<BinaryStep>(&step)) {
    return is_arithmetic(binary->function) || binary->function == Binary::power;
  }
  if (const auto* group = std::get_if<GroupStep>(&step)) return !keeps_bits(group->kind);
  return std::holds_alternative<AffineStep>(step) || std::holds_alternative<ScaleStep>(step) ||
         std::holds_alternative<OpaqueStep>(step) || std::holds_alternative<KernelStep>(step);
}

/// Which planes of a program hold the runtime's own bits, step by step.
class Exactness {
 public:
  Exactness(const PlaneProgram& program, const RuntimeTypes& types)
      : types_(types), exact_(program.planes, false) {
    std::fill_n(exact_.begin(), program.inputs, true);
    for (const ConstantPlane& constant : program.constants) exact_[constant.plane] = true;
    for (const Step& step : program.steps) {
      const PlaneRange range = written_by(step);
      std::visit([&](const auto& one) { mark(one, range); }, step);
    }
  }
  [[nodiscard]] std::vector<bool> take() { return std::move(exact_); }

 private:
  [[nodiscard]] bool all(const std::vector<Plane>& planes) const {
    return std::ranges::all_of(planes, [&](Plane plane) { return exact_[plane]; });
  }
  void set(const PlaneRange& range, bool exact) {
    std::fill_n(exact_.begin() + range.first, range.count, exact);
  }

  /// A function of a category is a sum with one term.
  void mark(const AffineStep& step, const PlaneRange& range) {
    set(range, std::ranges::all_of(step.in,
                                   [&](Plane plane) {
                                     return plane < types_.level_inputs.size() &&
                                            types_.level_inputs[plane];
                                   }) &&
                   std::ranges::all_of(step.layer.bias, [](double bias) { return bias == 0; }));
  }
  /// A product or a sum has one rounding; both together have two in the runtime.
  void mark(const ScaleStep& step, const PlaneRange& range) {
    for (std::size_t i = 0; i < range.count; ++i) {
      exact_[range.first + i] = exact_[step.in[i]] && (step.factor[i] == 1 || step.offset[i] == 0);
    }
  }
  /// What jumps is clear, or doubted where it jumps: either way the result is the runtime's.
  void mark(const UnaryStep& step, const PlaneRange& range) {
    for (std::size_t i = 0; i < range.count; ++i) {
      const bool root = step.function == Unary::sqrt || step.function == Unary::square ||
                        step.function == Unary::reciprocal;
      exact_[range.first + i] =
          is_step(step.function) || (exact_[step.in[i]] && (keeps_bits(step.function) || root));
    }
  }
  void mark(const BinaryStep& step, const PlaneRange& range) {
    for (std::size_t i = 0; i < range.count; ++i) {
      const bool both = exact_[step.left[i]] && exact_[step.right[i]];
      exact_[range.first + i] = is_step(step.function) || (both && step.function != Binary::power);
    }
  }
  void mark(const SelectStep& step, const PlaneRange& range) {
    for (std::size_t i = 0; i < range.count; ++i) {
      exact_[range.first + i] =
          exact_[step.condition[i]] && exact_[step.yes[i]] && exact_[step.no[i]];
    }
  }
  void mark(const GroupStep& step, const PlaneRange& range) {
    set(range, is_place(step.kind) || (keeps_bits(step.kind) && all(step.in)));
  }
  /// Trees are sums; an entry of a table is clear, or doubted.
  void mark(const OpaqueStep& step, const PlaneRange& range) {
    set(range, dynamic_cast<const TableEntry*>(step.function.get()) != nullptr);
  }

  void mark(const KernelStep& /*step*/, const PlaneRange& range) { set(range, false); }

  const RuntimeTypes& types_;
  std::vector<bool> exact_;
};

/// Writes the program again, with roundings and with doubts.
class Writer {
 public:
  Writer(const PlaneProgram& program, const RuntimeTypes& types)
      : types_(types),
        exact_(exact_planes(program, types)),
        single_(single_planes(program, types)),
        number_(program.planes, 0),
        sizes_(
            program, number_, [this](Step step) { return add(std::move(step)); },
            [this](double value) { return constant(value); }) {
    out_.inputs = program.inputs;
    out_.planes = program.inputs;
    std::iota(number_.begin(), number_.begin() + static_cast<std::ptrdiff_t>(program.inputs),
              Plane{0});
    for (const ConstantPlane& constant : program.constants) {
      number_[constant.plane] = this->constant(constant.value);
    }
    round_inputs();
    for (const Step& step : program.steps) write(step);
    out_.result = number_[program.result];
    if (doubts_.empty()) return;
    doubts_.push_back(out_.result);
    const std::size_t width = doubts_.size();
    out_.result = add(GroupStep{GroupKind::sum, width, std::move(doubts_), 0});
  }
  [[nodiscard]] PlaneProgram take() { return pruned(out_); }

 private:
  Plane constant(double value) {
    out_.constants.push_back({static_cast<Plane>(out_.planes), value});
    return static_cast<Plane>(out_.planes++);
  }

  Plane add(Step step) {
    const auto first = static_cast<Plane>(out_.planes);
    std::visit([&](auto& one) { one.out = first; }, step);
    out_.planes += written_by(step).count;
    out_.steps.push_back(std::move(step));
    return first;
  }

  void round_inputs() {
    std::vector<Plane> rounded;
    for (std::size_t j = 0; j < types_.single_inputs.size(); ++j) {
      if (types_.single_inputs[j]) rounded.push_back(static_cast<Plane>(j));
    }
    if (rounded.empty()) return;
    const Plane first = add(UnaryStep{Unary::single, 0, 0, rounded, 0});
    for (std::size_t i = 0; i < rounded.size(); ++i) {
      number_[rounded[i]] = first + static_cast<Plane>(i);
    }
  }

  void write(const Step& from) {
    const PlaneRange before = written_by(from);
    Step step = from;
    renumber(step, number_);
    const bool single = before.count > 0 && single_[before.first];
    Plane first = add(as_written(std::move(step), single));
    if (single && rounds(from)) {
      std::vector<Plane> results(before.count);
      std::iota(results.begin(), results.end(), first);
      first = add(UnaryStep{Unary::single, 0, 0, std::move(results), 0});
    }
    for (std::size_t k = 0; k < before.count; ++k) {
      number_[before.first + k] = first + static_cast<Plane>(k);
    }
    std::visit([this](const auto& one) { doubt(one); }, from);
  }

  /// Quotients as the file has them, and distances in its precision.
  Step as_written(Step step, bool single) {
    if (auto* kernels = std::get_if<KernelStep>(&step)) {
      kernels->single = single;
      return step;
    }
    if (auto* opaque = std::get_if<OpaqueStep>(&step); opaque != nullptr && single) {
      const auto* nearest = dynamic_cast<const NearestEntry*>(opaque->function.get());
      if (nearest == nullptr) return step;
      opaque->function =
          std::make_shared<const NearestEntry>(nearest->choice(), nearest->thresholds(), true);
      return step;
    }
    const auto* scale = std::get_if<ScaleStep>(&step);
    if (scale == nullptr || scale->divisor.empty()) return step;
    std::vector<Plane> divisors;
    for (const double number : scale->divisor) divisors.push_back(constant(number));
    return BinaryStep{Binary::divide, scale->in, std::move(divisors), 0};
  }

  /// Notes that the runtime may decide otherwise where `left` is near to `right`.
  void add_doubt(Plane left, Plane right) {
    doubts_.push_back(add(BinaryStep{Binary::unclear, {left}, {right}, 0}));
  }

  void doubt(const UnaryStep& step) {
    for (const Plane in : step.in) {
      if (exact_[in]) continue;
      const Plane x = number_[in];
      switch (step.function) {
        case Unary::truncate:
        case Unary::floor:
        case Unary::ceil:
          add_doubt(x, add(UnaryStep{Unary::round, 0, 0, {x}, 0}));
          break;
        case Unary::round: {
          const Plane floor = add(UnaryStep{Unary::floor, 0, 0, {x}, 0});
          add_doubt(x, add(ScaleStep{{floor}, 0, {1.0}, {0.5}}));
          break;
        }
        case Unary::sign:
        case Unary::negation:
          add_doubt(x, constant(0));
          break;
        case Unary::thresholded_relu:
        case Unary::replace:
          if (step.a == step.a) add_doubt(x, constant(step.a));
          break;
        default:
          break;
      }
    }
  }

  void doubt(const BinaryStep& step) {
    if (!is_step(step.function)) return;
    const bool truth = step.function == Binary::both || step.function == Binary::either;
    for (std::size_t i = 0; i < step.left.size(); ++i) {
      if (exact_[step.left[i]] && exact_[step.right[i]]) continue;
      if (!truth) {
        add_doubt(number_[step.left[i]], number_[step.right[i]]);
        continue;
      }
      for (const Plane in : {step.left[i], step.right[i]}) {
        if (!exact_[in]) add_doubt(number_[in], constant(0));
      }
    }
  }

  /// What the runtime may take for the largest one, since it rounds in its own way.
  void doubt(const GroupStep& step) {
    if (!is_place(step.kind)) return;
    Choice places{step.kind == GroupKind::arg_smallest, step.last, step.width, {}};
    places.table.resize(step.width);
    std::iota(places.table.begin(), places.table.end(), 0.0);
    for (std::size_t g = 0; g < step.in.size(); g += step.width) {
      const auto begin = step.in.begin() + static_cast<std::ptrdiff_t>(g);
      const std::vector<Plane> in(begin, begin + static_cast<std::ptrdiff_t>(step.width));
      doubt_choice(in, places);
    }
  }

  /// The comparisons of a tree, or of what chooses an entry of a table, with what the runtime
  /// rounds in its own way.
  void doubt(const OpaqueStep& step) {
    if (const auto* trees = dynamic_cast<const TreeScores*>(step.function.get())) {
      std::vector<bool> inexact = inexact_of(step.in);
      if (inexact.empty()) return;
      doubts_.push_back(
          add(OpaqueStep{std::make_shared<const TreeDoubts>(trees->ensemble(), std::move(inexact)),
                         written(step.in), 0}));
    } else if (const auto* entry = dynamic_cast<const ChosenEntry*>(step.function.get())) {
      doubt_choice(step.in, entry->choice());
    } else if (const auto* nearest = dynamic_cast<const NearestEntry*>(step.function.get());
               nearest != nullptr && !exact_[step.in[0]]) {
      auto written_entry = std::make_shared<const NearestEntry>(
          nearest->choice(), nearest->thresholds(), single_[step.in[0]]);
      doubts_.push_back(
          add(OpaqueStep{std::make_shared<const NearestDoubts>(std::move(written_entry)),
                         {number_[step.in[0]], sizes_.of_all(step.in).common},
                         0}));
    }
  }

  void doubt_choice(const std::vector<Plane>& read, const Choice& choice) {
    std::vector<bool> inexact = inexact_of(read);
    if (inexact.empty()) return;
    std::vector<Plane> in = written(read);
    PlaneSizes::Several sizes = sizes_.of_all(read);
    in.push_back(sizes.common);
    doubts_.push_back(add(OpaqueStep{
        std::make_shared<const ChoiceDoubts>(choice, std::move(inexact), std::move(sizes.added)),
        std::move(in), 0}));
  }

  /// Which of the planes are not exact; nothing when all are.
  [[nodiscard]] std::vector<bool> inexact_of(const std::vector<Plane>& planes) const {
    std::vector<bool> out;
    for (const Plane plane : planes) out.push_back(!exact_[plane]);
    if (std::ranges::find(out, true) == out.end()) out.clear();
    return out;
  }

  [[nodiscard]] std::vector<Plane> written(const std::vector<Plane>& planes) const {
    std::vector<Plane> out;
    for (const Plane plane : planes) out.push_back(number_[plane]);
    return out;
  }

  void doubt(const SelectStep& step) {
    for (const Plane condition : step.condition) {
      if (!exact_[condition]) add_doubt(number_[condition], constant(0));
    }
  }
  void doubt(const AffineStep& /*step*/) {}
  void doubt(const KernelStep& /*step*/) {}
  void doubt(const ScaleStep& /*step*/) {}

  const RuntimeTypes& types_;
  std::vector<bool> exact_;    ///< of the given program
  std::vector<bool> single_;   ///< of the given program
  std::vector<Plane> number_;  ///< where its planes are now
  PlaneSizes sizes_;
  std::vector<Plane> doubts_;  ///< 0, or NaN where something is not clear
  PlaneProgram out_;
};

}  // namespace

bool last_bit_decides(const PlaneProgram& program) {
  PlaneProgram others = program;
  std::erase_if(others.steps, [](const Step& step) {
    const auto* unary = std::get_if<UnaryStep>(&step);
    return unary != nullptr && unary->function == Unary::libsvm_logit;
  });
  return has_jumps(others);
}

PlaneProgram without_roundings(const PlaneProgram& program) {
  PlaneProgram out = program;
  std::vector<Plane> number(program.planes);
  std::iota(number.begin(), number.end(), Plane{0});
  out.steps.clear();
  for (Step step : program.steps) {
    renumber(step, number);
    const auto* unary = std::get_if<UnaryStep>(&step);
    if (unary == nullptr || !is_conversion(unary->function)) {
      out.steps.push_back(std::move(step));
      continue;
    }
    for (std::size_t i = 0; i < unary->in.size(); ++i) number[unary->out + i] = unary->in[i];
  }
  out.result = number[program.result];
  return pruned(out);
}

bool gives_single(const Step& step, const std::function<bool(Plane)>& is_single) {
  if (const auto* unary = std::get_if<UnaryStep>(&step);
      unary != nullptr && is_conversion(unary->function)) {
    return unary->function == Unary::single;
  }
  return std::ranges::any_of(read_by(step), is_single);
}

std::vector<bool> single_planes(const PlaneProgram& program, const RuntimeTypes& types) {
  std::vector<bool> single(program.planes, false);
  std::copy(types.single_inputs.begin(), types.single_inputs.end(), single.begin());
  for (const Step& step : program.steps) {
    const PlaneRange range = written_by(step);
    std::fill_n(single.begin() + range.first, range.count,
                gives_single(step, [&](Plane plane) { return single[plane]; }));
  }
  return single;
}

std::vector<bool> exact_planes(const PlaneProgram& program, const RuntimeTypes& types) {
  return Exactness(program, types).take();
}

PlaneProgram with_runtime_roundings(const PlaneProgram& program, const RuntimeTypes& types) {
  return Writer(program, types).take();
}

}  // namespace croco
