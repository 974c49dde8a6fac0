// SPDX-License-Identifier: Apache-2.0
#include <croco/models/plane_pass.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace croco {
namespace {

constexpr std::size_t kCacheNumbers = std::size_t{1} << 16;

std::size_t items_for(const PlaneProgram& program, std::size_t most) {
  const std::size_t fitting = kCacheNumbers / std::max<std::size_t>(program.planes, 1);
  return std::max<std::size_t>(std::min(most, std::clamp<std::size_t>(fitting, 16, 256)), 1);
}

}  // namespace

PlanePass::PlanePass(const PlaneProgram& program, std::size_t most)
    : program_(program), items_(items_for(program, most)), values_(program.planes * items_) {
  for (const ConstantPlane& constant : program.constants) {
    std::fill_n(plane(constant.plane), items_, constant.value);
  }
}

const double* PlanePass::forward(std::size_t count) {
  count_ = count;
  for (const Step& step : program_.steps) {
    std::visit([this](const auto& one) { run(one); }, step);
  }
  double* result = plane(program_.result);
  for (std::size_t k = 0; k < count; ++k) {
    if (std::isnan(result[k])) result[k] = -std::numeric_limits<double>::infinity();
  }
  return result;
}

void PlanePass::backward(View weights) {
  slopes_.assign(values_.size(), 0.0);
  std::copy_n(weights.begin(), count_, slope(program_.result));
  for (auto step = program_.steps.rbegin(); step != program_.steps.rend(); ++step) {
    std::visit([this](const auto& one) { back(one); }, *step);
  }
}

void PlanePass::run(const AffineStep& step) {
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

void PlanePass::back(const AffineStep& step) {
  for (std::size_t o = 0; o < step.layer.outputs; ++o) {
    const double* out = slope(step.out + static_cast<Plane>(o));
    for (std::size_t i = 0; i < step.in.size(); ++i) {
      const double weight = step.layer.weight[o * step.layer.inputs + i];
      if (weight != 0) add_scaled(out, weight, count_, slope(step.in[i]));
    }
  }
}

void PlanePass::run(const ScaleStep& step) {
  for (std::size_t i = 0; i < step.in.size(); ++i) {
    const double* in = plane(step.in[i]);
    double* out = plane(step.out + static_cast<Plane>(i));
    for (std::size_t k = 0; k < count_; ++k) out[k] = step.factor[i] * in[k] + step.offset[i];
  }
}

void PlanePass::back(const ScaleStep& step) {
  for (std::size_t i = 0; i < step.in.size(); ++i) {
    add_scaled(slope(step.out + static_cast<Plane>(i)), step.factor[i], count_, slope(step.in[i]));
  }
}

void PlanePass::run(const UnaryStep& step) {
  for (std::size_t i = 0; i < step.in.size(); ++i) {
    const double* in = plane(step.in[i]);
    double* out = plane(step.out + static_cast<Plane>(i));
    if (step.function == Unary::relu) {  // in a loop that vectorises
      for (std::size_t k = 0; k < count_; ++k) out[k] = in[k] > 0 ? in[k] : 0;
      continue;
    }
    for (std::size_t k = 0; k < count_; ++k) out[k] = apply(step.function, in[k], step.a, step.b);
  }
}

void PlanePass::back(const UnaryStep& step) {
  for (std::size_t i = 0; i < step.in.size(); ++i) {
    const double* in = plane(step.in[i]);
    const double* out = slope(step.out + static_cast<Plane>(i));
    double* into = slope(step.in[i]);
    for (std::size_t k = 0; k < count_; ++k) {
      if (out[k] != 0) into[k] += out[k] * croco::slope(step.function, in[k], step.a, step.b);
    }
  }
}

void PlanePass::run(const BinaryStep& step) {
  for (std::size_t i = 0; i < step.left.size(); ++i) {
    const double* left = plane(step.left[i]);
    const double* right = plane(step.right[i]);
    double* out = plane(step.out + static_cast<Plane>(i));
    if (step.function == Binary::add) {
      for (std::size_t k = 0; k < count_; ++k) out[k] = left[k] + right[k];
    } else if (step.function == Binary::multiply) {
      for (std::size_t k = 0; k < count_; ++k) out[k] = left[k] * right[k];
    } else {
      for (std::size_t k = 0; k < count_; ++k) out[k] = apply(step.function, left[k], right[k]);
    }
  }
}

void PlanePass::back(const BinaryStep& step) {
  for (std::size_t i = 0; i < step.left.size(); ++i) {
    const double* left = plane(step.left[i]);
    const double* right = plane(step.right[i]);
    const double* out = slope(step.out + static_cast<Plane>(i));
    double* into_left = slope(step.left[i]);
    double* into_right = slope(step.right[i]);
    for (std::size_t k = 0; k < count_; ++k) {
      if (out[k] == 0) continue;
      const BinarySlopes both = slopes(step.function, left[k], right[k]);
      into_left[k] += out[k] * both.x;
      into_right[k] += out[k] * both.y;
    }
  }
}

void PlanePass::run(const SelectStep& step) {
  for (std::size_t i = 0; i < step.condition.size(); ++i) {
    const double* condition = plane(step.condition[i]);
    const double* yes = plane(step.yes[i]);
    const double* no = plane(step.no[i]);
    double* out = plane(step.out + static_cast<Plane>(i));
    for (std::size_t k = 0; k < count_; ++k) out[k] = condition[k] != 0 ? yes[k] : no[k];
  }
}

void PlanePass::back(const SelectStep& step) {
  for (std::size_t i = 0; i < step.condition.size(); ++i) {
    const double* condition = plane(step.condition[i]);
    const double* out = slope(step.out + static_cast<Plane>(i));
    double* yes = slope(step.yes[i]);
    double* no = slope(step.no[i]);
    for (std::size_t k = 0; k < count_; ++k) (condition[k] != 0 ? yes : no)[k] += out[k];
  }
}

void PlanePass::run(const GroupStep& step) {
  const std::size_t width = step.width;
  for (std::size_t g = 0; g * width < step.in.size(); ++g) {
    const auto in = [&](std::size_t i) { return plane(step.in[g * width + i]); };
    if (step.kind == GroupKind::softmax || step.kind == GroupKind::log_softmax) {
      const auto out = [&](std::size_t i) {
        return plane(step.out + static_cast<Plane>(g * width + i));
      };
      for (std::size_t k = 0; k < count_; ++k) {
        double largest = in(0)[k];
        for (std::size_t i = 1; i < width; ++i) largest = std::max(largest, in(i)[k]);
        double sum = 0;
        for (std::size_t i = 0; i < width; ++i) sum += std::exp(in(i)[k] - largest);
        for (std::size_t i = 0; i < width; ++i) {
          out(i)[k] = step.kind == GroupKind::softmax ? std::exp(in(i)[k] - largest) / sum
                                                      : in(i)[k] - largest - std::log(sum);
        }
      }
      continue;
    }
    double* out = plane(step.out + static_cast<Plane>(g));
    if (step.kind == GroupKind::arg_largest) {
      for (std::size_t k = 0; k < count_; ++k) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < width; ++i) {
          if (in(i)[k] > in(best)[k]) best = i;
        }
        out[k] = static_cast<double>(best);
      }
      continue;
    }
    std::copy_n(in(0), count_, out);
    for (std::size_t i = 1; i < width; ++i) {
      const double* next = in(i);
      for (std::size_t k = 0; k < count_; ++k) {
        out[k] = step.kind == GroupKind::largest    ? std::max(out[k], next[k])
                 : step.kind == GroupKind::smallest ? std::min(out[k], next[k])
                                                    : out[k] + next[k];
      }
    }
    if (step.kind == GroupKind::mean) {
      for (std::size_t k = 0; k < count_; ++k) out[k] /= static_cast<double>(width);
    }
  }
}

void PlanePass::back(const GroupStep& step) {
  const std::size_t width = step.width;
  for (std::size_t g = 0; g * width < step.in.size(); ++g) {
    const auto value = [&](std::size_t i) { return plane(step.in[g * width + i]); };
    const auto into = [&](std::size_t i) { return slope(step.in[g * width + i]); };
    if (step.kind == GroupKind::softmax || step.kind == GroupKind::log_softmax) {
      const auto first = step.out + static_cast<Plane>(g * width);
      for (std::size_t k = 0; k < count_; ++k) {
        // With y = softmax(x): d/dx_i = y_i (s_i - sum_j s_j y_j), and s_i - e^{y_i} sum_j s_j.
        double sum = 0;
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
    const double* out = slope(step.out + static_cast<Plane>(g));
    const double* result = plane(step.out + static_cast<Plane>(g));
    switch (step.kind) {
      case GroupKind::sum:
      case GroupKind::mean: {
        const double share = step.kind == GroupKind::mean ? 1 / static_cast<double>(width) : 1;
        for (std::size_t i = 0; i < width; ++i) add_scaled(out, share, count_, into(i));
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
      default:
        break;
    }
  }
}

void PlanePass::run(const OpaqueStep& step) {
  std::vector<const double*> in;
  std::vector<double*> out;
  for (const Plane index : step.in) in.push_back(plane(index));
  for (std::size_t o = 0; o < step.function->outputs(); ++o) {
    out.push_back(plane(step.out + static_cast<Plane>(o)));
  }
  step.function->apply(in, out, count_);
}

void PlanePass::back(const OpaqueStep& /*step*/) {}

}  // namespace croco
