// SPDX-License-Identifier: Apache-2.0
// A network bound to fixed draws. W1 (x + e) = W1 x + W1 e: the draws go through the first layer
// once, and each point then costs draws x hidden units instead of draws x inputs x hidden units.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include <croco/models/dense.hpp>
#include <croco/models/mlp.hpp>

namespace croco {
namespace {

// Draws are stored and processed in blocks of this many: [block][hidden unit][draw in block], so
// that the working set of a block stays in the cache.
constexpr std::size_t kBlock = 64;

class MlpDraws final : public BoundDraws {
 public:
  MlpDraws(const Mlp& model, Rows draws)
      : layers_(model.layers()),
        first_(layers_.front()),
        activation_(model.hidden_activation()),
        shallow_relu_(layers_.size() == 2 && activation_ == Activation::relu),
        count_(draws.count()) {
    project(draws);
  }

  [[nodiscard]] std::size_t count() const noexcept override { return count_; }

  void logits(View point, std::size_t first, MutableView out) const override {
    const Vector shift = shift_of(point);
    DensePass pass(layers_, activation_);
    for_blocks(first, out.size(), [&](const Slice& slice) {
      const MutableView part = out.subspan(slice.begin, slice.count);
      if (shallow_relu_) {
        std::ranges::fill(part, layers_[1].bias[0]);
        for (std::size_t h = 0; h < first_.outputs; ++h) {
          add_relu(projected(slice, h), shift[h], layers_[1].weight[h], part.size(), part.data());
        }
      } else {
        forward(shift, slice, pass);
        std::copy_n(pass.values(layers_.size() - 1).begin(), part.size(), part.begin());
      }
    });
  }

  void add_gradient(View point, std::size_t first, View weights,
                    MutableView gradient) const override {
    const Vector shift = shift_of(point);
    DensePass pass(layers_, activation_);
    Vector slopes;
    Vector sums(first_.outputs);  // d (weighted sum of logits) / d (first pre-activation)
    for_blocks(first, weights.size(), [&](const Slice& slice) {
      const View part = weights.subspan(slice.begin, slice.count);
      if (shallow_relu_) {
        for (std::size_t h = 0; h < first_.outputs; ++h) {
          sums[h] += layers_[1].weight[h] *
                     active_weight(projected(slice, h), part.data(), shift[h], part.size());
        }
        return;
      }
      forward(shift, slice, pass);
      slopes.assign(part.begin(), part.end());
      pass.run_back(slopes, part.size(), [](std::size_t, const Vector&) {});
      for (std::size_t h = 0; h < first_.outputs; ++h) {
        for (std::size_t k = 0; k < part.size(); ++k) sums[h] += slopes[h * part.size() + k];
      }
    });
    for (std::size_t h = 0; h < first_.outputs; ++h) {
      add_scaled(&first_.weight[h * first_.inputs], sums[h], first_.inputs, gradient.data());
    }
  }

 private:
  /// `count` draws from `offset` on inside a block; `begin` is their place in the caller's span.
  struct Slice {
    std::size_t block;
    std::size_t offset;
    std::size_t begin;
    std::size_t count;
  };

  template <typename Body>
  static void for_blocks(std::size_t first, std::size_t count, Body body) {
    for (std::size_t begin = 0; begin < count;) {
      const std::size_t offset = (first + begin) % kBlock;
      const std::size_t n = std::min(kBlock - offset, count - begin);
      body(Slice{(first + begin) / kBlock, offset, begin, n});
      begin += n;
    }
  }

  void project(Rows draws) {
    const std::size_t units = first_.outputs;
    projected_.assign((count_ + kBlock - 1) / kBlock * units * kBlock, 0.0);
    Vector columns(first_.inputs * kBlock);
    for_blocks(0, count_, [&](const Slice& slice) {
      for (std::size_t k = 0; k < slice.count; ++k) {
        const View draw = draws[slice.begin + k];
        for (std::size_t j = 0; j < draw.size(); ++j) columns[j * kBlock + k] = draw[j];
      }
      for (std::size_t h = 0; h < units; ++h) {
        double* out = &projected_[(slice.block * units + h) * kBlock];
        for (std::size_t j = 0; j < first_.inputs; ++j) {
          add_scaled(&columns[j * kBlock], first_.weight[h * first_.inputs + j], slice.count, out);
        }
      }
    });
  }

  [[nodiscard]] Vector shift_of(View point) const {
    Vector shift(first_.bias);
    for (std::size_t h = 0; h < first_.outputs; ++h) {
      for (std::size_t j = 0; j < first_.inputs; ++j) {
        shift[h] += first_.weight[h * first_.inputs + j] * point[j];
      }
    }
    return shift;
  }

  [[nodiscard]] const double* projected(const Slice& slice, std::size_t unit) const noexcept {
    return &projected_[(slice.block * first_.outputs + unit) * kBlock + slice.offset];
  }

  void forward(const Vector& shift, const Slice& slice, DensePass& pass) const {
    Vector& values = pass.values(0);
    values.resize(first_.outputs * slice.count);
    for (std::size_t h = 0; h < first_.outputs; ++h) {
      const double* draws = projected(slice, h);
      for (std::size_t k = 0; k < slice.count; ++k) {
        values[h * slice.count + k] = shift[h] + draws[k];
      }
    }
    pass.run_from(1, slice.count);
  }

  const std::vector<DenseLayer>& layers_;
  const DenseLayer& first_;
  Activation activation_;
  bool shallow_relu_;
  std::size_t count_;
  Vector projected_;
};

}  // namespace

std::unique_ptr<BoundDraws> Mlp::bind(Rows draws) const {
  return std::make_unique<MlpDraws>(*this, draws);
}

}  // namespace croco
