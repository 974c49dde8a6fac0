// SPDX-License-Identifier: Apache-2.0
/// A model file made ready for people: the classifier, and the codec between their records and its
/// space.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <croco/data/codec.hpp>
#include <croco/data/csv.hpp>
#include <croco/data/schema.hpp>
#include <croco/explain/category_codes.hpp>
#include <croco/explain/missing_values.hpp>
#include <croco/models/model.hpp>
#include <croco/models/rounds.hpp>
#include <croco/models/score_reading.hpp>
#include <croco/space/admissible.hpp>

namespace croco {

/// What a model from elsewhere does not bring: the meaning of its columns, and rows such as it was
/// trained on, whose ranges become the encoded units.
struct TrainingData {
  Schema schema;
  CsvTable table;
};

struct LoadModelOptions {
  /// Replaces the ranges, steps, movements, costs and wording that the model file came with. For
  /// encoded data its features are encoded columns.
  std::optional<Schema> schema = {};
  /// The people's columns are already in the model's space.
  bool encoded = false;
  /// Encoded data: the columns that the file calls immutable stay as they are.
  bool freeze_immutable = false;
  /// Encoded data: the names of their columns in order, for a model file that has none. Asked when
  /// no schema names them.
  std::function<std::vector<std::string>()> columns = {};
  /// Encoded data: every continuous column stays inside.
  std::optional<Interval> box = {};
  /// What the way of a number is counted in. Encoded data have no training data: l1 alone.
  CostKind cost = CostKind::l1;
  /// ONNX: what the output is, and which output decides, where the file leaves it open.
  ScoreChoice score = {};
  /// Asked for models from elsewhere alone, unless data are encoded; `schema`, when given, replaces
  /// that of the training data.
  std::function<TrainingData()> training = {};
  /// Of boosted trees of other programs: which rounds count, and what codes levels have where the
  /// file does not say.
  RoundChoice rounds = {};
  CategoryOrders category_orders = {};
};

/// Immutable.
struct LoadedModel {
  std::string name;
  std::string source;  ///< the path, as messages name it
  /// SHA-256 of the file; where options leave out rounds or say codes, of that and of these.
  std::string fingerprint;
  std::shared_ptr<const Model> model;
  Codec codec;
  /// Columns that the file calls immutable and that nevertheless may move, for a notice.
  std::vector<std::string> unfrozen;
  /// Models from elsewhere: encoded rows of the training data, at most 8,192 from all over it.
  std::shared_ptr<const Matrix> examples = {};
  /// The label decides, not a probability: the only threshold is .5.
  bool label_decides = false;
  /// The program that saved the file; empty for croco's own, and for models that run elsewhere.
  std::string program = {};
  /// The file has no names of its columns, and those of the data were taken in their order.
  bool columns_by_order = false;
  /// The same model for people who lack values; empty where it takes no missing ones.
  ModelOfCodec models = {};
};

/// Throws InvalidArgument when the model's label decides and the threshold is not .5.
void require_threshold(const LoadedModel& loaded, double threshold);

/// Reads croco's own format and those of other programs, told apart by their content. Throws
/// IoError, ModelError or DataError naming the file and the rule.
[[nodiscard]] LoadedModel load_model(const std::filesystem::path& path,
                                     const LoadModelOptions& options = {});

}  // namespace croco
