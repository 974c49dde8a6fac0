// SPDX-License-Identifier: Apache-2.0
/// What the output of a run depends on: a run may be continued only by one that is the same.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace croco {

struct RunIdentity {
  /// What things are, by fingerprint: "the model", "the schema", "the data". They are compared, and
  /// differences name them.
  std::vector<std::pair<std::string, std::string>> things = {};
  /// Options with their values: "--target", repeated ones too.
  std::vector<std::pair<std::string, std::string>> options = {};

  bool operator==(const RunIdentity&) const = default;
};

/// What is not the same, in words: "the model is another one; --target was 0.05 and is 0.1". Empty
/// when everything is.
[[nodiscard]] std::string differences(const RunIdentity& before, const RunIdentity& now);

}  // namespace croco
