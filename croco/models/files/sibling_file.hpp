// SPDX-License-Identifier: Apache-2.0
/// Files of networks that differ in their name and weights alone, as those of one recipe do. What
/// such a file says beside its weights was read and checked with the first of them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <croco/models/network/mlp.hpp>

namespace croco {

/// Knows the text of one file. Immutable and thread-safe.
class SiblingFiles {
 public:
  /// `text` was read by `parse_model` and gave `network`. A text that `model_json` did not write
  /// has no siblings.
  SiblingFiles(std::string text, std::shared_ptr<const Mlp> network);

  /// The network of a file whose text is the same but for the name and the numbers of the layers,
  /// weights bit for bit as `parse_model` reads them; null for every other text, sound or not.
  [[nodiscard]] std::shared_ptr<const Mlp> read(std::string_view text) const;

 private:
  std::string text_;
  std::shared_ptr<const Mlp> network_;  ///< null: no siblings
  std::size_t name_end_ = 0;
  std::size_t layers_ = 0;  ///< where the numbers begin
};

}  // namespace croco
