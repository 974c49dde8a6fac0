// SPDX-License-Identifier: Apache-2.0
/// Between records, as people have them, and points of the encoded space, as models see them.
/// Numeric features come first, in the schema's order; each categorical feature follows as one
/// column per level. Numbers are encoded by one of two rules, see `NumberEncoding`. Values outside
/// the training range are not clipped.
///
///     const croco::Codec codec = croco::Codec::fit(schema, croco::read_csv("train.csv"));
///     const croco::Vector point = codec.encode({"1200", "rent"}, "row 1");
///     const croco::Record record = codec.decode(point);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/error.hpp>
#include <croco/base/export.hpp>
#include <croco/base/types.hpp>
#include <croco/data/cost_kind.hpp>
#include <croco/data/csv.hpp>
#include <croco/data/data_frame.hpp>
#include <croco/data/schema.hpp>
#include <croco/space/space.hpp>

namespace croco {

/// What to do with missing values (see `is_missing`; a text that is a level of the feature is never
/// missing).
enum class MissingPolicy : std::uint8_t {
  error,
  drop,
  impute,  ///< by the typical value, which then is part of the record
  keep,    ///< the value stays missing, and the model is asked without it (`Codec::with_missing`)
};

/// A value that is missing, so that callers who drop such rows can tell them from broken ones.
class CROCO_EXPORT MissingValue : public DataError {
 public:
  using DataError::DataError;
};

/// How numbers become columns.
enum class NumberEncoding : std::uint8_t {
  /// `(value - minimum) / (maximum - minimum)`: croco's own networks are trained on these columns.
  scaled,
  /// `value / 2^k`, where 2^k is about maximum - minimum. No bit is lost in either direction, sums
  /// and comparisons have the results that they have in the feature's own units, and columns are
  /// still of similar size. For models that compare the feature itself with a threshold.
  exact,
};

/// The most knots of a distribution.
inline constexpr std::size_t kMostKnots = 128;

/// How the training data's values of one number are spread, in its own units: what costs by
/// deviation or by percentile are counted in.
struct Distribution {
  /// The median absolute deviation from the median; where that is 0, because more than half of the
  /// data are alike, the mean absolute deviation from the median; 0 for a constant alone.
  double deviation = 0.0;
  /// Knots: values, rising, from the smallest to the largest, and the share of the data below each
  /// plus half of the share that equals it (the mid-distribution function). All values that occur
  /// when these are at most `kMostKnots`.
  Vector values = {};
  Vector shares = {};

  bool operator==(const Distribution&) const = default;
};

/// What was learnt of one feature from the training data.
struct FeatureScale {
  double minimum = 0.0;  ///< numeric: maps to 0
  double maximum = 1.0;  ///< numeric: maps to 1
  /// The median (the lower of the middle two) or the most frequent level, for imputation. Empty
  /// when unknown.
  std::string typical{};
  /// Levels that no training row has, when that is known.
  std::vector<std::string> unseen{};
  /// Numeric, when known: what costs of the kinds mad and percentile are counted in.
  std::optional<Distribution> distribution{};

  bool operator==(const FeatureScale&) const = default;
};

/// Immutable and thread-safe.
class CROCO_EXPORT Codec {
 public:
  /// `scales` has one entry per feature. Throws DataError when the two do not fit.
  Codec(Schema schema, std::vector<FeatureScale> scales,
        NumberEncoding encoding = NumberEncoding::scaled);
  /// Learns the scales from training rows; rows that cannot be read are an error naming them,
  /// missing values are left out of the statistics.
  [[nodiscard]] static Codec fit(Schema schema, const CsvTable& training,
                                 NumberEncoding encoding = NumberEncoding::scaled);
  /// The same from columns in memory. A number may also be a level of a category ("3"), and a level
  /// a number, as in text.
  [[nodiscard]] static Codec fit(Schema schema, const DataFrame& training,
                                 NumberEncoding encoding = NumberEncoding::scaled);
  /// For data that are already in the model's space: every column is a number that means itself,
  /// and `space` says which may move. One-hot groups are checked on encoding. Throws DataError when
  /// names and space do not fit, or when the space has relations, which only a schema can name. The
  /// schema has no label, and a step only where it starts at 0.
  [[nodiscard]] static Codec identity(std::vector<std::string> names, Space space);

  [[nodiscard]] const Schema& schema() const noexcept { return schema_; }
  [[nodiscard]] const std::vector<FeatureScale>& scales() const noexcept { return scales_; }
  [[nodiscard]] const Space& space() const noexcept { return space_; }
  [[nodiscard]] std::size_t width() const noexcept { return space_.width(); }
  /// `age`, `savings_<100`: feature names, with the level behind an underscore.
  [[nodiscard]] const std::vector<std::string>& column_names() const noexcept { return names_; }
  /// The feature that an encoded column belongs to, as an index into the schema.
  [[nodiscard]] std::size_t feature_of(std::size_t column) const noexcept {
    return feature_of_[column];
  }
  /// The first encoded column of a feature.
  [[nodiscard]] std::size_t column_of(std::size_t feature) const noexcept {
    return column_of_[feature];
  }
  /// Own units per encoded unit of a numeric feature: maximum - minimum (1 for a constant column),
  /// or the power of two nearest to it.
  [[nodiscard]] double unit_of(std::size_t feature) const noexcept;
  /// The own value that column value 0 stands for.
  [[nodiscard]] double origin_of(std::size_t feature) const noexcept;
  /// How long the training range of a numeric feature is in its column: 1, or from .7 to 1.42 when
  /// numbers are exact.
  [[nodiscard]] double span_of(std::size_t feature) const noexcept;
  [[nodiscard]] NumberEncoding encoding() const noexcept { return encoding_; }
  /// Whether data are in the model's space already (`identity`).
  [[nodiscard]] bool takes_encoded() const noexcept { return identity_; }

  /// The same codec under another schema, which may change ranges, steps, movements, costs and
  /// wording but must have the same features, types and levels in the same order.
  [[nodiscard]] Codec with_schema(Schema schema) const;
  /// The same codec with a space whose numbers cost another kind. Throws DataError naming the first
  /// feature whose distribution is not known: all of them, unless the codec was learnt from data.
  [[nodiscard]] Codec with_cost(CostKind kind) const;
  [[nodiscard]] CostKind cost_kind() const noexcept { return cost_kind_; }

  /// The same codec with a limit on the number of features that advice may change, in place of the
  /// schema's.
  [[nodiscard]] Codec with_most_changed(std::size_t features) const;

  /// Features whose values a record lacks, ascending; none for a record that the schema does not
  /// fit.
  [[nodiscard]] std::vector<std::size_t> missing_features(const Record& record) const;
  /// The codec of people who lack these features and whose records stay so. Their columns hold a
  /// placeholder, which no model may look at, and are fixed. A relation that one of them is part of
  /// holds as long as what is known of it gets no worse than today. Throws DataError naming the
  /// feature where that cannot be said: a ratio that is compared with today's and lacks a part of
  /// its sum, or a column of a one-hot group of encoded data.
  [[nodiscard]] Codec with_missing(std::vector<std::size_t> features) const;
  /// The features of `with_missing`, ascending.
  [[nodiscard]] const std::vector<std::size_t>& missing() const noexcept { return missing_; }
  [[nodiscard]] bool stays_missing(std::size_t feature) const noexcept;

  /// Record -> point. Throws DataError naming `where` (such as "people.csv, line 7"), the column,
  /// the value and the rule: unknown level, not a number, NaN, infinity, out of a double's range.
  /// Exact numbers are refused where scaling would lose bits (near 1e-308).
  /// Missing values throw MissingValue under `error`, `drop` and `keep`, and are filled under
  /// `impute`; those of `with_missing` must be missing under every policy.
  [[nodiscard]] Vector encode(const Record& record, const std::string& where,
                              MissingPolicy missing = MissingPolicy::error) const;
  /// The record with every missing value replaced by the typical one, as `impute` encodes it. What
  /// has no typical value stays missing, and so does what `with_missing` names.
  [[nodiscard]] Record filled(Record record) const;
  /// Point -> record. Numbers on a step are written exactly (`24`, not `23.999999`), others with 12
  /// significant digits at most (up to 15 before the point); categories by the largest column of
  /// their group. Encoding the record and decoding it again gives the same record, so a point that
  /// must agree with the recommended record is `encode(decode(point))`.
  [[nodiscard]] Record decode(View point) const;
  /// The value of a numeric feature in its own units.
  [[nodiscard]] double decode_number(std::size_t feature, double encoded) const noexcept;

  /// The JSON object that model files carry under "encoding": schema and scales.
  [[nodiscard]] std::string json() const;
  /// An identity codec adds its space. Throws DataError; `source` is how messages name the text.
  [[nodiscard]] static Codec from_json(std::string_view json, const std::string& source);

 private:
  Codec() = default;
  void build_space();
  void check_scale(std::size_t index) const;
  [[nodiscard]] double encode_number(std::size_t index, const std::string& text,
                                     const std::string& where) const;
  [[nodiscard]] std::string decode_text(std::size_t index, double encoded) const;
  void check_one_hot(View point, const std::string& where) const;
  [[nodiscard]] bool is_missing_value(std::size_t index, const std::string& text) const;
  [[nodiscard]] double placeholder(std::size_t index, const std::string& text,
                                   const std::string& where) const;

  Schema schema_;
  std::vector<FeatureScale> scales_;
  Space space_;
  std::vector<std::string> names_;
  std::vector<std::size_t> feature_of_;
  std::vector<std::size_t> column_of_;
  CostKind cost_kind_ = CostKind::l1;
  NumberEncoding encoding_ = NumberEncoding::scaled;
  bool identity_ = false;  ///< the space was given, not built from the schema
  std::vector<std::size_t> missing_;
};

}  // namespace croco
