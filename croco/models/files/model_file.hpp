// SPDX-License-Identifier: Apache-2.0
/// The JSON file that holds a network: its layers, and what is known of its inputs. The format is
/// described in docs/reference/model-file.md.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <croco/models/network/mlp.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// The version of the model format that this build writes, and the newest that it reads. Files
/// without a version are read as version 1.
inline constexpr int kModelVersion = 1;

/// What a model file says about the columns that the model takes.
struct ModelInputs {
  /// One per input; may be empty.
  std::vector<std::string> names = {};
  /// The numeric columns; empty: all that no group has.
  std::vector<std::string> continuous = {};
  /// The columns of each category.
  std::vector<std::vector<std::string>> groups = {};
  /// Columns, or features that groups are named after.
  std::vector<std::string> immutable = {};
};

/// A model file, read.
struct ModelFile {
  std::string name;
  std::shared_ptr<const Mlp> model;
  ModelInputs inputs;
  std::string target;    ///< the column that it predicts; may be empty
  std::string encoding;  ///< the JSON text of "encoding" (schema and scales); may be empty
};

/// Throws ModelError naming `source`, the place in the file and the rule.
[[nodiscard]] ModelFile parse_model(std::string_view json, const std::string& source);
/// The JSON text; `parse_model` gives the same back, weights bit for bit.
[[nodiscard]] std::string model_json(const ModelFile& file);

/// The space that the inputs describe: continuous columns move freely, one-hot columns do not.
/// `freeze_immutable` fixes the columns that the file calls immutable. Throws ModelError when a
/// name is not among the inputs or a group's columns are not neighbours.
[[nodiscard]] Space space_of(const ModelInputs& inputs, bool freeze_immutable);

}  // namespace croco
