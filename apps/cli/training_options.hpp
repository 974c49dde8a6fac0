// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <apps/cli/command.hpp>
#include <croco/data/codec.hpp>
#include <croco/models/training/train.hpp>

namespace croco::cli {

/// How networks are fitted, for every command that trains some.
struct TrainingOptions {
  std::string class_weights = "equal";
  std::string missing = "error";

  /// Numbers go straight into `train`.
  void add_to(Command& command, TrainOptions& train);
  /// Completes `train`, and says what becomes of missing values. Throws InvalidArgument.
  [[nodiscard]] MissingPolicy resolve(TrainOptions& train) const;
};

}  // namespace croco::cli
