// SPDX-License-Identifier: Apache-2.0
/// The label output of an ONNX classifier beside its score. Users decide by either, so they must
/// agree, or the user says which one counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <croco/models/onnx/builder.hpp>
#include <croco/models/onnx/graph.hpp>

namespace croco::onnx {

/// Where the label of a file comes from.
struct LabelSource {
  enum class Kind : std::uint8_t {
    none,        ///< the file has no label
    classifier,  ///< the first output of a classifier
    largest,     ///< the index of the larger one of two scores
    number,      ///< some other number, 0 or 1
  };
  Kind kind = Kind::none;
  std::string output = {};                ///< name of the label output
  std::string tensor = {};                ///< what has to be computed to know it
  std::vector<std::string> classes = {};  ///< labels of index 0 and 1, when the file says
};

/// Follows the label output back through casts and reshapes.
[[nodiscard]] LabelSource label_source(const File& file, const ScoreOutput& output);

/// What decides the label, given the value of its tensor; nothing when croco cannot tell.
[[nodiscard]] std::optional<LabelScores> label_scores(Builder& build, const LabelSource& label,
                                                      const Value* value);

/// The reading of the score, or of what decides the label when the user says so or when the scores
/// are raw ones that have no other meaning. `value` is the output that `score` was read from.
/// Throws ModelError when the two disagree for one of the samples, or cannot be compared.
[[nodiscard]] ScoreReading decided_by(Builder& build, ScoreReading score, const LabelSource& label,
                                      const std::optional<LabelScores>& scores, const Value& value,
                                      const ScoreOutput& output, Rows samples);

}  // namespace croco::onnx
