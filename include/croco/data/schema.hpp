// SPDX-License-Identifier: Apache-2.0
/// What the columns of a data set mean: which are numbers and which categories, in which range and
/// steps, who may change them and at what price. A JSON file that people edit; its format is
/// described in docs/reference/schema.md.
///
///     croco::Feature income{.name = "income", .unit = "EUR"};
///     income.movement = croco::Movement::up;
///     income.step = 50;
///     const croco::Schema schema{.label = {"loan", "approved", "denied"}, .features = {income}};
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/data/advice_words.hpp>
#include <croco/data/relation_rule.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// The version of the schema format that this build writes, and the newest that it reads.
inline constexpr int kSchemaVersion = 1;

enum class FeatureType : std::uint8_t { numeric, categorical };

/// Who could ever change a feature, whether or not advice may: age and birth nobody can. What
/// nobody can change is named where it stands in the way, but never as something to lift.
enum class ChangeableBy : std::uint8_t { person, nobody };

/// How people miss a value of this feature, whether or not it may be changed: a number by a
/// standard deviation or within a half-width, a category by flips. Empty: exact, or not stated.
struct FeatureNoise {
  std::optional<double> sd{};          ///< numeric, own units, >= 0
  std::optional<double> half_width{};  ///< numeric, own units, >= 0
  /// Categorical: the probability of another level, of those that occur in the training data.
  std::optional<double> flip{};
  /// Categorical: [true level][what it turns into]; rows sum to 1.
  std::vector<std::vector<double>> transition{};

  [[nodiscard]] bool empty() const noexcept {
    return !sd && !half_width && !flip && transition.empty();
  }
  bool operator==(const FeatureNoise&) const = default;
};

/// A change of category that advice may tell.
struct CategoryMove {
  std::string from{};
  std::string to{};
  std::optional<double> cost{};  ///< > 0; the feature's cost when not stated
  std::string advice{};          ///< how it is said; the feature's words when empty

  bool operator==(const CategoryMove&) const = default;
};

/// One column of the data set. Every member has an initialiser, so that designated ones can leave
/// it out without a warning.
struct Feature {
  std::string name{};  ///< the column's name in the CSV
  FeatureType type = FeatureType::numeric;
  /// `fixed` is "immutable". Of a category: any level (`both`), or along the order of its levels.
  Movement movement = Movement::both;
  ChangeableBy changeable_by = ChangeableBy::person;  ///< `nobody` needs movement `fixed`
  /// > 0. Of a number: per encoded unit. Of a category: per move, or per level along their order.
  double cost = 1.0;
  /// >= 0. Price of changing it at all, on top of its cost; of a category: of each move.
  double touch_cost = 0.0;
  std::string label{};     ///< for people; the name when empty
  std::string unit{};      ///< "months", "DM"; may be empty
  std::string unit_one{};  ///< "month"; the unit when empty

  // numeric
  std::optional<double> minimum{};  ///< admissible range in the feature's own units
  std::optional<double> maximum{};
  double step = 0.0;  ///< 0: any value; 1: whole numbers; otherwise multiples of it
  std::optional<double> max_change{};  ///< how far from a person's present value at most

  // categorical
  std::vector<std::string> levels{};  ///< at least one, distinct
  std::vector<CategoryMove> moves{};  ///< when stated: these alone, under `both`

  FeatureNoise noise{};
  AdviceWords advice{};  ///< how a change is said to the person
  /// What a lender or another user calls this feature as a reason of a refusal; may be empty.
  std::string reason_code{};

  [[nodiscard]] const std::string& display_name() const noexcept {
    return label.empty() ? name : label;
  }
  bool operator==(const Feature&) const = default;
};

/// The column that the model predicts. All are empty in a schema without a label, which serves to
/// explain but not to train.
struct LabelColumn {
  std::string name;
  std::string favourable;    ///< the value that is class 1
  std::string unfavourable;  ///< the value that is class 0
  /// What people read instead of the values, behind "the answer is"; the value when empty.
  std::string favourable_display = {};
  std::string unfavourable_display = {};

  bool operator==(const LabelColumn&) const = default;
};

/// The columns, in the order in which they are encoded and reported.
struct CROCO_EXPORT Schema {
  LabelColumn label;
  std::vector<Feature> features;
  std::vector<RelationRule> relations = {};  ///< what every advice keeps
  /// Features that advice may change at most, at least 1; any number when not stated.
  std::optional<std::size_t> max_changes = {};

  /// The index of a feature; throws DataError naming it and the features there are.
  [[nodiscard]] std::size_t index_of(std::string_view name) const;
  bool operator==(const Schema&) const = default;
};

/// Throws DataError naming the feature, the value and the rule: no features, duplicate names, a
/// range upside down or not finite, a range without a multiple of the step, a negative step, a cost
/// that is not above 0 or negative for a touch, duplicate or missing levels, moves between levels
/// that are not there, a movement of what nobody can change, noise of the wrong kind or out of its
/// range, phrases of advice that cannot be filled, a label that is also a feature or has equal
/// values or display texts; and what `validate_relations` says.
CROCO_EXPORT void validate(const Schema& schema);

/// Parses the JSON format; throws DataError (unknown and repeated keys are refused by name, so that
/// a misspelt constraint is never ignored). `source` is how messages name the text.
[[nodiscard]] CROCO_EXPORT Schema parse_schema(std::string_view json, const std::string& source);
[[nodiscard]] CROCO_EXPORT Schema read_schema(const std::filesystem::path& path);
/// The JSON format, indented by 2, ended with a newline; `parse_schema` gives the same back.
[[nodiscard]] CROCO_EXPORT std::string schema_json(const Schema& schema);

/// A person's values, in the order of the schema's features.
using Record = std::vector<std::string>;

}  // namespace croco
