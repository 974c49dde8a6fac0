// SPDX-License-Identifier: Apache-2.0
/// A model file made ready for people: the classifier, and the codec between their records and its
/// space.
///
///     const croco::LoadedModel own = croco::load_model("model.json");  // of `croco train`
///     croco::LoadModelOptions options;
///     options.training = [] {
///       return croco::TrainingData{croco::read_schema("schema.json"),
///       croco::read_csv("train.csv")};
///     };
///     const croco::LoadedModel boosted = croco::load_model("xgboost.ubj", options);
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/csv.hpp>
#include <croco/data/data_frame.hpp>
#include <croco/data/schema.hpp>
#include <croco/loading/people.hpp>
#include <croco/models/model.hpp>
#include <croco/models/reading_choices.hpp>
#include <croco/robustness/goal.hpp>
#include <croco/space/space.hpp>

namespace croco {

class RemoteModel;

/// What a model of another program does not bring: the meaning of its columns, and rows such as it
/// was trained on, whose ranges become the encoded units.
struct TrainingData {
  Schema schema;
  std::variant<CsvTable, DataFrame> rows;
};

/// What the code of a level is, where the model file does not say.
enum class CategoryOrder : std::uint8_t {
  schema,   ///< its place among the schema's levels, from 0
  numbers,  ///< the number that the level is
};

/// What the user says of it, for all features or for some.
struct CROCO_EXPORT CategoryOrders {
  std::optional<CategoryOrder> others = {};
  std::map<std::string, CategoryOrder> by_feature = {};

  [[nodiscard]] bool empty() const noexcept { return !others && by_feature.empty(); }
  [[nodiscard]] std::optional<CategoryOrder> of(const std::string& feature) const;
};

/// Each is `schema`, `numbers`, or one of them for a feature: `purpose=schema`. Throws
/// InvalidArgument.
[[nodiscard]] CROCO_EXPORT CategoryOrders
parse_category_orders(const std::vector<std::string>& texts);

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
  /// The cost metric of numeric changes. Encoded data have no training data: l1 alone.
  CostKind cost = CostKind::l1;
  /// ONNX: what the output is, and which output decides, where the file leaves it open.
  ScoreChoice score = {};
  /// Asked for models of other programs alone, unless data are encoded; `schema`, when given,
  /// replaces that of the training data.
  std::function<TrainingData()> training = {};
  /// Of boosted trees of other programs: which rounds count, and what codes levels have where the
  /// file does not say.
  RoundChoice rounds = {};
  CategoryOrders category_orders = {};
};

/// The model as it answers people who lack what `Codec::missing` names; it looks at none of their
/// columns. Throws ModelError naming the feature and the rule when it takes no missing value there.
/// Empty for models that take none at all.
using ModelOfCodec = std::function<std::shared_ptr<const Model>(const Codec&)>;

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
  /// Models of other programs: encoded rows of the training data, at most 8,192 from all over it.
  std::shared_ptr<const Matrix> examples = {};
  /// The label decides, not a probability: the only threshold is .5.
  bool label_decides = false;
  /// The only threshold, where the file says at which one its program predicts.
  std::optional<double> own_threshold = {};
  /// The program that saved the file; empty for croco's own, and for remote models.
  std::string program = {};
  /// Why the file may be another model than its program has, where its exporter is known for that.
  std::string caution = {};
  /// The file has no names of its columns, and those of the data were taken in their order.
  bool columns_by_order = false;
  /// The model itself when it is remote, to see what it was asked; else null.
  std::shared_ptr<const RemoteModel> remote = {};
  /// The same model for people who lack values; empty where it takes no missing ones.
  ModelOfCodec models = {};
  /// For models that bring no examples: reads such rows, where the caller knows of some.
  std::function<std::shared_ptr<const Matrix>()> reference = {};
  /// The answer that a bundle is about; runs want it unless they state another.
  std::optional<Goal> goal = {};
};

/// One of the models that a recipe of retraining gave.
struct RetrainedModel {
  std::string file;         ///< its name without the folder
  std::string fingerprint;  ///< as `LoadedModel::fingerprint`
  std::shared_ptr<const Model> model;
};

/// Models of one recipe in the space of a `LoadedModel`. Searches may see the first ones, and only
/// the others certify. Which is which follows from the fingerprints alone: in their order the first
/// `search.size()` are for searches.
struct ModelPopulation {
  std::vector<RetrainedModel> search;
  std::vector<RetrainedModel> certify;
  std::string recipe = {};  ///< JSON of the manifest beside the files; empty: not stated
};

struct PopulationOptions {
  /// Models for searches; none: a third of them.
  std::optional<std::size_t> search_models = {};
  unsigned threads = 1;
};

/// Reads the files as `like` was read, with the same options. Throws ModelError naming the file and
/// the rule: the same encoding as `like`, no file twice nor `like` itself, exactly the files of the
/// manifest beside them, if there is one.
[[nodiscard]] CROCO_EXPORT ModelPopulation
load_population(const std::vector<std::filesystem::path>& files, const LoadedModel& like,
                const LoadModelOptions& options = {}, const PopulationOptions& population = {});

/// Throws InvalidArgument when the model's label decides and the threshold is not .5, or when the
/// file has a threshold of its own and this is another.
CROCO_EXPORT void require_threshold(const LoadedModel& loaded, double threshold);

/// Reads croco's own format, bundles and those of other programs, recognised by their content.
/// Throws IoError, ModelError or DataError naming the file and the rule.
[[nodiscard]] CROCO_EXPORT LoadedModel load_model(const std::filesystem::path& path,
                                                  const LoadModelOptions& options = {});
/// The same from the bytes of such a file; `source` is how messages name them. Tensors in further
/// files beside an ONNX file are refused.
[[nodiscard]] CROCO_EXPORT LoadedModel load_model_bytes(std::string_view bytes,
                                                        const std::string& source,
                                                        const LoadModelOptions& options = {});

}  // namespace croco
