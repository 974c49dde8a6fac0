// SPDX-License-Identifier: Apache-2.0
/// A model with all that it takes to explain people: the bytes that its program saved, how they are
/// read, the schema and the scales of the training data, the goal, and examples. One file that the
/// command line takes as --model, without the training data. docs/reference/bundle.md describes the
/// format.
///
///     write_file("credit.croco", bundle_json(bundle));
///     const LoadedModel model = load_model("credit.croco");
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/robustness/goal.hpp>

namespace croco {

/// The version of the format that this build writes, and the newest that it reads.
inline constexpr int kBundleVersion = 1;

struct Bundle {
  std::string model;  ///< the bytes of a model file
  // How they are read, in the words of the command line; empty where the file leaves nothing open.
  std::string rounds = {};
  std::vector<std::string> category_orders = {};
  std::string score = {};
  std::string decision = {};
  std::string encoding;  ///< `Codec::json`
  Goal goal = Goal();
  /// `LoadedModel::examples`; they are rows of real people, and may be left out.
  std::shared_ptr<const Matrix> examples = {};
  /// JSON that another program keeps for itself; empty when there is none.
  std::string extra = {};
};

[[nodiscard]] std::string bundle_json(const Bundle& bundle);

/// Throws DataError naming `source`, the key and the rule.
[[nodiscard]] Bundle parse_bundle(std::string_view json, const std::string& source);

/// The model of a bundle, made ready for people. A schema in the options replaces its own. Throws
/// DataError or ModelError naming `source`, and InvalidArgument for options that say how the model
/// is read, which the bundle does.
[[nodiscard]] LoadedModel load_bundle(std::string_view json, const std::string& source,
                                      const LoadModelOptions& options);

}  // namespace croco
