// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/affine_forms.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace croco {
namespace {

/// Forms longer than this together are not worth writing out, nor is composing them when it takes
/// more products. Both grow with the weights: few of them can be asked for in many ways.
constexpr std::size_t kBaseTerms = std::size_t{1} << 20;
constexpr std::size_t kTermsPerWeight = 4;
constexpr std::size_t kMaxTerms = std::size_t{1} << 24;
constexpr std::size_t kBaseWork = std::size_t{1} << 25;
constexpr std::size_t kWorkPerWeight = 512;
constexpr std::size_t kMaxWork = std::size_t{1} << 30;
constexpr std::size_t kMaxLayers = 64;

std::size_t weights_of(const PlaneProgram& program) {
  std::size_t out = 0;
  for (const Step& step : program.steps) {
    if (const auto* affine = std::get_if<AffineStep>(&step)) out += affine->layer.weight.size();
  }
  return out;
}

/// The activation of `Mlp` that a step is.
std::optional<Activation> activation_of(const UnaryStep& step) noexcept {
  // Parameters come from files in single precision.
  const auto near = [](double value, double wanted) { return std::abs(value - wanted) < 1e-8; };
  switch (step.function) {
    case Unary::relu:
      return Activation::relu;
    case Unary::leaky_relu:
      if (near(step.a, kLeakySlope)) return Activation::leaky_relu;
      return std::nullopt;
    case Unary::tanh:
      return Activation::tanh;
    case Unary::sigmoid:
      return Activation::sigmoid;
    case Unary::elu:
      if (near(step.a, 1)) return Activation::elu;
      return std::nullopt;
    case Unary::gelu:
      return Activation::gelu;
    default:
      return std::nullopt;
  }
}

void add_row(DenseLayer& layer, const AffineForm& form) {
  const std::size_t begin = layer.weight.size();
  layer.weight.resize(begin + layer.inputs, 0.0);
  for (const AffineForm::Term& term : form.terms) layer.weight[begin + term.index] = term.factor;
  layer.bias.push_back(form.offset);
  ++layer.outputs;
}

}  // namespace

AffineForms::AffineForms(const PlaneProgram& program, const std::vector<Plane>& basis)
    : forms_(program.planes), scratch_(basis.size()) {
  const std::size_t weights = weights_of(program);
  most_terms_ = std::min(kMaxTerms, kBaseTerms + kTermsPerWeight * weights);
  most_work_ = std::min(kMaxWork, kBaseWork + kWorkPerWeight * weights);
  for (std::size_t j = 0; j < basis.size(); ++j) {
    set(basis[j], {{{static_cast<std::uint32_t>(j), 1.0}}, 0.0});
  }
  for (const ConstantPlane& constant : program.constants) {
    set(constant.plane, {{}, constant.value});
  }
  for (const Step& step : program.steps) add(step);
}

void AffineForms::set(Plane plane, AffineForm form) {
  if (forms_[plane] || terms_ + form.terms.size() > most_terms_) return;
  terms_ += form.terms.size();
  forms_[plane] = std::move(form);
}

void AffineForms::set_scaled(Plane plane, const AffineForm& form, double factor, double offset) {
  if (terms_ + form.terms.size() > most_terms_) return;
  AffineForm out{form.terms, factor * form.offset + offset};
  for (AffineForm::Term& term : out.terms) term.factor *= factor;
  set(plane, std::move(out));
}

AffineForm AffineForms::sum(std::span<const Plane> in, const double* weights, double offset) {
  // As long as the forms, and not as the basis: programs may have many planes of few terms.
  touched_.clear();
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double weight = weights == nullptr ? 1.0 : weights[i];
    const AffineForm& form = *forms_[in[i]];
    offset += weight * form.offset;
    work_ += 1 + form.terms.size();
    for (const AffineForm::Term& term : form.terms) {
      if (scratch_[term.index] == 0) touched_.push_back(term.index);
      scratch_[term.index] += weight * term.factor;
    }
  }
  if (!std::ranges::is_sorted(touched_)) std::ranges::sort(touched_);
  AffineForm out{{}, offset};
  for (const std::uint32_t index : touched_) {
    if (scratch_[index] != 0) out.terms.push_back({index, scratch_[index]});
    scratch_[index] = 0;
  }
  return out;
}

void AffineForms::add(const Step& step) {
  const auto all_known = [&](const std::vector<Plane>& planes) {
    return std::ranges::all_of(planes, [&](Plane plane) { return forms_[plane].has_value(); });
  };
  if (const auto* affine = std::get_if<AffineStep>(&step)) {
    if (!all_known(affine->in)) return;
    const DenseLayer& layer = affine->layer;
    for (std::size_t o = 0; o < layer.outputs && work_ < most_work_; ++o) {
      set(affine->out + static_cast<Plane>(o),
          sum(affine->in, &layer.weight[o * layer.inputs], layer.bias[o]));
    }
  } else if (const auto* scale = std::get_if<ScaleStep>(&step)) {
    for (std::size_t i = 0; i < scale->in.size(); ++i) {
      const AffineForm* form = find(scale->in[i]);
      if (form == nullptr) continue;
      set_scaled(scale->out + static_cast<Plane>(i), *form, scale->factor[i], scale->offset[i]);
    }
  } else if (const auto* group = std::get_if<GroupStep>(&step)) {
    if (group->kind != GroupKind::sum && group->kind != GroupKind::mean) return;
    if (!all_known(group->in)) return;
    const double share = group->kind == GroupKind::mean ? 1 / double(group->width) : 1.0;
    const Vector weights(group->width, share);
    for (std::size_t g = 0; g * group->width < group->in.size() && work_ < most_work_; ++g) {
      const auto in = std::span(group->in).subspan(g * group->width, group->width);
      set(group->out + static_cast<Plane>(g), sum(in, weights.data(), 0.0));
    }
  } else if (const auto* binary = std::get_if<BinaryStep>(&step)) {
    for (std::size_t i = 0; i < binary->left.size() && work_ < most_work_; ++i) {
      const AffineForm* left = find(binary->left[i]);
      const AffineForm* right = find(binary->right[i]);
      if (left == nullptr || right == nullptr) continue;
      const Plane out = binary->out + static_cast<Plane>(i);
      if (binary->function == Binary::add || binary->function == Binary::subtract) {
        const Vector weights{1.0, binary->function == Binary::add ? 1.0 : -1.0};
        const std::array in{binary->left[i], binary->right[i]};
        set(out, sum(in, weights.data(), 0.0));
      } else if (binary->function == Binary::multiply && right->is_constant()) {
        set_scaled(out, *left, right->offset, 0);
      } else if (binary->function == Binary::multiply && left->is_constant()) {
        set_scaled(out, *right, left->offset, 0);
      } else if (binary->function == Binary::divide && right->is_constant()) {
        set_scaled(out, *left, 1 / right->offset, 0);
      }
    }
  }
}

std::optional<Mlp> as_mlp(const PlaneProgram& program) {
  std::vector<Plane> basis(program.inputs);
  for (std::size_t j = 0; j < basis.size(); ++j) basis[j] = static_cast<Plane>(j);
  std::vector<DenseLayer> layers;
  std::optional<Activation> activation;
  while (layers.size() < kMaxLayers) {
    const AffineForms forms(program, basis);
    DenseLayer layer{basis.size(), 0, {}, {}};
    if (const AffineForm* result = forms.find(program.result)) {
      add_row(layer, *result);
      layers.push_back(std::move(layer));
      return Mlp(std::move(layers), activation.value_or(Activation::relu));
    }
    std::vector<Plane> next;
    for (const Step& step : program.steps) {
      const auto* unary = std::get_if<UnaryStep>(&step);
      if (unary == nullptr) continue;
      const auto affine = [&](Plane plane) { return forms.find(plane) != nullptr; };
      if (!std::ranges::all_of(unary->in, affine)) continue;
      if (std::ranges::all_of(unary->in,
                              [&](Plane plane) { return forms.find(plane)->is_constant(); })) {
        continue;
      }
      const auto found = activation_of(*unary);
      if (!found || (activation && *activation != *found)) return std::nullopt;
      activation = found;
      for (std::size_t i = 0; i < unary->in.size(); ++i) {
        add_row(layer, *forms.find(unary->in[i]));
        next.push_back(unary->out + static_cast<Plane>(i));
      }
    }
    if (next.empty()) return std::nullopt;
    layers.push_back(std::move(layer));
    basis = std::move(next);
  }
  return std::nullopt;
}

SplitProgram split(const PlaneProgram& program) {
  std::vector<Plane> inputs(program.inputs);
  for (std::size_t j = 0; j < inputs.size(); ++j) inputs[j] = static_cast<Plane>(j);
  const AffineForms forms(program, inputs);

  std::vector<const Step*> kept;
  std::vector<bool> cut(program.planes, false);
  for (const Step& step : program.steps) {
    const PlaneRange range = written_by(step);
    bool affine = true;
    for (std::size_t k = 0; k < range.count; ++k) {
      affine = affine && forms.find(range.first + static_cast<Plane>(k)) != nullptr;
    }
    if (affine) continue;
    kept.push_back(&step);
    for (const Plane plane : read_by(step)) cut[plane] = forms.find(plane) != nullptr;
  }
  cut[program.result] = cut[program.result] || forms.find(program.result) != nullptr;

  // The tail keeps the numbering of planes for a moment; its inputs are put in front.
  PlaneProgram whole;
  SplitProgram out;
  std::vector<Plane> number(program.planes, 0);
  std::vector<Plane> heads;
  for (std::size_t p = 0; p < program.planes; ++p) {
    if (!cut[p]) continue;
    const AffineForm& form = *forms.find(static_cast<Plane>(p));
    if (form.is_constant()) continue;
    number[p] = static_cast<Plane>(out.head.size());
    heads.push_back(static_cast<Plane>(p));
    out.head.push_back(form);
  }
  whole.inputs = out.head.size();
  const auto offset = static_cast<Plane>(whole.inputs);
  std::vector<bool> is_head(program.planes, false);
  for (const Plane plane : heads) is_head[plane] = true;
  for (std::size_t p = 0; p < program.planes; ++p) {
    if (is_head[p]) continue;
    number[p] = offset + static_cast<Plane>(p);
    const AffineForm* form = forms.find(static_cast<Plane>(p));
    if (cut[p] && form->is_constant()) whole.constants.push_back({number[p], form->offset});
  }
  whole.planes = whole.inputs + program.planes;
  for (const Step* step : kept) {
    Step copy = *step;
    renumber(copy, number);
    std::visit([&](auto& one) { one.out += offset; }, copy);
    whole.steps.push_back(std::move(copy));
  }
  whole.result = number[program.result];
  out.tail = pruned(whole);
  return out;
}

}  // namespace croco
