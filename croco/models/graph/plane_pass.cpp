// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/plane_pass.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <croco/base/error.hpp>
#include <croco/kernels/dense_block.hpp>
#include <croco/models/graph/plane_choice.hpp>

namespace croco {
namespace {

constexpr std::size_t kCacheNumbers = std::size_t{1} << 16;

template <typename Number>
constexpr bool kIsSingle = std::is_same_v<Number, float>;

template <typename Number>
std::size_t items_for(const PlaneProgram& program, std::size_t most) {
  if (kIsSingle<Number>) return kBankBlock;
  const std::size_t fitting = kCacheNumbers / std::max<std::size_t>(program.planes, 1);
  return std::max<std::size_t>(std::min(most, std::clamp<std::size_t>(fitting, 16, 256)), 1);
}

/// `out[k] += factor * in[k]`.
template <typename Number>
void add_to(const Number* in, double factor, std::size_t count, Number* out) {
  const auto scale = static_cast<Number>(factor);
  for (std::size_t k = 0; k < count; ++k) out[k] += scale * in[k];
}

}  // namespace

std::vector<FloatLayer> float_layers(const PlaneProgram& program) {
  std::vector<FloatLayer> layers;
  for (const Step& step : program.steps) {
    const auto* affine = std::get_if<AffineStep>(&step);
    layers.push_back(affine ? FloatLayer(affine->layer) : FloatLayer());
  }
  return layers;
}

template <typename Number>
PlanePass<Number>::PlanePass(const PlaneProgram& program, std::span<const FloatLayer> layers,
                             std::size_t most)
    : program_(program),
      layers_(layers),
      items_(items_for<Number>(program_, most)),
      values_(program_.planes * items_) {
  for (const ConstantPlane& constant : program_.constants) {
    std::fill_n(plane(constant.plane), items_, static_cast<Number>(constant.value));
  }
}

template <typename Number>
const Number* PlanePass<Number>::forward(std::size_t count) {
  count_ = count;
  for (step_ = 0; step_ < program_.steps.size(); ++step_) {
    std::visit([this](const auto& one) { run(one); }, program_.steps[step_]);
  }
  return plane(program_.result);
}

template <typename Number>
void PlanePass<Number>::backward(View weights) {
  slopes_.assign(values_.size(), 0);
  for (std::size_t k = 0; k < count_; ++k) {
    slope(program_.result)[k] = static_cast<Number>(weights[k]);
  }
  for (step_ = program_.steps.size(); step_-- > 0;) {
    std::visit([this](const auto& one) { back(one); }, program_.steps[step_]);
  }
}

template <typename Number>
const Number* PlanePass<Number>::joined(const std::vector<Plane>& list) {
  bool together = true;
  for (std::size_t i = 1; i < list.size(); ++i) together &= list[i] == list[0] + i;
  if (together && !list.empty()) return plane(list[0]);
  joined_.resize(list.size() * items_);
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::copy_n(plane(list[i]), items_, &joined_[i * items_]);
  }
  return joined_.data();
}

template <typename Number>
void PlanePass<Number>::run(const AffineStep& step) {
  if constexpr (kIsSingle<Number>) {
    const FloatLayer& layer = layers_[step_];
    dense_block(layer.weight.data(), layer.bias.data(), step.in.size(), step.layer.outputs,
                joined(step.in), plane(step.out));
  } else {
    for (std::size_t o = 0; o < step.layer.outputs; ++o) {
      double* out = plane(step.out + static_cast<Plane>(o));
      std::fill_n(out, count_, step.layer.bias[o]);
      // What has no weight does not count, even where it is infinite; the others go four by four.
      const double* in[4];
      double factor[4];
      std::size_t waiting = 0;
      for (std::size_t i = 0; i < step.in.size(); ++i) {
        const double weight = step.layer.weight[o * step.layer.inputs + i];
        if (weight == 0) continue;
        in[waiting] = plane(step.in[i]);
        factor[waiting++] = weight;
        if (waiting < 4) continue;
        add_scaled_four(in, factor, count_, out);
        waiting = 0;
      }
      for (std::size_t w = 0; w < waiting; ++w) add_scaled(in[w], factor[w], count_, out);
    }
  }
}

template <typename Number>
void PlanePass<Number>::back(const AffineStep& step) {
  if constexpr (kIsSingle<Number>) {
    joined_.resize(step.in.size() * items_);
    dense_block(layers_[step_].transposed.data(), nullptr, step.layer.outputs, step.in.size(),
                slope(step.out), joined_.data());
    for (std::size_t i = 0; i < step.in.size(); ++i) {
      add_to(&joined_[i * items_], 1, items_, slope(step.in[i]));
    }
  } else {
    for (std::size_t o = 0; o < step.layer.outputs; ++o) {
      const double* out = slope(step.out + static_cast<Plane>(o));
      for (std::size_t i = 0; i < step.in.size(); ++i) {
        const double weight = step.layer.weight[o * step.layer.inputs + i];
        if (weight != 0) add_scaled(out, weight, count_, slope(step.in[i]));
      }
    }
  }
}

template <typename Number>
void PlanePass<Number>::run(const ScaleStep& step) {
  for (std::size_t i = 0; i < step.in.size(); ++i) {
    const Number* in = plane(step.in[i]);
    Number* out = plane(step.out + static_cast<Plane>(i));
    const auto factor = static_cast<Number>(step.factor[i]);
    const auto offset = static_cast<Number>(step.offset[i]);
    for (std::size_t k = 0; k < count_; ++k) out[k] = factor * in[k] + offset;
  }
}

template <typename Number>
void PlanePass<Number>::back(const ScaleStep& step) {
  for (std::size_t i = 0; i < step.in.size(); ++i) {
    add_to(slope(step.out + static_cast<Plane>(i)), step.factor[i], count_, slope(step.in[i]));
  }
}

template <typename Number>
void PlanePass<Number>::run(const UnaryStep& step) {
  for (std::size_t i = 0; i < step.in.size(); ++i) {
    const Number* in = plane(step.in[i]);
    Number* out = plane(step.out + static_cast<Plane>(i));
    apply_all(step.function, step.a, step.b, in, count_, out);
  }
}

template <typename Number>
void PlanePass<Number>::back(const UnaryStep& step) {
  for (std::size_t i = 0; i < step.in.size(); ++i) {
    const Number* in = plane(step.in[i]);
    const Number* out = slope(step.out + static_cast<Plane>(i));
    Number* into = slope(step.in[i]);
    if (step.function == Unary::relu) {
      for (std::size_t k = 0; k < count_; ++k) into[k] += in[k] > 0 ? out[k] : 0;
      continue;
    }
    for (std::size_t k = 0; k < count_; ++k) {
      if (out[k] == 0) continue;
      const double slope = croco::slope(step.function, double{in[k]}, step.a, step.b);
      into[k] += out[k] * static_cast<Number>(slope);
    }
  }
}

template <typename Number>
void PlanePass<Number>::run(const BinaryStep& step) {
  for (std::size_t i = 0; i < step.left.size(); ++i) {
    const Number* left = plane(step.left[i]);
    const Number* right = plane(step.right[i]);
    Number* out = plane(step.out + static_cast<Plane>(i));
    apply_all(step.function, left, right, count_, out);
  }
}

template <typename Number>
void PlanePass<Number>::back(const BinaryStep& step) {
  for (std::size_t i = 0; i < step.left.size(); ++i) {
    const Number* left = plane(step.left[i]);
    const Number* right = plane(step.right[i]);
    const Number* out = slope(step.out + static_cast<Plane>(i));
    Number* into_left = slope(step.left[i]);
    Number* into_right = slope(step.right[i]);
    if (step.function == Binary::add) {
      add_to(out, 1, count_, into_left);
      add_to(out, 1, count_, into_right);
      continue;
    }
    for (std::size_t k = 0; k < count_; ++k) {
      if (out[k] == 0) continue;
      const BinarySlopes both = slopes(step.function, double{left[k]}, double{right[k]});
      into_left[k] += out[k] * static_cast<Number>(both.x);
      into_right[k] += out[k] * static_cast<Number>(both.y);
    }
  }
}

template <typename Number>
void PlanePass<Number>::run(const SelectStep& step) {
  for (std::size_t i = 0; i < step.condition.size(); ++i) {
    const Number* condition = plane(step.condition[i]);
    const Number* yes = plane(step.yes[i]);
    const Number* no = plane(step.no[i]);
    Number* out = plane(step.out + static_cast<Plane>(i));
    for (std::size_t k = 0; k < count_; ++k) out[k] = condition[k] != 0 ? yes[k] : no[k];
  }
}

template <typename Number>
void PlanePass<Number>::back(const SelectStep& step) {
  for (std::size_t i = 0; i < step.condition.size(); ++i) {
    const Number* condition = plane(step.condition[i]);
    const Number* out = slope(step.out + static_cast<Plane>(i));
    Number* yes = slope(step.yes[i]);
    Number* no = slope(step.no[i]);
    for (std::size_t k = 0; k < count_; ++k) (condition[k] != 0 ? yes : no)[k] += out[k];
  }
}

template <typename Number>
void PlanePass<Number>::run(const GroupStep& step) {
  const std::size_t width = step.width;
  for (std::size_t g = 0; g * width < step.in.size(); ++g) {
    const auto in = [&](std::size_t i) { return plane(step.in[g * width + i]); };
    if (step.kind == GroupKind::softmax || step.kind == GroupKind::log_softmax) {
      const auto out = [&](std::size_t i) {
        return plane(step.out + static_cast<Plane>(g * width + i));
      };
      for (std::size_t k = 0; k < count_; ++k) {
        Number largest = in(0)[k];
        for (std::size_t i = 1; i < width; ++i) largest = std::max(largest, in(i)[k]);
        Number sum = 0;
        for (std::size_t i = 0; i < width; ++i) sum += std::exp(in(i)[k] - largest);
        for (std::size_t i = 0; i < width; ++i) {
          out(i)[k] = step.kind == GroupKind::softmax ? std::exp(in(i)[k] - largest) / sum
                                                      : in(i)[k] - largest - std::log(sum);
        }
      }
      continue;
    }
    Number* out = plane(step.out + static_cast<Plane>(g));
    if (is_place(step.kind)) {
      for (std::size_t k = 0; k < count_; ++k) {
        const std::size_t best = place_of_best(width, step.kind == GroupKind::arg_smallest,
                                               step.last, [&](std::size_t i) { return in(i)[k]; });
        out[k] =
            best < width ? static_cast<Number>(best) : std::numeric_limits<Number>::quiet_NaN();
      }
      continue;
    }
    if (step.kind == GroupKind::log_sum_exp) {
      for (std::size_t k = 0; k < count_; ++k) {
        Number largest = in(0)[k];
        for (std::size_t i = 1; i < width; ++i) largest = std::max(largest, in(i)[k]);
        // Infinite ones are not subtracted from each other.
        if (!std::isfinite(largest)) largest = 0;
        Number sum = 0;
        for (std::size_t i = 0; i < width; ++i) sum += std::exp(in(i)[k] - largest);
        out[k] = std::log(sum) + largest;
      }
      continue;
    }
    std::copy_n(in(0), count_, out);
    for (std::size_t i = 1; i < width; ++i) {
      const Number* next = in(i);
      for (std::size_t k = 0; k < count_; ++k) {
        // NaN stays NaN.
        if (step.kind == GroupKind::largest) {
          out[k] = out[k] >= next[k] || std::isnan(out[k]) ? out[k] : next[k];
        } else if (step.kind == GroupKind::smallest) {
          out[k] = out[k] <= next[k] || std::isnan(out[k]) ? out[k] : next[k];
        } else {
          out[k] += next[k];
        }
      }
    }
    if (step.kind == GroupKind::mean) {
      for (std::size_t k = 0; k < count_; ++k) out[k] /= static_cast<Number>(width);
    }
  }
}

template <typename Number>
void PlanePass<Number>::back(const GroupStep& step) {
  const std::size_t width = step.width;
  for (std::size_t g = 0; g * width < step.in.size(); ++g) {
    const auto value = [&](std::size_t i) { return plane(step.in[g * width + i]); };
    const auto into = [&](std::size_t i) { return slope(step.in[g * width + i]); };
    if (step.kind == GroupKind::softmax || step.kind == GroupKind::log_softmax) {
      const auto first = step.out + static_cast<Plane>(g * width);
      for (std::size_t k = 0; k < count_; ++k) {
        // With y = softmax(x): d/dx_i = y_i (s_i - sum_j s_j y_j), and s_i - e^{y_i} sum_j s_j.
        Number sum = 0;
        for (std::size_t j = 0; j < width; ++j) {
          const Plane at = first + static_cast<Plane>(j);
          sum += step.kind == GroupKind::softmax ? slope(at)[k] * plane(at)[k] : slope(at)[k];
        }
        for (std::size_t i = 0; i < width; ++i) {
          const Plane at = first + static_cast<Plane>(i);
          into(i)[k] += step.kind == GroupKind::softmax
                            ? plane(at)[k] * (slope(at)[k] - sum)
                            : slope(at)[k] - std::exp(plane(at)[k]) * sum;
        }
      }
      continue;
    }
    const Number* out = slope(step.out + static_cast<Plane>(g));
    const Number* result = plane(step.out + static_cast<Plane>(g));
    switch (step.kind) {
      case GroupKind::sum:
      case GroupKind::mean: {
        const double share = step.kind == GroupKind::mean ? 1 / static_cast<double>(width) : 1;
        for (std::size_t i = 0; i < width; ++i) add_to(out, share, count_, into(i));
        break;
      }
      case GroupKind::largest:
      case GroupKind::smallest:
        for (std::size_t k = 0; k < count_; ++k) {
          for (std::size_t i = 0; i < width; ++i) {
            if (value(i)[k] != result[k]) continue;
            into(i)[k] += out[k];
            break;
          }
        }
        break;
      case GroupKind::log_sum_exp:
        for (std::size_t i = 0; i < width; ++i) {
          for (std::size_t k = 0; k < count_; ++k) {
            if (out[k] != 0) into(i)[k] += out[k] * std::exp(value(i)[k] - result[k]);
          }
        }
        break;
      default:
        break;
    }
  }
}

template <typename Number>
void PlanePass<Number>::run(const OpaqueStep& step) {
  if constexpr (kIsSingle<Number>) {
    throw ModelError("a part without an error bound does not run in single precision");
  } else {
    std::vector<const double*> in;
    std::vector<double*> out;
    for (const Plane index : step.in) in.push_back(plane(index));
    for (std::size_t o = 0; o < step.function->outputs(); ++o) {
      out.push_back(plane(step.out + static_cast<Plane>(o)));
    }
    step.function->apply(in, out, count_);
  }
}

template <typename Number>
void PlanePass<Number>::back(const OpaqueStep& /*step*/) {}

template class PlanePass<double>;
template class PlanePass<float>;

}  // namespace croco
