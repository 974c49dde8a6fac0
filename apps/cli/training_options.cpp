// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/training_options.hpp>

#include <fmt/format.h>

#include <apps/cli/people.hpp>
#include <croco/base/error.hpp>

namespace croco::cli {

void TrainingOptions::add_to(Command& command, TrainOptions& train) {
  command.add_option("--epochs", train.epochs, "Maximum number of passes over the data")
      .show_default();
  command.add_option("--batch", train.batch, "Rows per step").show_default();
  command.add_option("--learning-rate", train.learning_rate, "Adam's learning rate").show_default();
  command.add_option("--weight-decay", train.weight_decay, "L2 penalty on the weights")
      .show_default();
  command.add_option("--test-share", train.test_share, "Share of rows held out for testing")
      .show_default();
  command
      .add_option("--validation-share", train.validation_share,
                  "Share of the remaining rows that decides when to stop")
      .show_default();
  command.add_option("--patience", train.patience, "Epochs without improvement before stopping")
      .show_default();
  command.add_option("--class-weights", class_weights, "equal or balanced").show_default();
  command.add_option("--missing", missing, "Missing values: error, drop or impute").show_default();
}

MissingPolicy TrainingOptions::resolve(TrainOptions& train) const {
  if (class_weights != "equal" && class_weights != "balanced") {
    throw InvalidArgument(
        fmt::format("class-weights is '{}'; it must be equal or balanced", class_weights));
  }
  train.class_weights = class_weights == "balanced" ? ClassWeights::balanced : ClassWeights::equal;
  const MissingPolicy policy = parse_missing(missing);
  if (policy == MissingPolicy::keep) {
    throw InvalidArgument(
        "missing is 'keep'; the networks that croco trains take no missing values: it must be "
        "error, drop or impute");
  }
  return policy;
}

}  // namespace croco::cli
