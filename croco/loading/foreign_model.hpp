// SPDX-License-Identifier: Apache-2.0
/// Models that other programs saved. They know their columns but not what these mean to people.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <croco/loading/column_matching.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/model.hpp>
#include <croco/models/onnx/graph.hpp>
#include <croco/models/trees/tree_ensemble.hpp>

namespace croco {

/// Where a model file lies, when it is a file.
using ModelFolder = std::optional<std::filesystem::path>;

struct ForeignModel {
  std::string program;  ///< that saved it: "XGBoost"
  ForeignColumns columns;
  /// The classifier on encoded points, once it is known where its columns come from.
  using OnColumns = std::shared_ptr<const Model>(const InputColumns&);
  std::function<OnColumns> on;
  struct Made {
    std::shared_ptr<const Model> model;
    ScoreKind kind = ScoreKind::proven;  ///< what the output was found to be, if it left that open
  };
  /// The same for files that prepare the columns of records themselves; `on` is empty then.
  using OnRecords = Made(const Codec&, const ScoreChoice&, std::shared_ptr<const Matrix> examples);
  std::function<OnRecords> on_records = {};
  TreeEnsemble::Rounds rounds = {};  ///< of boosted trees
  std::string fingerprint = {};      ///< when it is not that of the bytes alone
  /// What the file calls class 0 and class 1, and the same classifier with these exchanged; empty
  /// where the file names no classes, or prepares records itself.
  std::vector<std::string> classes = {};
  std::function<OnColumns> on_exchanged = {};
  /// The probability of class 1 above which the library predicts it, where the file says so.
  std::optional<double> threshold = {};
  std::string caution = {};                      ///< see LoadedModel
  std::shared_ptr<const onnx::File> graph = {};  ///< what an ONNX file holds
};

/// Whether the schema's favourable label is what the file calls class 0. Throws ModelError that
/// begins with `source` when the file has other names for both classes.
[[nodiscard]] bool classes_exchanged(const ForeignModel& foreign, const std::string& favourable,
                                     const std::string& source);

/// How a graph sees the records of a codec.
[[nodiscard]] onnx::SourceColumns source_columns(const Codec& codec);

/// Nothing when the bytes are no such model. `folder` holds the further files that an ONNX file may
/// name; without one they are refused. Throws ModelError naming `source`, the place and the
/// rule when they are one that cannot be used, and InvalidArgument when the options say rounds or
/// codes of a model that has none.
[[nodiscard]] std::optional<ForeignModel> read_foreign_model(std::string_view bytes,
                                                             const std::string& source,
                                                             const LoadModelOptions& options = {},
                                                             const ModelFolder& folder = {});

/// Throws InvalidArgument when the options say rounds or codes, which only boosted trees have.
void require_no_tree_options(const LoadModelOptions& options, const std::string& source);

/// Throws InvalidArgument when the options say how an output is read, which only ONNX files need.
void require_no_score_choice(const LoadModelOptions& options, const std::string& source);

/// See LoadedModel: one file read in two ways is two models.
[[nodiscard]] std::string fingerprint_of(std::string_view bytes, const ForeignModel& foreign,
                                         const LoadModelOptions& options);

/// Such a model made ready for people whose codec and examples are known.
[[nodiscard]] LoadedModel load_foreign_on(const ForeignModel& foreign,
                                          const LoadModelOptions& options,
                                          const std::string& source, const std::string& fingerprint,
                                          const Codec& codec,
                                          std::shared_ptr<const Matrix> examples);

/// Such a model made ready for people. `source` is how messages name it.
[[nodiscard]] LoadedModel load_foreign(const ForeignModel& foreign, const LoadModelOptions& options,
                                       const std::string& source, const std::string& fingerprint);

}  // namespace croco
