// SPDX-License-Identifier: Apache-2.0
/// Fully connected networks of any depth and width; without hidden layers, logistic regression.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/models/model.hpp>
#include <croco/models/network/activation.hpp>
#include <croco/models/network/dense.hpp>
#include <croco/models/runtime_error.hpp>

namespace croco {

/// The last layer has one output, the logit of class 1. A softmax of two outputs is the same thing
/// once they are subtracted, which is what the reader of model files does.
class Mlp final : public Model, private Gradient {
 public:
  /// Throws ModelError when the layers do not fit together, the last has not one output, a size
  /// is 0 or a weight is not finite.
  Mlp(std::vector<DenseLayer> layers, Activation hidden_activation);

  [[nodiscard]] std::size_t width() const noexcept override { return layers_.front().inputs; }
  void logits(Rows rows, MutableView out) const override;
  [[nodiscard]] const Gradient* gradient() const noexcept override { return this; }
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind(Rows draws) const override;
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind_flips(Rows draws,
                                                          DrawnFlips flips) const override;
  [[nodiscard]] std::size_t evaluator_bytes_per_draw() const noexcept override {
    return layers_.front().outputs * sizeof(float);
  }

  [[nodiscard]] const LinearForm* linear_form() const noexcept override {
    return layers_.size() == 1 ? &linear_ : nullptr;
  }
  [[nodiscard]] const Mlp* network() const noexcept override { return this; }
  [[nodiscard]] ModelDescription describe() const override;

  [[nodiscard]] const std::vector<DenseLayer>& layers() const noexcept { return layers_; }
  [[nodiscard]] Activation hidden_activation() const noexcept { return activation_; }
  [[nodiscard]] std::size_t parameter_count() const noexcept;
  /// For networks that run in another runtime, see `Model::tolerance`.
  void set_runtime_error(const RuntimeError& error) noexcept { error_ = error; }
  [[nodiscard]] double tolerance(double threshold) const noexcept override {
    return error_.at(threshold);
  }

 private:
  double logit_gradient(View point, MutableView gradient) const override;
  [[nodiscard]] double logit_of_row(View point) const;

  std::vector<DenseLayer> layers_;
  Activation activation_;
  LinearForm linear_;   ///< without hidden layers
  bool single_ = true;  ///< no sum is beyond single precision
  RuntimeError error_;
};

}  // namespace croco
