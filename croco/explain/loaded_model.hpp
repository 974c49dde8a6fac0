// SPDX-License-Identifier: Apache-2.0
/// A model file made ready for people: the classifier, and the codec between their records and its
/// space.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <croco/data/codec.hpp>
#include <croco/data/schema.hpp>
#include <croco/models/model.hpp>
#include <croco/space/admissible.hpp>

namespace croco {

struct LoadModelOptions {
  /// Replaces the ranges, steps, movements, costs and wording that the model file came with. For
  /// encoded data its features are encoded columns.
  std::optional<Schema> schema = {};
  /// The people's columns are already in the model's space.
  bool encoded = false;
  /// Encoded data: the columns that the file calls immutable stay as they are.
  bool freeze_immutable = false;
  /// Encoded data: every continuous column stays inside.
  std::optional<Interval> box = {};
  /// What the way of a number is counted in. Encoded data have no training data: l1 alone.
  CostKind cost = CostKind::l1;
};

/// Immutable.
struct LoadedModel {
  std::string name;
  std::string source;       ///< the path, as messages name it
  std::string fingerprint;  ///< SHA-256 of the file
  std::shared_ptr<const Model> model;
  Codec codec;
  /// Columns that the file calls immutable and that nevertheless may move, for a notice.
  std::vector<std::string> unfrozen;
};

/// Throws IoError, ModelError or DataError naming the file and the rule.
[[nodiscard]] LoadedModel load_model(const std::filesystem::path& path,
                                     const LoadModelOptions& options = {});

}  // namespace croco
