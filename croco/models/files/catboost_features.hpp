// SPDX-License-Identifier: Apache-2.0
/// The features of CatBoost's documents, and the questions that trees ask of them. Only .cpp files
/// of this folder include it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include <croco/models/files/json_reader.hpp>
#include <croco/models/model_budget.hpp>
#include <croco/models/trees/tree_ensemble.hpp>

namespace croco::catboost {

/// A whole number of a document, from `least` to `most`.
[[nodiscard]] std::int64_t whole(const JsonReader& reader, const nlohmann::json& object,
                                 const char* key, std::int64_t least, std::int64_t most);

/// The largest number that is not above `border` once CatBoost has rounded it to single precision.
[[nodiscard]] double largest_not_above(float border) noexcept;

/// All questions of a file: CatBoost numbers them, borders of numbers first and then values of
/// categories, and reads these numbers alone. A split also describes its question.
class Features {
 public:
  using Json = nlohmann::json;

  /// Fills in the columns of the ensemble. Throws ModelError for features that are not read.
  Features(const JsonReader& reader, const Json& info, ModelBudget& budget, TreeEnsemble& ensemble);

  /// The question of a split, with its column; appends a set of categories when there is none yet.
  /// Throws ModelError when its number and its description are not about the same question.
  [[nodiscard]] TreeNode split(const JsonReader& reader, const Json& split, ModelBudget& budget,
                               TreeEnsemble& ensemble);

 private:
  struct Question {
    std::uint32_t column = 0;
    std::int64_t feature = 0;  ///< its number among those of its kind
    bool category = false;
    double value = 0.0;     ///< the border, or the hash of the category
    std::size_t place = 0;  ///< of the hash among those of its column
    bool missing_left = true;
    std::optional<std::uint32_t> set = {};
  };
  struct Column {
    std::size_t flat = 0;
    std::string name = {};
    std::optional<std::vector<std::int32_t>> hashes = {};
  };

  Column column(const JsonReader& reader, const Json& feature);
  void add_numbers(const JsonReader& reader, const Json& info, ModelBudget& budget);
  void add_categories(const JsonReader& reader, const Json& info, ModelBudget& budget);
  void place_columns(const JsonReader& reader, TreeEnsemble& ensemble);

  std::vector<Column> columns_;
  std::vector<Question> questions_;
};

}  // namespace croco::catboost
